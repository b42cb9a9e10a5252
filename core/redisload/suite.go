package redisload

import (
	"fmt"
	"slices"
	"strings"

	"berth/core/text"
)

// The suites: the tests of redis-benchmark 2.8.19, and those of 7.x.
const (
	Classic = "classic"
	Modern  = "modern"
)

// What redis-benchmark replaces in a command: a number below the keyspace in
// 12 digits, and a value of the payload's size.
const (
	randomMark = "__rand_int__"
	dataMark   = "__data__"
)

// A Test is one line of a suite.
type Test struct {
	Name  string // as plans and CSV have it: "LRANGE_100"
	Title string // as redis-benchmark prints it: "LRANGE_100 (first 100 elements)"
	// Args are the command, with __rand_int__ and __data__ in them.
	Args []string
	// Inline sends the command as a line of words instead of an array.
	Inline bool

	suite    string
	key      string // the key that it uses, before the prefix; "" for none
	start    start
	elements int64 // of each reply that is an array; 0: not looked at
}

// A start is the data state that a test starts from.
type start byte

const (
	empty      start = iota // the key is not there
	valuesSet               // each key of the keyspace holds a value
	listOfTest              // a list as long as what the test reads
	listToPop               // a list of as many elements as there will be pops
	setToPop                // a set of as many
	zsetToPop               // a sorted set of as many
)

const lpushForLRANGE = "LPUSH_FOR_LRANGE"

// tests returns the lines of a suite in the order in which redis-benchmark
// prints them. Sources: redis-benchmark.c of Redis 2.8.19 and of 7.4.1, main().
func tests(suite string) []Test {
	modern := suite == Modern
	ping := "PING_BULK"
	if modern {
		ping = "PING_MBULK"
	}
	ten := []string{"MSET"}
	for range 10 {
		ten = append(ten, "key:"+randomMark, dataMark)
	}
	element := "element:" + randomMark
	all := []struct {
		Test
		modernOnly bool
	}{
		{Test: Test{Name: "PING_INLINE", Args: []string{"PING"}, Inline: true}},
		{Test: Test{Name: ping, Args: []string{"PING"}}},
		{Test: Test{Name: "SET", Args: []string{"SET", "key:" + randomMark, dataMark}, key: "key:" + randomMark}},
		{Test: Test{Name: "GET", Args: []string{"GET", "key:" + randomMark}, key: "key:" + randomMark, start: valuesSet}},
		{Test: Test{Name: "INCR", Args: []string{"INCR", "counter:" + randomMark}, key: "counter:" + randomMark}},
		{Test: Test{Name: "LPUSH", Args: []string{"LPUSH", "mylist", dataMark}, key: "mylist"}},
		{Test: Test{Name: "RPUSH", Args: []string{"RPUSH", "mylist", dataMark}, key: "mylist"}, modernOnly: true},
		{Test: Test{Name: "LPOP", Args: []string{"LPOP", "mylist"}, key: "mylist", start: listToPop}},
		{Test: Test{Name: "RPOP", Args: []string{"RPOP", "mylist"}, key: "mylist", start: listToPop}, modernOnly: true},
		{Test: Test{Name: "SADD", Args: []string{"SADD", "myset", element}, key: "myset"}},
		{Test: Test{Name: "HSET", Args: []string{"HSET", "myhash", element, dataMark}, key: "myhash"}, modernOnly: true},
		{Test: Test{Name: "SPOP", Args: []string{"SPOP", "myset"}, key: "myset", start: setToPop}},
		{Test: Test{Name: "ZADD", Args: []string{"ZADD", "myzset", scoreMark, element}, key: "myzset"}, modernOnly: true},
		{Test: Test{Name: "ZPOPMIN", Args: []string{"ZPOPMIN", "myzset"}, key: "myzset", start: zsetToPop}, modernOnly: true},
		{Test: Test{Name: lpushForLRANGE, Title: "LPUSH (needed to benchmark LRANGE)", Args: []string{"LPUSH", "mylist", dataMark}, key: "mylist"}},
		{Test: lrange(100, 100)},
		{Test: lrange(300, 300)},
		{Test: lrange(500, map[bool]int64{false: 450, true: 500}[modern])},
		{Test: lrange(600, 600)},
		{Test: Test{Name: "MSET", Title: "MSET (10 keys)", Args: ten, key: "key:" + randomMark}},
		{Test: Test{Name: "XADD", Args: []string{"XADD", "mystream", "*", "myfield", dataMark}, key: "mystream"}, modernOnly: true},
	}
	var list []Test
	for _, t := range all {
		if t.modernOnly && !modern {
			continue
		}
		if t.Title == "" {
			t.Title = t.Name
		}
		t.suite = suite
		list = append(list, t.Test)
	}
	return list
}

