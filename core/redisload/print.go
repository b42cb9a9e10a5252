package redisload

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Whose output a Report is printed like.
const (
	Compat28 = "2.8"
	Compat7  = "7"
)

// A Report is one finished test as redis-benchmark would print it. Formats:
// showLatencyReport in redis-benchmark.c of Redis 2.8.19 and of 7.0.15. Its words are
// a format that scripts read, so they are not in the catalogue.
type Report struct {
	Title  string
	Job    Job
	Result Result
	// Save and AppendOnly are the server's settings of these names; they are
	// left out of a full report if both are empty.
	Save, AppendOnly string
}

// RPS is replies a second; 0 if nothing was measured.
func (r Result) RPS() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Elapsed.Seconds()
}

// Quiet prints one line: redis-benchmark -q.
func (r Report) Quiet(w io.Writer, compat string) error {
	if compat == Compat28 {
		_, err := fmt.Fprintf(w, "%s: %.2f requests per second\n", r.Title, r.Result.RPS())
		return err
	}
	_, err := io.WriteString(w, QuietLine(r.Title, r.Result.RPS(), r.millis(50)))
	return err
}

// QuietLine is a line of redis-benchmark -q, as 7 prints it; p50 in milliseconds.
func QuietLine(title string, rps, p50 float64) string {
	return fmt.Sprintf("%s: %.2f requests per second, p50=%.3f msec\n", title, rps, p50)
}

// CSVHeader prints the line above the rows of CSV, which 2.8 did not have.
func CSVHeader(w io.Writer, compat string) error {
	if compat == Compat28 {
		return nil
	}
	_, err := fmt.Fprintln(w, `"test","rps","avg_latency_ms","min_latency_ms","p50_latency_ms","p95_latency_ms","p99_latency_ms","max_latency_ms"`)
	return err
}

// CSV prints one row: redis-benchmark --csv.
func (r Report) CSV(w io.Writer, compat string) error {
	if compat == Compat28 {
		_, err := fmt.Fprintf(w, "%s,\"%.2f\"\n", quoted(r.Title), r.Result.RPS())
		return err
	}
	avg, low, high := r.mean(), r.lowest(), r.highest()
	_, err := fmt.Fprintf(w, "%s,\"%.2f\",\"%.3f\",\"%.3f\",\"%.3f\",\"%.3f\",\"%.3f\",\"%.3f\"\n",
		quoted(r.Title), r.Result.RPS(), avg, low, r.millis(50), r.millis(95), r.millis(99), high)
	return err
}

// quoted is a field of CSV. redis-benchmark leaves quotes in a title as they
// are; doubled, as RFC 4180 has it, the row can be read.
func quoted(title string) string { return `"` + strings.ReplaceAll(title, `"`, `""`) + `"` }

// Full prints the long report. After the last test, long or quiet,
// redis-benchmark prints an empty line.
func (r Report) Full(w io.Writer, compat string) error {
	p := &printer{w: w}
	keepAlive := 1
	if r.Job.Reconnect {
		keepAlive = 0
	}
	p.printf("====== %s ======\n", r.Title)
	p.printf("  %d requests completed in %.2f seconds\n", r.Result.Requests, r.Result.Elapsed.Seconds())
	p.printf("  %d parallel clients\n", r.Job.Clients)
	p.printf("  %d bytes payload\n", r.Job.PayloadBytes)
	p.printf("  keep alive: %d\n", keepAlive)
	if compat == Compat28 {
		p.printf("\n")
		r.milliseconds(p)
		p.printf("%.2f requests per second\n\n", r.Result.RPS())
		return p.err
	}
	if r.Save != "" || r.AppendOnly != "" {
		p.printf("  host configuration \"save\": %s\n", r.Save)
		p.printf("  host configuration \"appendonly\": %s\n", r.AppendOnly)
	}
	if r.Job.Threads > 1 {
		p.printf("  multi-thread: yes\n  threads: %d\n", r.Job.Threads)
	} else {
		p.printf("  multi-thread: no\n")
	}
	p.printf("\nLatency by percentile distribution:\n")
	r.percentiles(p)
	p.printf("\nCumulative distribution of latencies:\n")
	r.cumulative(p)
	p.printf("\nSummary:\n  throughput summary: %.2f requests per second\n  latency summary (msec):\n", r.Result.RPS())
	p.printf("    %9s %9s %9s %9s %9s %9s\n", "avg", "min", "p50", "p95", "p99", "max")
	p.printf("    %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f\n", r.mean(), r.lowest(), r.millis(50), r.millis(95), r.millis(99), r.highest())
	return p.err
}

