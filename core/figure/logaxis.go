package figure

import (
	"math"
	"slices"

	"berth/core/result"
)

// A logAxis runs from one round number of requests a second to another, evenly in their
// logarithms.
type logAxis struct {
	from, to float64
	whiskers bool // some of what is on it has an interval
}

// logAxisFor is the axis on which the rates of rows, which are positive, have room, with their intervals.
// It is a power of ten long at least: less would make little look like much.
func logAxisFor(rows []result.SummaryRow) logAxis {
	low, high, whiskers := math.Inf(1), 0.0, false
	for _, row := range rows {
		low, high = min(low, *row.RPS), max(high, *row.RPS)
		if from, to, ok := intervalOf(row); ok {
			low, high, whiskers = min(low, from), max(high, to), true
		}
	}
	a := logAxis{roundBelow(low), 1 / roundBelow(1/high), whiskers}
	if a.to < 10*a.from {
		a.from, a.to = math.Pow(10, math.Floor(math.Log10(low))), math.Pow(10, math.Ceil(math.Log10(high)))
	}
	if a.to <= a.from {
		a.to = 10 * a.from
	}
	return a
}

// intervalOf is the interval of the row's median, where there is one that a logarithm can show.
func intervalOf(row result.SummaryRow) (low, high float64, ok bool) {
	if known(row.RPSLow) == nil || known(row.RPSHigh) == nil || *row.RPSLow <= 0 || *row.RPSHigh < *row.RPSLow {
		return 0, 0, false
	}
	return *row.RPSLow, *row.RPSHigh, true
}

// roundBelow is the greatest of 1, 2, 5 × 10ⁿ that is not above v.
func roundBelow(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{5, 2} {
		if m*power <= v*(1+1e-9) {
			return m * power
		}
	}
	return power
}

// place is how many powers of ten v is beyond the beginning.
func (a logAxis) place(v float64) float64 { return math.Log10(v / a.from) }

// ticks are the ends, and the round numbers between them.
func (a logAxis) ticks() []tick {
	const most = 10
	numbers := logTicks(a.from, a.to, most)
	for _, end := range []float64{a.from, a.to} {
		if !slices.ContainsFunc(numbers, func(n float64) bool { return math.Abs(n/end-1) < 1e-6 }) {
			numbers = append(numbers, end)
		}
	}
	slices.Sort(numbers)
	var out []tick
	for _, n := range numbers {
		exponent := math.Log10(n)
		out = append(out, tick{a.place(n), tickText(n, false), tickText(n, true), math.Abs(exponent-math.Round(exponent)) > 1e-6})
	}
	return out
}

// dotCell is a row's dot on the axis, with the interval of its median and its number. A dot,
// because the length of a bar from nowhere says nothing.
func (v *view) dotCell(row result.SummaryRow, axis logAxis) cell {
	s := v.seriesOf(row)
	at := axis.place(*row.RPS)
	c := cell{state: measured, series: &s, value: at, dots: []float64{at}, labels: []string{number(*row.RPS)}}
	if low, high, ok := intervalOf(row); ok {
		from, to := axis.place(low), axis.place(high)
		c.low, c.high = &from, &to
	}
	return c
}
