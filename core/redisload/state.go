package redisload

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bounds of the data state. They depend on the job alone, never on the
// server, so that every variant starts from the same.
const (
	// popRate and pipelinedPopRate are more pops a second than a server does
	// without and with a pipeline: a timed test of pops then lasts its time,
	// and one that does not ends when there is nothing left to pop.
	popRate          = 300_000
	pipelinedPopRate = 1_500_000
	// maxPops elements at most are loaded, a second's work for the loader,
	// and no more than stateBytes of them, but minPops in any case.
	maxPops = 1_000_000
	minPops = 100
	// stateBytes bounds what is loaded; growthBytes what a test that adds to
	// a key may add to it.
	stateBytes  = 512 << 20
	growthBytes = 2 << 30
	// entryBytes is about what Redis keeps beside a value.
	entryBytes = 80
)

// A dataState is what a test finds on the server when it starts.
type dataState struct {
	count int64 // elements of its list or set, or keys with a value; 0: its keys are not there
	bytes int64 // about what the data takes, at the test's end if it grows
	limit int64 // requests after which the test ends, whatever its stop rule; 0: none
}

// stateOf is the state that a job's test starts from. It is a formula of
// the job: pops = seconds × 300,000 (1,500,000 with a pipeline), or the
// requests if there are fewer, at most 1,000,000 and 512 MiB, but 100 in any case.
func stateOf(job Job, test Test) dataState {
	value := int64(job.PayloadBytes) + entryBytes
	var s dataState
	switch test.start {
	case empty:
		if test.grows() {
			s.limit = max(minPops, growthBytes/value)
			s.bytes = min(s.limit, expected(job)) * value
		}
		return s
	case valuesSet:
		s.count = max(1, min(job.Keyspace, stateBytes/value))
	case listOfTest:
		s.count = test.elements
	case listToPop, setToPop, zsetToPop:
		if test.start != listToPop {
			value = 2 * entryBytes
		}
		s.count = pops(job, value)
		s.limit = s.count
	}
	s.bytes = s.count * value
	return s
}

func pops(job Job, valueBytes int64) int64 {
	most := max(minPops, min(maxPops, stateBytes/valueBytes))
	return max(1, min(most, expected(job)))
}

// expected is how many requests a job sends to a server that is faster than
// there are.
func expected(job Job) int64 {
	rate := float64(popRate)
	if job.Pipeline > 1 {
		rate = pipelinedPopRate
	}
	timed := int64(math.MaxInt64)
	if job.Duration > 0 {
		timed = int64(min(rate*job.Duration.Seconds(), 1e15))
	}
	if job.Requests > 0 {
		return min(job.Requests, timed)
	}
	return timed
}

// grows says whether a test adds to its key with every request.
func (t Test) grows() bool {
	switch t.Name {
	case "LPUSH", "RPUSH", lpushForLRANGE, "XADD":
		return true
	}
	return false
}

// keeps says whether the test leaves its data state as it found it.
func (t Test) keeps() bool { return t.key == "" || t.start == valuesSet || t.start == listOfTest }

// Writes says whether the test changes data; of a command of the user's own it is not known.
func (t Test) Writes() bool { return !t.keeps() }

// describe is the state for the record.
func (s dataState) describe(job Job, test Test) string {
	key := job.Prefix + test.key
	switch test.start {
	case valuesSet:
		if job.Keyspace > 0 {
			return fmt.Sprintf("%s: %d of %d keys, %d bytes each", key, s.count, job.Keyspace, job.PayloadBytes)
		}
		return fmt.Sprintf("%s: %d bytes", key, job.PayloadBytes)
	case listOfTest, listToPop:
		return fmt.Sprintf("%s: %d elements of %d bytes", key, s.count, job.PayloadBytes)
	case setToPop, zsetToPop:
		return fmt.Sprintf("%s: %d members", key, s.count)
	}
	if test.key == "" {
		return "no key"
	}
	return key + ": empty"
}

// Key is the name of the one key that the test uses, with the prefix; where
// numbers is above 0, a key for each number below it, the name followed by 12 digits.
// A test without a key has no name.
func (t Test) Key(prefix string, keyspace int64) (name string, numbers int64) {
	if t.key == "" {
		return "", 0
	}
	if before, numbered := strings.CutSuffix(t.key, randomMark); numbered && keyspace > 0 {
		return prefix + before, keyspace
	}
	return prefix + t.key, 0
}

