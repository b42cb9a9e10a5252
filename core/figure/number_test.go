package figure

import (
	"math"
	"slices"
	"testing"
)

func TestNumbersAreGroupedAndKeepThreeDigits(t *testing.T) {
	for _, c := range []struct {
		v           float64
		whole, tiny string
	}{
		{0, "0", "0"}, {49776.4, "49,776", "49.8k"}, {121304, "121,304", "121k"}, {999.96, "1,000", "1.00k"},
		{99.96, "100", "100"}, {12.34, "12.3", "12.3"}, {1.234, "1.23", "1.23"}, {0.0421, "0.042", "0.042"},
		{1902047, "1,902,047", "1.90M"}, {14.9e9, "14,900,000,000", "14.9G"},
	} {
		if got := number(c.v); got != c.whole {
			t.Errorf("number(%v) = %q, want %q", c.v, got, c.whole)
		}
		if got := short(c.v); got != c.tiny {
			t.Errorf("short(%v) = %q, want %q", c.v, got, c.tiny)
		}
	}
}

func TestPercentKeepsADecimalWhereAWholeNumberHidesIt(t *testing.T) {
	for v, want := range map[float64]string{0.5: "50%", 0.063: "6.3%", 1.02: "102%", 0: "0%", 0.0994: "9.9%", 0.0999: "10%"} {
		if got := percent(v); got != want {
			t.Errorf("percent(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestTicksAreRoundAndWithinTheScale(t *testing.T) {
	for _, c := range []struct {
		high  float64
		count int
		want  []float64
	}{
		{100, 4, []float64{0, 25, 50, 75, 100}},
		{126000, 6, []float64{0, 25000, 50000, 75000, 100000, 125000}},
		{3, 1, []float64{0}}, // the next round step, 5, is beyond
		{0, 5, []float64{0}},
		{math.NaN(), 5, []float64{0}},
		{math.Inf(1), 5, []float64{0}},
		{5e-324, 5, []float64{0}},
	} {
		if got := ticks(c.high, c.count); !slices.Equal(got, c.want) {
			t.Errorf("ticks(%v, %d) = %v, want %v", c.high, c.count, got, c.want)
		}
	}
}