// scoreMark is ZADD's score: 0, and with a keyspace a random number.
const scoreMark = "__score__"

func lrange(name, elements int64) Test {
	return Test{
		Name:     fmt.Sprintf("LRANGE_%d", name),
		Title:    fmt.Sprintf("LRANGE_%d (first %d elements)", name, elements),
		Args:     []string{"LRANGE", "mylist", "0", fmt.Sprint(elements - 1)},
		key:      "mylist",
		start:    listOfTest,
		elements: elements,
	}
}

// Suite is the tests of a suite, in the order in which they are run and
// printed. An empty name is classic.
func Suite(name string) ([]Test, error) {
	switch strings.ToLower(name) {
	case "", Classic:
		return tests(Classic), nil
	case Modern:
		return tests(Modern), nil
	}
	return nil, text.Err("redisload.unknown-suite", text.Args{"Suite": name}, nil)
}

// Lookup finds a test of a suite by its name or its title, in any case. The
// second ping answers to both of its names.
func Lookup(suite, test string) (Test, error) {
	list, err := Suite(suite)
	if err != nil {
		return Test{}, err
	}
	want := strings.ToUpper(strings.TrimSpace(test))
	names := make([]string, 0, len(list))
	for _, t := range list {
		names = append(names, t.Name)
		second := strings.HasPrefix(t.Name, "PING_") && !t.Inline && (want == "PING_BULK" || want == "PING_MBULK")
		if want == t.Name || want == strings.ToUpper(t.Title) || second {
			return t, nil
		}
	}
	return Test{}, text.Err("redisload.unknown-test",
		text.Args{"Test": test, "Suite": list[0].suite, "Known": strings.Join(names, ", ")}, nil)
}

// Select is the tests of a suite that names choose, as redis-benchmark's -t does: in the
// suite's order whatever theirs, "ping" for both pings, "lrange" for the
// four of that name, and each of these four with the LPUSH that it needs. No names choose all.
func Select(suite string, names []string) ([]Test, error) {
	list, err := Suite(suite)
	if err != nil || len(names) == 0 {
		return list, err
	}
	chosen := map[string]bool{}
	for _, name := range names {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "":
		case "ping":
			for _, t := range list {
				chosen[t.Name] = chosen[t.Name] || strings.HasPrefix(t.Name, "PING_")
			}
		case "lrange":
			for _, t := range list {
				chosen[t.Name] = chosen[t.Name] || t.start == listOfTest
			}
		default:
			t, err := Lookup(suite, name)
			if err != nil {
				return nil, err
			}
			chosen[t.Name] = true
		}
	}
	for _, t := range list {
		if chosen[t.Name] && t.start == listOfTest {
			chosen[lpushForLRANGE] = true
		}
	}
	return slices.DeleteFunc(list, func(t Test) bool { return !chosen[t.Name] }), nil
}

// Custom is the test of a command of the user's own, with __rand_int__ and
// __data__ in it.
func Custom(args []string) Test {
	title := strings.Join(args, " ")
	return Test{Name: title, Title: title, Args: slices.Clone(args)}
}

// CustomBytes is the size of a command of the user's own on the wire, which
// redis-benchmark reports as its payload.
func CustomBytes(args []string) int { return len(appendCommand(nil, args...)) }

// testOf is the test that a job names, with the tag of its master if it has one.
func testOf(job Job) (t Test, err error) {
	if len(job.Args) > 0 {
		t = Custom(job.Args)
		t.suite = strings.ToLower(job.Suite)
	} else if t, err = Lookup(job.Suite, job.Test); err != nil {
		return t, err
	}
	if job.tag != "" {
		t = t.tagged(job.tag)
	}
	return t, nil
}
