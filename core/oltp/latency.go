package oltp

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// sysbench's histogram: 1,024 logarithmic buckets over 0.001 to 100,000 ms.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sb_histogram.c
const (
	bucketCount   = 1024
	shortestMilli = 0.001
	longestMilli  = 100_000.0
)

// longest is the longest latency that an HDR histogram tells from a longer one.
const longest = 100 * time.Second

// newHistogram has microseconds, 1 to over 60 s, 3 digits.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), 3)
}

func recordMicros(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(int64(min(max(d, time.Microsecond), longest) / time.Microsecond)) // in range
}

// Buckets are counts of transactions by latency, in sysbench's buckets.
type Buckets [bucketCount]int64

// bucketScale is buckets for each factor of e.
func bucketScale() float64 {
	return (bucketCount - 1) / (math.Log(longestMilli) - math.Log(shortestMilli))
}

// bucketOf is the bucket of a latency.
func bucketOf(d time.Duration) int {
	i := math.Floor((math.Log(float64(d)/float64(time.Millisecond))-math.Log(shortestMilli))*bucketScale() + 0.5)
	return int(min(max(i, 0), bucketCount-1)) // of -Inf for no time at all, 0
}

// bucketMilli is what a bucket's latencies are reported as, in milliseconds.
func bucketMilli(i int) float64 { return math.Exp(float64(i)/bucketScale() + math.Log(shortestMilli)) }

// Percentile is in milliseconds; percent is 1 to 100.
func (b *Buckets) Percentile(percent int) float64 {
	total := int64(0)
	for _, n := range b {
		total += n
	}
	most := int64(math.Floor(float64(total)*float64(percent)/100 + 0.5))
	seen := int64(0)
	for i, n := range b {
		seen += n
		if seen >= most {
			return bucketMilli(i)
		}
	}
	return bucketMilli(bucketCount)
}

func (b *Buckets) percentiles(percents []int) []float64 {
	var all []float64
	for _, p := range percents {
		all = append(all, b.Percentile(p))
	}
	return all
}

// summarize takes the transactions of all threads together.
func summarize(threads []Thread) (all Thread) {
	for _, t := range threads {
		if t.Events > 0 && (all.Events == 0 || t.Min < all.Min) {
			all.Min = t.Min
		}
		all.Max = max(all.Max, t.Max)
		all.Sum += t.Sum
		all.Events += t.Events
	}
	return all
}
