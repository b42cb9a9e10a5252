package oltp

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// What follows prints as sysbench 1.0.20 does, byte for byte, save for its first line.
// Each returns the writer's first error.

// PrintStart is what stands before the first interval.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L418
func PrintStart(w io.Writer, job Job) error {
	p := printer{w: w}
	p.line("Running the test with following options:")
	p.line("Number of threads: %d", job.Threads)
	if job.Rate > 0 {
		p.line("Target transaction rate: %.0f/sec", job.Rate)
	}
	if job.Interval > 0 {
		p.line("Report intermediate results every %d second(s)", int(job.Interval/time.Second))
	}
	if len(job.Checkpoints) > 0 {
		var at []string
		for _, c := range job.Checkpoints {
			at = append(at, strconv.Itoa(int(c/time.Second)))
		}
		p.line("Report checkpoint(s) at %s seconds", strings.Join(at, ", "))
	}
	if job.Draw.Seed != 0 {
		p.line("Initializing random number generator from seed (%d).\n", job.Draw.Seed)
	} else {
		p.line("Initializing random number generator from current time\n")
	}
	p.line("")
	p.line("Initializing worker threads...\n")
	return p.err
}

// PrintThreadsStarted is what stands where the measuring begins.
func PrintThreadsStarted(w io.Writer) error {
	p := printer{w: w}
	p.line("Threads started!\n")
	return p.err
}

// PrintTick is the line of one interval; at a fixed rate, two.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/db_driver.c#L855
func PrintTick(w io.Writer, job Job, t Tick) error {
	p := printer{w: w}
	s := t.Interval.Seconds()
	per := func(n int64) float64 { return float64(n) / s }
	percent, latency := 0, 0.0
	if len(job.Percentiles) > 0 && len(t.Latency) > 0 {
		percent, latency = job.Percentiles[0], t.Latency[0]
	}
	p.line("[ %.0fs ] thds: %d tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) lat (ms,%d%%): %4.2f err/s: %4.2f reconn/s: %4.2f",
		t.Elapsed.Seconds(), t.Threads, per(t.Events), per(t.Queries()), per(t.Read), per(t.Write), per(t.Other), percent, latency, per(t.Errors), per(t.Reconnects))
	if job.Rate > 0 {
		p.line("[ %.0fs ] queue length: %d, concurrency: %d", t.Elapsed.Seconds(), t.Queue, t.Concurrency)
	}
	return p.err
}

// PrintHistogram is what --histogram adds before the summary.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sb_histogram.c#L262
func PrintHistogram(w io.Writer, b Buckets) error {
	const width = 40
	p := printer{w: w}
	p.line("Latency histogram (values are in milliseconds)")
	most := int64(0)
	for _, n := range b {
		most = max(most, n)
	}
	if most > 0 {
		p.line("       value  ------------- distribution ------------- count")
	}
	for i, n := range b {
		if n == 0 {
			continue
		}
		stars := strings.Repeat("*", int(math.Floor(float64(n)*width/float64(most)+0.5)))
		p.line("%12.3f |%-*s %d", bucketMilli(i), width, stars, n)
	}
	p.line(" ")
	return p.err
}

// PrintCheckpoint is what stands at a checkpoint.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L902
func PrintCheckpoint(w io.Writer, job Job, s Stretch) error {
	p := printer{w: w}
	p.line("[ %.0fs ] Checkpoint report:", s.Elapsed.Seconds())
	if p.err == nil {
		p.err = PrintSummary(w, job, s)
	}
	return p.err
}

// PrintSummary is the four blocks at the end, which are of what followed the last checkpoint.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/db_driver.c#L888
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L238
func PrintSummary(w io.Writer, job Job, r Stretch) error {
	p := printer{w: w}
	s := r.Interval.Seconds()
	count := func(label string, n int64) { p.line("%-41s%-6d (%.2f per sec.)", label, n, float64(n)/s) }
	p.line("SQL statistics:")
	p.line("    queries performed:")
	p.line("        read:                            %d", r.Read)
	p.line("        write:                           %d", r.Write)
	p.line("        other:                           %d", r.Other)
	p.line("        total:                           %d", r.Queries())
	count("    transactions:", r.Events)
	count("    queries:", r.Queries())
	count("    ignored errors:", r.Errors)
	count("    reconnects:", r.Reconnects)
	p.line("")
	p.line("General statistics:")
	p.line("    total time:                          %.4fs", r.Elapsed.Seconds())
	p.line("    total number of events:              %d", r.Events)
	p.line("")
	all := summarize(r.Threads)
	average := 0.0
	if all.Events > 0 {
		average = milli(all.Sum) / float64(all.Events)
	}
	p.line("Latency (ms):")
	p.line("         min:                              %10.2f", milli(all.Min))
	p.line("         avg:                              %10.2f", average)
	p.line("         max:                              %10.2f", milli(all.Max))
	for _, percent := range job.Percentiles {
		p.line("        %3dth percentile:                  %10.2f", percent, r.Buckets.Percentile(percent))
	}
	if len(job.Percentiles) == 0 {
		p.line("         percentile stats:               disabled")
	}
	p.line("         sum:                              %10.2f", milli(all.Sum))
	p.line("")
	events, busy := make([]float64, len(r.Threads)), make([]float64, len(r.Threads))
	for i, t := range r.Threads {
		events[i], busy[i] = float64(t.Events), t.Sum.Seconds()
	}
	p.line("Threads fairness:")
	p.fairness("    events (avg/stddev):           ", events)
	p.fairness("    execution time (avg/stddev):   ", busy)
	p.line("")
	return p.err
}

func milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// A printer keeps its writer's first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// fairness is the mean and the standard deviation, of all threads, over n.
func (p *printer) fairness(label string, values []float64) {
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for _, v := range values {
		square += (v - mean) * (v - mean) / float64(len(values))
	}
	p.line("%s%.4f/%3.2f", label, mean, math.Sqrt(square))
}
