package stats

import "berth/core/result"

// MetricP99 is the metric of Tails: the 99th percentile of latency.
const MetricP99 = "p99"

// Tails is Compare for the 99th percentile of latency instead of requests a second, of
// each sample by itself: a ratio above 1 is a longer latency, and its verdict is then
// Slower. The families are corrected by themselves.
func Tails(r *result.Run, reference string) []result.ComparisonRow {
	t := newTable(r)
	speeds := map[*result.Sample]float64{}
	t.level = func(s *result.Sample) float64 {
		speed, known := speeds[s]
		if !known {
			// Latencies that cannot be read are as good as none.
			if h, err := result.DecodeHistogram(s.Latency); err == nil && h.TotalCount() > 0 {
				speed = 1 / float64(max(h.ValueAtPercentile(99), 1))
			}
			speeds[s] = speed
		}
		return speed
	}
	var rows []result.ComparisonRow
	for _, c := range t.comparisons(reference) {
		row := c.ComparisonRow
		row.Metric = MetricP99
		row.Ratio, row.RatioLow, row.RatioHigh = inverse(row.Ratio), inverse(row.RatioHigh), inverse(row.RatioLow)
		rows = append(rows, row)
	}
	return rows
}

func inverse(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := 1 / *x
	return &y
}
