package redisload

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRequestsAreThoseOfRedisBenchmark(t *testing.T) {
	for _, c := range []struct {
		suite, test string
		keyspace    int64
		want        string
	}{
		{Classic, "PING_INLINE", 0, "PING\r\n"},
		{Classic, "PING_BULK", 0, "*1\r\n$4\r\nPING\r\n"},
		{Classic, "SET", 0, "*3\r\n$3\r\nSET\r\n$16\r\nkey:__rand_int__\r\n$3\r\nxxx\r\n"},
		{Classic, "GET", 0, "*2\r\n$3\r\nGET\r\n$16\r\nkey:__rand_int__\r\n"},
		{Classic, "SADD", 0, "*3\r\n$4\r\nSADD\r\n$5\r\nmyset\r\n$20\r\nelement:__rand_int__\r\n"},
		{Classic, "LRANGE_500", 0, "*4\r\n$6\r\nLRANGE\r\n$6\r\nmylist\r\n$1\r\n0\r\n$3\r\n449\r\n"},
		{Modern, "LRANGE_500", 0, "*4\r\n$6\r\nLRANGE\r\n$6\r\nmylist\r\n$1\r\n0\r\n$3\r\n499\r\n"},
		{Modern, "ZADD", 0, "*4\r\n$4\r\nZADD\r\n$6\r\nmyzset\r\n$1\r\n0\r\n$20\r\nelement:__rand_int__\r\n"},
		{Modern, "ZADD", 9, "*4\r\n$4\r\nZADD\r\n$6\r\nmyzset\r\n$12\r\n__rand_int__\r\n$20\r\nelement:__rand_int__\r\n"},
		{Modern, "XADD", 0, "*5\r\n$4\r\nXADD\r\n$8\r\nmystream\r\n$1\r\n*\r\n$7\r\nmyfield\r\n$3\r\nVXK\r\n"},
	} {
		test, err := Lookup(c.suite, c.test)
		if err != nil {
			t.Fatal(err)
		}
		got, keys, _ := wire(Job{PayloadBytes: 3, Keyspace: c.keyspace}, test)
		if string(got) != c.want {
			t.Errorf("%s %s sends %q, want %q", c.suite, c.test, got, c.want)
		}
		if want := strings.Count(c.want, randomMark); c.keyspace > 0 && len(keys) != want {
			t.Errorf("%s %s has %d numbers, want %d", c.suite, c.test, len(keys), want)
		}
	}
}

func TestCustomCommandsHaveTheirMarksReplaced(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "")
		job.Args = []string{"SETEX", "c:__rand_int__:__rand_int__", "60", "<__data__>"}
		job.PayloadBytes, job.Keyspace, job.Requests, job.ForcePortable = 3, 1, 10, portable
		runJob(t, job)
		key := "c:000000000000:000000000000"
		if got, want := ask(t, address, "GET", key), "<"+string(Payload(Modern, 3))+">"; got != want {
			t.Errorf("%s holds %q, want %q", key, got, want)
		}
	})
}

func TestKeysOfAPipelineAreDrawnOneByOne(t *testing.T) {
	test, err := Lookup(Classic, "MSET")
	if err != nil {
		t.Fatal(err)
	}
	tmpl := newTemplate(Job{PayloadBytes: 1, Pipeline: 8, Keyspace: 5_000_000_000, Prefix: "p:"}, test, chunkBytes)
	from := newSource(Job{Seed: 1, Keyspace: 5_000_000_000}, 0, 1)
	tmpl.draw(8, &from)
	seen := map[string]bool{}
	beyond := false
	for _, piece := range strings.Split(string(tmpl.bytes), "p:key:")[1:] {
		key := piece[:12]
		if strings.Trim(key, "0123456789") != "" || seen[key] {
			t.Errorf("the key %q is no number of its own", key)
		}
		seen[key] = true
		beyond = beyond || key > "002147483647"
	}
	if len(seen) != 80 || !beyond {
		t.Errorf("%d keys, one above 2³¹: %v; want 80, true", len(seen), beyond)
	}
}

func TestSequentialKeysCoverTheKeyspaceOnceEach(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "INCR")
		job.Sequential, job.Keyspace, job.Requests, job.Pipeline = true, 5000, 5000, 7
		job.Clients, job.Prepare, job.ForcePortable = 1, true, portable
		runJob(t, job)
		for _, key := range []string{"counter:000000000000", "counter:000000002500", "counter:000000004999"} {
			if got := ask(t, address, "GET", key); got != "1" {
				t.Errorf("%s was counted %q times, want once", key, got)
			}
		}
		if size := ask(t, address, "DBSIZE"); size != "5000" {
			t.Errorf("%s keys, want 5000", size)
		}
	})
}

func TestDistinctValuesDiffer(t *testing.T) {
	address := realServer(t)
	job := jobFor(address, "LPUSH")
	job.Distinct, job.Prepare, job.Requests = true, true, 100
	runJob(t, job)
	values := strings.Fields(ask(t, address, "LRANGE", "mylist", "0", "-1"))
	slices.Sort(values)
	if n := len(slices.Compact(values)); n != 100 {
		t.Errorf("%d different values of 100", n)
	}
}

