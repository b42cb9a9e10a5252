package stats

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s is %v, want %v within %v", what, got, want, within)
	}
}

// The table beside the design was simulated, so it is met within one per cent; the
// exact column was computed apart, by integrating the normal tail over the
// distribution of the sample deviation.
func TestSmallestDetectableDifferenceAgreesWithTable(t *testing.T) {
	for _, c := range []struct {
		rounds, comparisons int
		table, exact        float64
	}{
		{4, 1, 2.13, 0}, {4, 12, 4.99, 5.00352}, {4, 105, 10.4, 0},
		{6, 1, 1.44, 1.43455}, {6, 12, 2.55, 2.55848}, {6, 105, 4.07, 4.03916},
		{8, 1, 1.16, 0}, {8, 12, 1.86, 0}, {8, 105, 2.65, 0},
	} {
		got := DetectableDeviations(c.rounds, c.comparisons)
		near(t, "detectable", got, c.table, 0.01*c.table)
		if c.exact > 0 {
			near(t, "detectable, exactly", got, c.exact, 1e-5)
		}
	}
}

func TestIntervalAndPValueAgreeWithWorkedExample(t *testing.T) {
	// Mean 0.05, deviation 0.0182574, n 4: t = 5.4772, p = 0.01196, half-width 3.18245·0.0091287.
	e := estimateMean([]float64{0.03, 0.04, 0.06, 0.07})
	near(t, "mean", e.mean, 0.05, 1e-12)
	near(t, "standard error", e.standardError, 0.0091287, 1e-6)
	near(t, "low", e.low, 0.05-0.0290517, 1e-6)
	near(t, "high", e.high, 0.05+0.0290517, 1e-6)
	near(t, "p", e.p, 0.01196, 1e-4)
}

func TestPValueOfRoundsWithoutSpreadIsNeverZero(t *testing.T) {
	for _, xs := range [][]float64{{-0.5, -0.5, -0.5}, {2, 2, 2, 2}} {
		if e := estimateMean(xs); !(e.p > 0) || e.p > 1e-9 {
			t.Errorf("p of %v is %v", xs, e.p)
		}
	}
	if e := estimateMean([]float64{0, 0, 0}); e.p != 1 {
		t.Errorf("p of no difference at all is %v, want 1", e.p)
	}
}

func TestHolmCorrectsEachByItsRankAndKeepsOrder(t *testing.T) {
	got := holm([]float64{0.03, 0.01, 0.04, 0.005})
	for i, want := range []float64{0.06, 0.03, 0.06, 0.02} {
		near(t, "corrected p", got[i], want, 1e-12)
	}
	if got := holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("corrected p values %v are not capped at 1", got)
	}
	if got := holm(nil); len(got) != 0 {
		t.Errorf("no p values became %v", got)
	}
}

func TestSignFlipOfSixEqualSignsIsOneInThirtyTwo(t *testing.T) {
	c := Comparison{LogRatios: []float64{-0.1, -0.2, -0.3, -0.1, -0.2, -0.3}}
	p, ok := c.Permutation()
	if !ok || p != 2.0/64 {
		t.Errorf("p is %v (%v), want 0.03125", p, ok)
	}
	c.LogRatios = []float64{1, -1, 1, -1, 1, -1}
	if p, _ := c.Permutation(); p != 1 {
		t.Errorf("p of balanced signs is %v, want 1", p)
	}
}

func TestSignFlipByDrawingAgreesWithCounting(t *testing.T) {
	xs := []float64{0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.25, -0.05, 0.15, -0.3, 0.2, 0.1, -0.12, 0.3, 0.05, -0.02}
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	near(t, "drawn p", drawnSigns(xs, math.Abs(sum)-1e-9), signFlip(xs), 0.01)
}

func TestSignFlipIsNotSaidBelowSixRounds(t *testing.T) {
	if p, ok := (Comparison{LogRatios: []float64{1, 1, 1, 1, 1}}).Permutation(); ok {
		t.Errorf("five rounds gave p %v", p)
	}
}

func TestFiellerIntervalHoldsTheRatioAndNeedsAClearDenominator(t *testing.T) {
	xs, ys := []float64{0.8, 0.82, 0.78, 0.81}, []float64{1, 1.01, 0.99, 1.02}
	ratio, low, high, ok := fieller(xs, ys)
	if !ok || !(low < ratio && ratio < high) {
		t.Errorf("ratio %v in %v to %v, ok %v", ratio, low, high, ok)
	}
	near(t, "ratio", ratio, 3.21/4.02, 1e-12)
	if _, low, high, _ := fieller(xs, []float64{0.1, -0.1, 0.2, -0.15}); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("a denominator that may be 0 gave an interval from %v to %v", low, high)
	}
	if _, _, _, ok := fieller(xs[:2], ys[:2]); ok {
		t.Error("two rounds gave an interval")
	}
}