// milliseconds prints 2.8's distribution: a line for each whole millisecond
// that a latency has, with the share up to the first of them.
func (r Report) milliseconds(p *printer) {
	total := r.latency().TotalCount()
	before, current := int64(0), int64(0)
	for _, bar := range r.latency().Distribution() {
		if bar.Count == 0 {
			continue
		}
		if ms := bar.To / 1000; ms != current && before+1 < total {
			p.printf("%.2f%% <= %d milliseconds\n", 100*float64(before+1)/float64(total), ms)
			current = ms
		}
		before += bar.Count
	}
	if total > 0 {
		p.printf("%.2f%% <= %d milliseconds\n", 100.0, r.latency().Max()/1000)
	}
}

// percentiles prints 7's first distribution: the latency at 0, 50, 75, 87.5 %
// and so on, each step half as far from 100 % as the one before.
func (r Report) percentiles(p *printer) {
	last := int64(-1)
	for _, b := range r.latency().CumulativeDistributionWithTicks(1) {
		if b.Count != last || b.Count == r.latency().TotalCount() {
			p.printf("%3.3f%% <= %.3f milliseconds (cumulative count %d)\n", b.Quantile, float64(b.ValueAt)/1000, b.Count)
		}
		last = b.Count
	}
}

// cumulative prints 7's second distribution: the share of latencies up to
// each tenth of a millisecond, and beyond 2.1 ms up to each millisecond,
// where it grows. redis-benchmark rounds each of these levels up to the end of
// its histogram's bucket: 0.103 ms, 0.207 ms and so on. Its buckets are 8 µs wide
// (its histogram begins at 10 µs and has 3 digits), from 16.384 ms on 16 µs, and so on.
func (r Report) cumulative(p *printer) {
	total := r.latency().TotalCount()
	tenth, counted, last := int64(100), int64(0), int64(-1)
	level := bucketEnd(tenth)
	line := func() {
		if counted != last {
			p.printf("%3.3f%% <= %.3f milliseconds (cumulative count %d)\n", 100*float64(counted)/float64(total), float64(level)/1000, counted)
		}
		last = counted
		if tenth > 2000 {
			tenth += 1000
		} else {
			tenth += 100
		}
		level = bucketEnd(tenth)
	}
	for _, bar := range r.latency().Distribution() {
		if bar.Count == 0 {
			continue
		}
		for bar.From > level {
			line()
		}
		counted += bar.Count
	}
	if total > 0 {
		line()
	}
}

// bucketEnd is the highest of the microseconds that share a bucket of
// redis-benchmark's histogram with us.
func bucketEnd(us int64) int64 {
	width := int64(8)
	for us >= 2048*width {
		width *= 2
	}
	return us/width*width + width - 1
}

// latency is the result's histogram; an empty one if nothing was measured.
func (r Report) latency() *hdrhistogram.Histogram {
	if r.Result.Latency == nil {
		return newHistogram()
	}
	return r.Result.Latency
}

func (r Report) millis(percentile float64) float64 {
	return microsecondsInMillis(r.latency().ValueAtPercentile(percentile))
}
func (r Report) mean() float64    { return r.latency().Mean() / 1000 }
func (r Report) lowest() float64  { return microsecondsInMillis(r.latency().Min()) }
func (r Report) highest() float64 { return microsecondsInMillis(r.latency().Max()) }

func microsecondsInMillis(us int64) float64 {
	return float64(time.Duration(us)*time.Microsecond) / float64(time.Millisecond)
}

// A printer keeps the first error of several writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
