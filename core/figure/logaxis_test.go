package figure

import (
	"math"
	"slices"
	"testing"

	"berth/core/result"
)

func TestALogarithmicAxisHoldsWhatIsOnItAndSaysItsEnds(t *testing.T) {
	whole := func(low, high float64) []result.SummaryRow {
		return []result.SummaryRow{{RPS: &low}, {RPS: &high}}
	}
	for _, c := range []struct {
		low, high, from, to float64
	}{
		{14_518, 79_909, 10_000, 100_000},
		{9_000, 61_000, 5_000, 100_000},
		{3_000, 2_400_000, 2_000, 5_000_000},
		{100, 100, 100, 1_000},
		{1_000, 1_000_000, 1_000, 1_000_000},
		{0.4, 7, 0.2, 10},
		{3, 3e9, 2, 5e9},
	} {
		a := logAxisFor(whole(c.low, c.high))
		if math.Abs(a.from/c.from-1) > 1e-6 || math.Abs(a.to/c.to-1) > 1e-6 {
			t.Errorf("%v to %v: the axis is %v to %v, want %v to %v", c.low, c.high, a.from, a.to, c.from, c.to)
		}
		ticks := a.ticks()
		if first, last := ticks[0], ticks[len(ticks)-1]; first.text != tickText(c.from, false) || last.text != tickText(c.to, false) || math.Abs(first.at) > 1e-6 || math.Abs(last.at-a.place(a.to)) > 1e-6 {
			t.Errorf("%v to %v: the ticks are %v", c.low, c.high, ticks)
		}
		if !slices.IsSortedFunc(ticks, func(a, b tick) int { return int(math.Copysign(1, a.at-b.at)) }) || len(ticks) > 12 {
			t.Errorf("%v to %v: the ticks are %v", c.low, c.high, ticks)
		}
	}
}

func TestAnIntervalIsOnTheLogarithmicAxis(t *testing.T) {
	rate, low, high := 50_000.0, 4_000.0, 600_000.0
	a := logAxisFor([]result.SummaryRow{{RPS: &rate, RPSLow: &low, RPSHigh: &high}})
	if a.from > low || a.to < high || !a.whiskers {
		t.Errorf("%+v does not hold %v to %v", a, low, high)
	}
	zero := 0.0
	if a := logAxisFor([]result.SummaryRow{{RPS: &rate, RPSLow: &zero, RPSHigh: &high}}); a.whiskers {
		t.Errorf("%+v has whiskers from zero", a)
	}
}