func TestSuitesHaveTheLinesThatRedisBenchmarkPrints(t *testing.T) {
	for suite, want := range map[string]int{Classic: 15, Modern: 21} {
		list, err := Suite(suite)
		if err != nil || len(list) != want {
			t.Errorf("%s has %d tests, want %d (%v)", suite, len(list), want, err)
		}
		for _, test := range list {
			for _, name := range []string{test.Name, test.Title, strings.ToLower(test.Name)} {
				if got, err := Lookup(suite, name); err != nil || got.Name != test.Name {
					t.Errorf("%q finds %q, %v, want %q", name, got.Name, err, test.Name)
				}
			}
		}
	}
	if _, err := Lookup(Classic, "HSET"); Kind(err) != "unknown-test" || !strings.Contains(err.Error(), "LRANGE_100") {
		t.Errorf("HSET in classic: %v, want an error that lists the tests", err)
	}
	if _, err := Suite("old"); Kind(err) != "unknown-suite" {
		t.Errorf("the suite old: %v", err)
	}
}

func TestKeysAreNamedForCleaningUp(t *testing.T) {
	for _, c := range []struct {
		test     string
		keyspace int64
		want     []string
	}{
		{"PING_BULK", 3, nil},
		{"LPUSH", 3, []string{"b:mylist"}},
		{"SET", 0, []string{"b:key:__rand_int__"}},
		{"SET", 2, []string{"b:key:000000000000", "b:key:000000000001"}},
		{"INCR", 1, []string{"b:counter:000000000000"}},
	} {
		test, err := Lookup(Classic, c.test)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(test.Keys("b:", c.keyspace)); !slices.Equal(got, c.want) {
			t.Errorf("%s with %d keys: %v, want %v", c.test, c.keyspace, got, c.want)
		}
	}
}

func TestUnusableJobsAreRefusedBeforeAnythingStarts(t *testing.T) {
	good := jobFor("127.0.0.1:6379", "SET")
	if err := Check(good); err != nil {
		t.Fatal(err)
	}
	for kind, spoil := range map[string]func(*Job){
		"clients":      func(j *Job) { j.Clients = 0 },
		"pipeline":     func(j *Job) { j.Pipeline = 0 },
		"payload":      func(j *Job) { j.PayloadBytes = -1 },
		"keyspace":     func(j *Job) { j.Keyspace = -1 },
		"distinct":     func(j *Job) { j.Distinct, j.PayloadBytes = true, 11 },
		"threads":      func(j *Job) { j.Threads = -1 },
		"no-end":       func(j *Job) { j.Requests, j.Duration = 0, 0 },
		"warm-up":      func(j *Job) { j.WarmUp = -1 },
		"rate":         func(j *Job) { j.Rate = math.NaN() },
		"network":      func(j *Job) { j.Target.Network = "udp" },
		"address":      func(j *Job) { j.Target.Address = "" },
		"host-port":    func(j *Job) { j.Target.Address = "localhost" },
		"database":     func(j *Job) { j.Target.Database = -1 },
		"unknown-test": func(j *Job) { j.Test = "FLUSHALL" },
	} {
		job := good
		spoil(&job)
		if err := Check(job); Kind(err) != kind {
			t.Errorf("%s: %v (%q)", kind, err, Kind(err))
		}
		if _, err := Run(t.Context(), job, nil); Kind(err) != kind {
			t.Errorf("%s: Run says %v", kind, err)
		}
	}
	for _, payload := range []int{MaxPayloadBytes + 1, math.MaxInt} {
		job := good
		job.PayloadBytes = payload
		if err := Check(job); Kind(err) != "payload" {
			t.Errorf("payload %d: %v", payload, err)
		}
	}
}

func TestMemoryIsRefusedWithItsSum(t *testing.T) {
	if freeMemory() == 0 {
		return // not known on this system, and then nothing is refused
	}
	job := jobFor("127.0.0.1:6379", "SET")
	job.PayloadBytes, job.Pipeline, job.Clients = MaxPayloadBytes, 100, 100
	err := Check(job)
	if Kind(err) != "memory" || !strings.Contains(err.Error(), "100 clients × 100 × 512.0 MiB") {
		t.Errorf("%v", err)
	}
}

