package result

import "berth/core/plan"

// A SummaryRow is a line of summary.csv: one variant under one workload, over
// its rounds. A nil pointer is not known, or not said because the rounds are too few.
type SummaryRow struct {
	Variant, Service, Placement string
	plan.Cell
	Samples int

	RPS             *float64 // median of the samples
	RPSLow, RPSHigh *float64 // order-statistic interval of the median, from 6 rounds on
	TPS             *float64 // median of transactions a second, of MySQL

	Reference           string // label; the row of the reference itself has it too
	Ratio               *float64
	RatioLow, RatioHigh *float64 // 95% t interval, from 3 rounds on
	PValue              *float64 // corrected (Holm) within its family
	Verdict             string

	P50, P95, P99 *float64 // milliseconds, of the merged histograms
	Flags         []string
}

// A ComparisonRow is a line of comparisons.csv: A against B.
type ComparisonRow struct {
	A, B   string // labels; the ratio is A ÷ B
	Metric string // "rps"
	// Cell is empty in the first family: the geometric mean over all tests.
	plan.Cell
	Over   []plan.Cell // what that mean is over, which may be fewer than were measured
	Rounds int

	Ratio               *float64
	RatioLow, RatioHigh *float64
	PValue              *float64
	// SmallestDetectable is the ratio's distance from 1 that this run would
	// have seen with 80% power: 0.04 is 4%.
	SmallestDetectable *float64
	Verdict            string
	Flags              []string
}

// Verdicts of a comparison.
const (
	Slower       = "slower"
	Faster       = "faster"
	NoDifference = "no-difference-detectable"
	TooFewRounds = "too-few-rounds"
	Reference    = "reference"
)
