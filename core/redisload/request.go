package redisload

import (
	"bytes"
	"strconv"
	"strings"
)

// chunkBytes is how much of a batch is handed to the kernel at once, and how
// much of it is kept as bytes: 64 KiB, or one request if that is longer.
const chunkBytes = 64 << 10

// A template is the bytes of as many requests as are sent in one call, one
// after the other, each size long. It is shared by the connections of a loop:
// the digits that differ from request to request are written again in place.
type template struct {
	bytes    []byte
	size     int
	requests int
	keys     []int // where in a request the 12 digits of each key's number begin
	values   []int // and those of each distinct value
	drawn    bool  // there are some
}

// newTemplate lays out the requests of a test, as many as chunk bytes hold.
func newTemplate(job Job, test Test, chunk int) template {
	request, keys, values := wire(job, test)
	n := max(1, min(job.Pipeline, chunk/len(request)))
	return template{
		bytes:    bytes.Repeat(request, n),
		size:     len(request),
		requests: n,
		keys:     keys,
		values:   values,
		drawn:    len(keys)+len(values) > 0,
	}
}

// draw writes new numbers into the first n requests.
func (t *template) draw(n int, from *source) {
	for i := range n {
		request := t.bytes[i*t.size : (i+1)*t.size]
		for _, at := range t.keys {
			putDigits(request[at:at+12], from.key())
		}
		for _, at := range t.values {
			putDigits(request[at:at+12], from.random.below(MaxKeyspace))
		}
	}
}

// A source is where a loop's numbers come from. A copy repeats what it gives.
type source struct {
	random     random
	keyspace   uint64
	next       uint64 // the next key, if they are sequential
	sequential bool
}

// newSource is the source of one of so many, each of which begins elsewhere.
func newSource(job Job, one, of int) source {
	return source{
		random:     newRandom(job.Seed, uint64(one)),
		keyspace:   uint64(job.Keyspace),
		next:       uint64(one) * (uint64(job.Keyspace) / uint64(of)),
		sequential: job.Sequential,
	}
}

// key is the number of the next key.
func (s *source) key() uint64 {
	if !s.sequential {
		return s.random.below(s.keyspace)
	}
	n := s.next
	if s.next++; s.next >= s.keyspace {
		s.next = 0
	}
	return n
}

// putDigits writes v in 12 digits, zeros first.
func putDigits(b []byte, v uint64) {
	_ = b[11]
	for i := 11; i >= 0; i-- {
		q := v / 10
		b[i] = byte('0' + v - q*10)
		v = q
	}
}

// wire is one request of a test as it is sent, and where in it the numbers of
// keys begin, and those of distinct values.
func wire(job Job, test Test) (request []byte, keys, values []int) {
	if test.Inline {
		return []byte(strings.Join(test.Args, " ") + "\r\n"), nil, nil
	}
	payload := Payload(test.suite, job.PayloadBytes)
	b := append([]byte{'*'}, strconv.Itoa(len(test.Args))...)
	b = append(b, "\r\n"...)
	for i, arg := range test.Args {
		if test.key != "" && (i == 1 || arg == test.key) {
			arg = job.Prefix + arg
		}
		if arg == scoreMark {
			arg = "0"
			if job.Keyspace > 0 {
				arg = randomMark
			}
		}
		value := []byte(arg)
		before, _, hasData := strings.Cut(arg, dataMark)
		if hasData {
			value = bytes.ReplaceAll(value, []byte(dataMark), payload)
		}
		b = appendBulkHeader(b, len(value))
		if hasData && job.Distinct {
			values = append(values, len(b)+len(before))
		}
		if job.Keyspace > 0 && strings.Contains(arg, randomMark) {
			for from := 0; ; from += len(randomMark) {
				at := bytes.Index(value[from:], []byte(randomMark))
				if at < 0 {
					break
				}
				from += at
				keys = append(keys, len(b)+from)
			}
		}
		b = append(b, value...)
		b = append(b, "\r\n"...)
	}
	return b, keys, values
}

func appendBulkHeader(b []byte, n int) []byte {
	b = append(b, '$')
	b = strconv.AppendInt(b, int64(n), 10)
	return append(b, "\r\n"...)
}

// appendCommand appends a command as an array of bulk strings.
func appendCommand(b []byte, args ...string) []byte {
	b = append(b, '*')
	b = strconv.AppendInt(b, int64(len(args)), 10)
	b = append(b, "\r\n"...)
	for _, a := range args {
		b = appendBulkHeader(b, len(a))
		b = append(b, a...)
		b = append(b, "\r\n"...)
	}
	return b
}

// Payload is the value of n bytes that a suite's commands send: x's, and in
// modern the bytes of genBenchmarkRandomData in
// redis-benchmark.c, which start again for each test here.
func Payload(suite string, n int) []byte {
	if suite != Modern {
		return bytes.Repeat([]byte{'x'}, n)
	}
	b := make([]byte, n)
	state := uint32(1234)
	for i := range b {
		state = state*1103515245 + 12345
		b[i] = byte('0' + state>>16&63)
	}
	return b
}
