package ingest

import (
	"regexp"
	"strings"
	"time"

	"berth/core/plan"
	"berth/core/result"
)

// The formats of sysbench 1.0:
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L247 and
// https://github.com/akopytov/sysbench/blob/1.0.20/src/db_driver.c#L870.
var (
	threadsLine  = regexp.MustCompile(`^Number of threads: ([0-9]+)$`)
	intervalLine = regexp.MustCompile(`^\[ ([0-9]+)s ?\] thds: ([0-9]+) tps: ([0-9.]+) qps: ([0-9.]+) `)
	eventsLine   = regexp.MustCompile(`^transactions: +([0-9]+) +\(([0-9.]+) per sec\.\)$`)
	queriesLine  = regexp.MustCompile(`^queries: +([0-9]+) +\(([0-9.]+) per sec\.\)$`)
	ignoredLine  = regexp.MustCompile(`^ignored errors: +([0-9]+) `)
	tookLine     = regexp.MustCompile(`^total time: +([0-9.]+)s$`)
	latencyLine  = regexp.MustCompile(`^(min|avg|max|([0-9]+)th percentile): +([0-9.]+)$`)
)

// A bench is a report of sysbench.
type bench struct {
	workload             plan.Workload
	transactions         int64
	queries              int64
	errors               int64
	tps, qps             float64
	took                 time.Duration
	latency              result.ReportedLatency
	seconds              int64 // of the last interval
	intervals            int
	sumOfTPS, sumOfQPS   float64
	summary, latencyPart bool
}

// sysbench reads a line of its output.
func (r *reader) sysbench(s string) bool {
	if strings.HasPrefix(s, "sysbench 1.") || strings.HasPrefix(s, "sysbench 0.") {
		r.flush()
		return true
	}
	if m := threadsLine.FindStringSubmatch(s); m != nil {
		r.flush()
		r.report().workload.Clients = int(whole(m[1]))
		return true
	}
	if m := intervalLine.FindStringSubmatch(s); m != nil {
		if r.bench != nil && (r.bench.summary || whole(m[1]) <= r.bench.seconds) {
			r.flush() // another report's
		}
		b := r.report()
		b.workload.Clients = int(whole(m[2]))
		b.seconds, b.intervals = whole(m[1]), b.intervals+1
		b.sumOfTPS, b.sumOfQPS = b.sumOfTPS+number(m[3]), b.sumOfQPS+number(m[4])
		return true
	}
	if s == "SQL statistics:" {
		if r.bench != nil && r.bench.summary {
			r.flush()
		}
		r.report().summary = true
		return true
	}
	return r.bench != nil && r.bench.summary && r.bench.line(s)
}

func (r *reader) report() *bench {
	if r.bench == nil {
		r.bench = &bench{workload: r.oltp}
	}
	return r.bench
}

// line reads one of the summary's.
func (b *bench) line(s string) bool {
	if m := eventsLine.FindStringSubmatch(s); m != nil {
		b.transactions, b.tps = whole(m[1]), number(m[2])
		return true
	}
	if m := queriesLine.FindStringSubmatch(s); m != nil {
		b.queries, b.qps = whole(m[1]), number(m[2])
		return true
	}
	if m := ignoredLine.FindStringSubmatch(s); m != nil {
		b.errors = whole(m[1])
		return true
	}
	if m := tookLine.FindStringSubmatch(s); m != nil {
		b.took = time.Duration(number(m[1]) * float64(time.Second))
		return true
	}
	if s == "Latency (ms):" {
		b.latencyPart = true
		return true
	}
	m := latencyLine.FindStringSubmatch(s)
	if m == nil || !b.latencyPart {
		return false
	}
	l := &b.latency
	if to, ok := map[string]**float64{"min": &l.Min, "avg": &l.Avg, "max": &l.Max, "50th percentile": &l.P50, "95th percentile": &l.P95, "99th percentile": &l.P99}[m[1]]; ok {
		*to = known(m[3])
	}
	return true
}

// addBench takes what the summary says; of a report that was quoted without one, the mean of its intervals, which
// are of one length.
func (r *reader) addBench(b *bench) {
	if b.qps <= 0 && b.intervals > 0 {
		n := float64(b.intervals)
		b.tps, b.qps = b.sumOfTPS/n, b.sumOfQPS/n
	}
	if b.qps <= 0 {
		return
	}
	v := r.variant
	v.Service = plan.MySQL
	v.Placement, v.CPUs = "", "" // what the text says of Redis's place does not hold for MySQL
	if b.workload.Test == "" {
		b.workload.Test = "sysbench"
	}
	r.out = append(r.out, found{v, result.Sample{Workload: b.workload, Requests: b.queries, Transactions: b.transactions, Errors: b.errors, Elapsed: b.took,
		Engine: "sysbench", Reported: &result.Reported{RPS: b.qps, TPS: b.tps, Latency: b.latency}}})
}