func TestPopsAreAFormulaOfTheJobAlone(t *testing.T) {
	test, err := Lookup(Classic, "LPOP")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job  Job
		want int64
	}{
		{Job{Duration: time.Second, Pipeline: 1, PayloadBytes: 100}, 300_000},
		{Job{Duration: time.Second / 2, Pipeline: 1, PayloadBytes: 100}, 150_000},
		{Job{Duration: time.Second / 2, Pipeline: 16, PayloadBytes: 100}, 750_000},
		{Job{Duration: time.Hour, Pipeline: 1, PayloadBytes: 100}, 1_000_000},
		{Job{Duration: time.Hour, Pipeline: 1, PayloadBytes: 1 << 20}, 511},
		{Job{Duration: time.Hour, Pipeline: 1, PayloadBytes: 64 << 20}, minPops},
		{Job{Duration: time.Second, Pipeline: 1, PayloadBytes: 10_000}, 53_261},
		{Job{Requests: 5000, Pipeline: 1, PayloadBytes: 100}, 5000},
		{Job{Requests: 5_000_000, Pipeline: 1, PayloadBytes: 100}, 1_000_000},
		{Job{Requests: 5_000, Duration: time.Second, Pipeline: 1, PayloadBytes: 100}, 5000},
	} {
		if s := stateOf(c.job, test); s.count != c.want || s.limit != c.want {
			t.Errorf("%+v: %d elements, %d pops, want %d", c.job, s.count, s.limit, c.want)
		}
	}
}

func TestRequestsAreDueByTheRateAlone(t *testing.T) {
	for _, c := range []struct {
		rate    float64
		elapsed time.Duration
		hits    int64
		most    int
		ready   int
		wait    time.Duration
	}{
		{0, time.Second, 5, 7, 7, 0},
		{100, 0, 0, 5, 1, 0},
		{100, 0, 1, 5, 0, 10 * time.Millisecond},
		{100, 9 * time.Millisecond, 1, 5, 0, time.Millisecond},
		{100, 10 * time.Millisecond, 1, 5, 1, 0},
		{100, 35 * time.Millisecond, 1, 5, 3, 0},
		{100, time.Second, 1, 5, 5, 0},
		{0.5, time.Second, 1, 1, 0, time.Second},
		{1e6, time.Millisecond, 1000, 10, 1, 0},
	} {
		ready, wait := pacer{rate: c.rate}.pace(c.elapsed, c.hits, c.most)
		if ready != c.ready || wait != c.wait {
			t.Errorf("%+v: %d, %v", c, ready, wait)
		}
	}
}

func TestQuotaGivesOutNoMoreThanItsLimitAndTakesBack(t *testing.T) {
	q := newQuota(0, 10, 0)
	var got []string
	for range 4 {
		first, n, wait := q.take(0, 4)
		got = append(got, fmt.Sprint(first, n, wait))
	}
	if want := "[0 4 0s 4 4 0s 8 2 0s 0 0 0s]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	q.giveBack(3)
	if _, n, _ := q.take(0, 4); n != 3 {
		t.Errorf("%d after 3 were given back", n)
	}
	timed := newQuota(0, 0, time.Second)
	if _, n, _ := timed.take(time.Second-1, 4); n != 4 {
		t.Errorf("%d before the end, want 4", n)
	}
	if _, n, _ := timed.take(time.Second, 4); n != 0 {
		t.Errorf("%d at the end, want 0", n)
	}
}

func TestAutoThreadsLeavesTheServerACPU(t *testing.T) {
	for cpus, want := range map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 64: 2} {
		if got := AutoThreads(cpus); got != want {
			t.Errorf("%d CPUs: %d threads, want %d", cpus, got, want)
		}
	}
}

func TestRandomNumbersCoverTheKeyspaceEvenly(t *testing.T) {
	r := newRandom(42, 0)
	const n, draws = 16, 160_000
	var seen [n]int
	for range draws {
		seen[r.below(n)]++
	}
	chi := 0.0
	for _, k := range seen {
		d := float64(k) - draws/n
		chi += d * d / (draws / n)
	}
	if chi > 37.7 { // chi-squared with 15 degrees of freedom, p = 0.001
		t.Errorf("chi-squared is %.1f: %v", chi, seen)
	}
}

func TestTestsAreChosenAsRedisBenchmarkChooses(t *testing.T) {
	for _, c := range []struct{ suite, names, want string }{
		{Classic, "ping", "PING_INLINE PING_BULK"},
		{Modern, "ping_bulk", "PING_MBULK"},
		{Modern, "get, SET", "SET GET"},
		{Modern, "get,SET,ping_mbulk", "PING_MBULK SET GET"},
		{Modern, "lrange", "LPUSH_FOR_LRANGE LRANGE_100 LRANGE_300 LRANGE_500 LRANGE_600"},
		{Classic, "lrange_300,lrange_100,lpush", "LPUSH LPUSH_FOR_LRANGE LRANGE_100 LRANGE_300"},
		{Modern, "xadd,mset,ping_inline", "PING_INLINE MSET XADD"},
	} {
		list, err := Select(c.suite, strings.Split(c.names, ","))
		if err != nil {
			t.Errorf("%s: %v", c.names, err)
		}
		var got []string
		for _, test := range list {
			got = append(got, test.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s of %s: %v, want %s", c.names, c.suite, got, c.want)
		}
	}
	if all, err := Select(Modern, nil); err != nil || len(all) != 21 {
		t.Errorf("no names choose %d tests (%v), want 21", len(all), err)
	}
	if _, err := Select(Classic, []string{"set", "hset"}); Kind(err) != "unknown-test" {
		t.Errorf("a test that the suite does not have: %v", err)
	}
}
