package ingest

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/result"
)

// The formats of redis-benchmark, of 2.8 to 7:
// https://github.com/redis/redis/blob/7.0.15/src/redis-benchmark.c#L832 and
// https://github.com/redis/redis/blob/2.8.19/src/redis-benchmark.c#L299.
var (
	quietLine   = regexp.MustCompile(`^([ -~]{1,100}?): ([0-9]+(?:\.[0-9]+)?) requests per second(?:, p50=([0-9.]+) msec)?$`)
	titleLine   = regexp.MustCompile(`^====== (.{1,100}?) ======$`)
	doneLine    = regexp.MustCompile(`^([0-9]+) requests completed in [0-9.]+ seconds$`)
	clientsLine = regexp.MustCompile(`^([0-9]+) parallel clients$`)
	payloadLine = regexp.MustCompile(`^([0-9]+) bytes payload$`)
	rateLine    = regexp.MustCompile(`^(?:throughput summary: )?([0-9]+(?:\.[0-9]+)?) requests per second$`)
	shareLine   = regexp.MustCompile(`^([0-9.]+)% <= ([0-9.]+) milliseconds$`)
)

// quiet reads a line of -q.
func (r *reader) quiet(s string) bool {
	m := quietLine.FindStringSubmatch(s)
	if m == nil || number(m[2]) <= 0 {
		return false
	}
	r.flush()
	r.add(m[1], number(m[2]), r.total, r.load, result.ReportedLatency{P50: known(m[3])})
	return true
}

// oldTable are the columns of --csv before 6.2, which wrote no header.
var oldTable = []string{"test", "rps"}

// csv reads a line of --csv.
func (r *reader) csv(s string) bool {
	if !strings.HasPrefix(s, `"`) || !strings.HasSuffix(s, `"`) {
		return false
	}
	cells, err := csv.NewReader(strings.NewReader(s)).Read()
	if err != nil || len(cells) < 2 {
		return false
	}
	if cells[0] == "test" && slices.Contains(cells, "rps") {
		r.flush()
		r.table = cells
		return true
	}
	table := r.table
	if len(cells) != len(table) {
		if table = oldTable; len(cells) != len(table) || !strings.Contains(cells[1], ".") {
			return false
		}
	}
	at := func(column string) string {
		if i := slices.Index(table, column); i >= 0 {
			return cells[i]
		}
		return ""
	}
	rps := number(at("rps"))
	if rps <= 0 {
		return false
	}
	r.add(cells[0], rps, r.total, r.load, result.ReportedLatency{
		Avg: known(at("avg_latency_ms")), Min: known(at("min_latency_ms")), P50: known(at("p50_latency_ms")),
		P95: known(at("p95_latency_ms")), P99: known(at("p99_latency_ms")), Max: known(at("max_latency_ms"))})
	return true
}

// A full is a report without -q.
type full struct {
	name     string
	requests int64
	rps      float64
	workload plan.Workload
	latency  result.ReportedLatency
	columns  []string // of the latency summary, when its heading has been read
}

// title begins a full report.
func (r *reader) title(s string) bool {
	m := titleLine.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	r.flush()
	r.full = &full{name: m[1], workload: r.load}
	return true
}

// line reads one of the report's.
func (f *full) line(s string) bool {
	if f.columns != nil {
		f.summary(strings.Fields(s))
		return true
	}
	if m := doneLine.FindStringSubmatch(s); m != nil {
		f.requests = whole(m[1])
		return true
	}
	if m := clientsLine.FindStringSubmatch(s); m != nil {
		f.workload.Clients = int(whole(m[1]))
		return true
	}
	if m := payloadLine.FindStringSubmatch(s); m != nil {
		f.workload.PayloadBytes = int(whole(m[1]))
		return true
	}
	if m := rateLine.FindStringSubmatch(s); m != nil {
		f.rps = number(m[1])
		return true
	}
	if m := shareLine.FindStringSubmatch(s); m != nil {
		f.share(number(m[1]), m[2])
		return true
	}
	if columns := strings.Fields(s); len(columns) >= 6 && columns[0] == "avg" && slices.Contains(columns, "p99") {
		f.columns = columns
		return true
	}
	return false
}

// share is a line of the distribution that was printed before 6.2: percentiles are as fine as its steps.
func (f *full) share(percent float64, ms string) {
	l := &f.latency
	for _, p := range []struct {
		of float64
		to **float64
	}{{50, &l.P50}, {95, &l.P95}, {99, &l.P99}, {99.9, &l.P999}, {100, &l.Max}} {
		if percent >= p.of && *p.to == nil {
			*p.to = known(ms)
		}
	}
}

// summary is the line of figures under the latency summary's heading.
func (f *full) summary(figures []string) {
	columns := f.columns
	f.columns = nil
	if len(figures) != len(columns) {
		return
	}
	l := &f.latency
	for name, to := range map[string]**float64{"avg": &l.Avg, "min": &l.Min, "p50": &l.P50, "p95": &l.P95, "p99": &l.P99, "max": &l.Max} {
		if i := slices.Index(columns, name); i >= 0 {
			*to = known(figures[i])
		}
	}
}

// known is a figure, or nil where there is none.
func known(s string) *float64 {
	if s == "" {
		return nil
	}
	f := number(s)
	return &f
}
