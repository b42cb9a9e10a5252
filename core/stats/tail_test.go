package stats

import (
	"math"
	"testing"

	"berth/core/result"
)

func TestTailsCompareThe99thPercentileWithinRounds(t *testing.T) {
	// Latencies drift from round to round, and b's are 3 times as long in each.
	latencies := func(variant string, round int) string {
		us := int64(1000 * round)
		if variant == "b" {
			us *= 3
		}
		h := result.NewHistogram()
		for range 100 {
			if err := h.RecordValue(us); err != nil {
				t.Fatal(err)
			}
		}
		s, err := result.EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	rates := []float64{100_000, 99_000, 101_000, 100_500}
	r := built(rates, rates)
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Latency = latencies(s.Variant, s.Round)
	}
	rows := Tails(r, "a")
	if len(rows) != 2 {
		t.Fatalf("%d rows, want one over all tests and one for SET", len(rows))
	}
	for _, row := range rows {
		if row.Metric != MetricP99 || row.Verdict != result.Slower || row.Rounds != 4 ||
			math.Abs(*row.Ratio-3) > 0.01 || *row.RatioLow > *row.Ratio || *row.RatioHigh < *row.Ratio {
			t.Errorf("%s %s against %s: ratio %v (%v to %v), %d rounds, %s; want 3 and slower", row.Test, row.A, row.B,
				*row.Ratio, *row.RatioLow, *row.RatioHigh, row.Rounds, row.Verdict)
		}
	}
	for i := range r.Samples {
		r.Samples[i].Latency = ""
	}
	for _, row := range Tails(r, "a") {
		if row.Ratio != nil || row.Verdict != result.TooFewRounds {
			t.Errorf("without latencies: %+v", row)
		}
	}
}
