package ingest

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
)

// A reader goes through a text line by line. What a command line says holds for the output
// that follows it.
type reader struct {
	given   Given
	variant plan.Variant // where the server was started last, as far as the text says
	tool    string       // that prints what is read
	load    plan.Workload
	total   int64 // requests of each test; 0 is unknown
	oltp    plan.Workload

	table []string // columns of the CSV table that the text is in
	full  *full    // the full report that it is in
	bench *bench   // sysbench's report that it is in
	out   []found
}

// read finds the results in a text, in its order.
func read(raw []byte, given Given) []found {
	r := &reader{given: given, tool: redisBenchmark, oltp: plan.Workload{Pipeline: 1}}
	r.load = plan.Workload{PayloadBytes: given.PayloadBytes, Pipeline: given.Pipeline, Clients: given.Clients}
	r.total = given.Requests
	for line := range strings.Lines(decode(raw)) {
		r.line(clean(line))
	}
	r.flush()
	return r.out
}

// What pasting puts before a line: a list's number, a shell's prompt.
var before = regexp.MustCompile(`^(?:\d+\.\s+)?(?:[$#>]\s+)?`)

// clean is a line as it was printed. redis-benchmark writes over its progress: what stands
// behind the last carriage return is the result.
func clean(line string) string {
	line = strings.TrimRight(line, "\r\n")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	line = strings.TrimSpace(strings.ReplaceAll(line, "\u00a0", " "))
	return before.ReplaceAllString(line, "")
}

func (r *reader) line(s string) {
	switch {
	case r.command(s), r.title(s):
	case r.full != nil && r.full.line(s):
	case r.quiet(s), r.csv(s), r.sysbench(s):
	}
}

// flush takes the report that the text was in as complete.
func (r *reader) flush() {
	if f := r.full; f != nil && f.rps > 0 {
		r.add(f.name, f.rps, f.requests, f.workload, f.latency)
	}
	if b := r.bench; b != nil {
		r.addBench(b)
	}
	r.full, r.bench, r.table = nil, nil, nil
}

func (r *reader) add(test string, rps float64, requests int64, w plan.Workload, l result.ReportedLatency) {
	w.Test = testCalled(test)
	v := r.variant
	v.Service = plan.Redis
	s := result.Sample{Workload: w, Requests: requests, Engine: r.tool, Reported: &result.Reported{RPS: rps, Latency: l}}
	if requests > 0 {
		s.Elapsed = time.Duration(float64(requests) / rps * float64(time.Second))
	}
	r.out = append(r.out, found{v, s})
}

// testCalled is the test that a suite prints so, or what was printed.
func testCalled(printed string) string {
	for _, suite := range []string{redisload.Classic, redisload.Modern} {
		if t, err := redisload.Lookup(suite, printed); err == nil {
			return t.Name
		}
	}
	return printed
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return f
}

func whole(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
