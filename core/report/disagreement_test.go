package report

import (
	"testing"

	"berth/core/result"
)

func TestTestsWithoutADifferenceDoNotDisagree(t *testing.T) {
	row := func(ratio float64, verdict string) result.ComparisonRow {
		low, high := ratio*0.95, ratio*1.05
		return result.ComparisonRow{A: "docker-host", B: "native", Rounds: 4, Ratio: &ratio, RatioLow: &low, RatioHigh: &high, Verdict: verdict}
	}
	f := newFinder(&result.Run{}, "native")
	if d, ok := f.disagreement(row(1, result.NoDifference), []result.ComparisonRow{row(0.9, result.NoDifference), row(1.3, result.NoDifference)}); ok {
		t.Errorf("two tests without a difference are told to disagree: %+v", d)
	}
	if _, ok := f.disagreement(row(1, result.NoDifference), []result.ComparisonRow{row(0.6, result.Slower), row(1.3, result.NoDifference)}); !ok {
		t.Error("a loss in one test and none in another is not told")
	}
}