// Keys are the names of the keys that the test uses, with the prefix: one,
// or as many as the keyspace has where the name holds a number.
func (t Test) Keys(prefix string, keyspace int64) iter.Seq[string] {
	return func(yield func(string) bool) {
		name, numbers := t.Key(prefix, keyspace)
		if numbers == 0 {
			if name != "" {
				yield(name)
			}
			return
		}
		for i := range numbers {
			if !yield(keyName(name, i)) {
				return
			}
		}
	}
}

func keyName(before string, number int64) string {
	var d [12]byte
	putDigits(d[:], uint64(number))
	return before + string(d[:])
}

// Loading sends its commands in batches of this size, bounded in bytes and
// in commands that wait for their reply.
const (
	loadBatchBytes = 256 << 10
	loadBatchSize  = 512
	// namedKeys is the largest keyspace whose keys are removed one name after
	// the other; the keys of a larger one are looked for with SCAN.
	namedKeys = 1 << 20
)

// prepare brings the server into the test's data state: its keys removed by
// name and freed, so that freeing is in no figure, then as many loaded as the
// state has.
func prepare(ctx context.Context, c *control, job Job, test Test, s dataState) error {
	if err := removeKeys(ctx, c, job, test); err != nil {
		return err
	}
	if err := c.waitFreed(ctx, 2*time.Second); err != nil {
		return err
	}
	value := string(Payload(test.suite, job.PayloadBytes))
	key := job.Prefix + test.key
	element := func(i int64) string { return keyName("element:", i) }
	load := loader{c: c}
	var args []string
	for i := range s.count {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var command, member string
		switch test.start {
		case valuesSet:
			name := key
			if job.Keyspace > 0 {
				name = keyName(strings.TrimSuffix(key, randomMark), i)
			}
			if err := load.send("SET", name, value); err != nil {
				return err
			}
			continue
		case listOfTest, listToPop:
			command, member = "RPUSH", value
		case setToPop:
			command, member = "SADD", element(i)
		case zsetToPop:
			command, member = "ZADD", element(i)
		}
		if args == nil {
			args = append(args, command, key)
		}
		if test.start == zsetToPop {
			args = append(args, strconv.FormatInt(i, 10))
		}
		args = append(args, member)
		if len(args) >= loadBatchSize || len(args)*len(member) >= loadBatchBytes {
			if err := load.send(args...); err != nil {
				return err
			}
			args = args[:2]
		}
	}
	if len(args) > 2 {
		if err := load.send(args...); err != nil {
			return err
		}
	}
	return load.flush()
}

// removeKeys removes the test's keys, by name. It never flushes.
func removeKeys(ctx context.Context, c *control, job Job, test Test) error {
	if test.key == "" {
		return nil
	}
	if err := c.chooseUnlink(); err != nil {
		return err
	}
	load := loader{c: c}
	args := []string{c.unlink}
	remove := func(name string) error {
		args = append(args, name)
		if len(args) < loadBatchSize {
			return ctx.Err()
		}
		err := load.send(args...)
		args = args[:1]
		return err
	}
	if job.Keyspace > namedKeys && strings.HasSuffix(test.key, randomMark) {
		if err := c.scan(ctx, globLiteral(job.Prefix+strings.TrimSuffix(test.key, randomMark))+strings.Repeat("[0-9]", 12), remove); err != nil {
			return err
		}
	} else {
		for name := range test.Keys(job.Prefix, job.Keyspace) {
			if err := remove(name); err != nil {
				return err
			}
		}
	}
	if len(args) > 1 {
		if err := load.send(args...); err != nil {
			return err
		}
	}
	return load.flush()
}

// globLiteral quotes what a glob pattern would read as its own.
func globLiteral(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// A loader sends commands ahead of their replies, as much at a time as both
// sides' buffers can be trusted to hold.
type loader struct {
	c       *control
	out     []byte
	replies int
}

func (l *loader) send(args ...string) error {
	l.out = appendCommand(l.out, args...)
	l.replies++
	if len(l.out) < loadBatchBytes && l.replies < loadBatchSize {
		return nil
	}
	return l.flush()
}

func (l *loader) flush() error {
	if l.replies == 0 {
		return nil
	}
	err := l.c.exchange(l.out, l.replies)
	l.out, l.replies = l.out[:0], 0
	return err
}
