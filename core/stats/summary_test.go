package stats

import (
	"slices"
	"testing"

	"berth/core/internal/simulated"
	"berth/core/result"
)

func TestMedianHasAnIntervalFromSixRoundsOn(t *testing.T) {
	for rounds, want := range map[int]bool{1: false, 4: false, 5: false, 6: true, 10: true} {
		for _, s := range Summarize(five(rounds), "") {
			if got := s.RPSLow != nil && s.RPSHigh != nil; got != want || s.RPS == nil {
				t.Errorf("%d rounds: interval of the median %v, want %v", rounds, got, want)
			}
		}
	}
}

func TestMedianIntervalOfSixRoundsIsFromLeastToMost(t *testing.T) {
	r := built([]float64{3, 1, 2, 6, 5, 4}, []float64{3, 1, 2, 6, 5, 4})
	s := Summarize(r, "")[0]
	near(t, "median", *s.RPS, 3.5, 1e-9)
	near(t, "low", *s.RPSLow, 1, 1e-9)
	near(t, "high", *s.RPSHigh, 6, 1e-9)
	if r.Samples[0].RPS() != 3 {
		t.Error("summarizing changed the order of the run's samples")
	}
}

func TestPercentilesComeFromMergedHistograms(t *testing.T) {
	r := built([]float64{10, 10}, []float64{10, 10})
	// 90 replies at 1 ms and 10 at 100 ms: averaged p95 would be 50.5 ms.
	r.Samples[0].Latency = latencies(t, 1_000, 90)
	r.Samples[2].Latency = latencies(t, 100_000, 10)
	s := Summarize(r, "")
	near(t, "p50", *s[0].P50, 1, 0.01)
	near(t, "p95", *s[0].P95, 100, 0.2)
	if s[1].P50 != nil {
		t.Error("a variant without histograms has percentiles")
	}
}

// latencies is a histogram of n replies that took so many microseconds.
func latencies(t *testing.T, us, n int64) string {
	t.Helper()
	h := result.NewHistogram()
	if err := h.RecordValues(us, n); err != nil {
		t.Fatal(err)
	}
	s, err := result.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAHistogramThatCannotBeReadLeavesPercentilesUnknown(t *testing.T) {
	r := five(3)
	r.Samples[0].Latency = "HISTgarbage"
	for _, s := range Summarize(r, "") {
		if broken := s.Variant == r.Samples[0].Variant; broken != (s.P99 == nil) {
			t.Errorf("%s: p99 %v", s.Variant, s.P99)
		}
	}
}

func TestReferenceRowSaysSoAndRowsFollowThePlan(t *testing.T) {
	rows := Summarize(five(4, "SET", "GET"), "")
	var order []string
	for _, s := range rows {
		order = append(order, s.Variant+" "+s.Test)
		if (s.Variant == "native") != (s.Verdict == result.Reference) || s.Reference != "native" {
			t.Errorf("%s: verdict %s, reference %s", s.Variant, s.Verdict, s.Reference)
		}
	}
	want := []string{"native SET", "native GET", "pinned SET", "pinned GET", "docker-nat SET", "docker-nat GET",
		"docker-direct SET", "docker-direct GET", "docker-host SET", "docker-host GET"}
	if !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
}

func BenchmarkTenThousandSamples(b *testing.B) {
	tests := make([]string, 15)
	for i := range tests {
		tests[i] = "TEST_" + string(rune('A'+i))
	}
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 22, Variants: simulated.Five(), Tests: tests, PayloadBytes: []int{1, 10, 100, 1000, 10000, 100000},
		SampleNoise: 0.02, Histograms: true})
	for b.Loop() {
		Summarize(r, "")
		Warnings(r)
	}
	b.ReportMetric(float64(len(r.Samples)), "samples")
}
