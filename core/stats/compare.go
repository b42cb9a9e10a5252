// Package stats says what a run's samples show: medians with their intervals,
// comparisons between variants, and warnings about both. The unit is a round:
// samples are compared within a round only, on the logarithm of their ratio, as
// Kalibera and Jones compare systems in "Rigorous benchmarking in reasonable time"
// (2013). The package reads a result.Run and changes nothing in it; sentences and
// figures are made from its rows elsewhere.
package stats

import (
	"math"
	"slices"

	"berth/core/plan"
	"berth/core/result"
)

// What the project decided once, for every run.
const (
	alpha      = 0.05 // of each family of comparisons, and of one interval
	power      = 0.80 // at which the smallest detectable difference is given
	minRounds  = 3    // for a t interval and a verdict
	rankRounds = 6    // for order-statistic intervals and the sign-flip test
)

// MetricRPS is the metric of every comparison: requests a second.
const MetricRPS = "rps"

// A Comparison is a row of the table of comparisons with what it was made from.
type Comparison struct {
	result.ComparisonRow
	// Uncorrected is the p value before Holm's correction; nil without a verdict.
	Uncorrected *float64
	// LogRatios has ln(A ÷ B) of each round that both measured, in Rounds' order.
	LogRatios []float64
	RoundsIn  []int // the numbers of those rounds
}

// Compare gives every comparison with the variant labelled reference ("" is the
// plan's): the first family (for each variant one geometric mean over all its
// tests), then the second (each test), both in the plan's order. Variants of MySQL
// are compared with the first of MySQL, unless reference is another of them.
func Compare(r *result.Run, reference string) []result.ComparisonRow {
	var rows []result.ComparisonRow
	for _, c := range Comparisons(r, reference) {
		rows = append(rows, c.ComparisonRow)
	}
	return rows
}

// Comparisons is Compare with what each row was made from. A variant that shares
// no workload with the reference has no row: a ratio of different work says nothing.
func Comparisons(r *result.Run, reference string) []Comparison {
	return newTable(r).comparisons(reference)
}

func (t *table) comparisons(reference string) []Comparison {
	references := t.references(reference)
	var first, second []Comparison
	for _, a := range t.variants {
		b := references[t.service(a)]
		if a == b {
			continue
		}
		single := t.singles(a, b)
		if len(single) == 0 {
			continue
		}
		first = append(first, t.overall(a, b, single))
		second = append(second, single...)
	}
	judgeRounds(first)
	judgeRounds(second)
	return append(first, second...)
}

// Reference is the label of the variant that others are compared with: label
// itself, or the plan's choice, or the first Redis placed native, or the first of the plan.
func Reference(r *result.Run, label string) string {
	switch {
	case label != "":
		return label
	case r.Plan.Reference != "":
		return r.Plan.Reference
	case labelled(r, plan.Native) != "":
		return labelled(r, plan.Native)
	case len(r.Plan.Variants) > 0:
		return r.Plan.Variants[0].Label
	case len(r.Samples) > 0:
		return r.Samples[0].Variant
	}
	return ""
}

// singles compares a with b in each workload that both have samples of.
func (t *table) singles(a, b string) []Comparison {
	var out []Comparison
	for _, w := range t.workloads {
		ca, cb := t.cell(a, w), t.cell(b, w)
		if ca == nil || cb == nil {
			continue
		}
		c := Comparison{ComparisonRow: result.ComparisonRow{
			A: a, B: b, Metric: MetricRPS,
			Cell: w, Flags: t.flags(a, b, ca, cb),
		}}
		c.LogRatios, c.RoundsIn = t.logRatios(ca, cb)
		out = append(out, c)
	}
	return out
}

// overall is the geometric mean of single's ratios within each round. Every round
// must have the same tests, or a round that was cut would weigh other tests than the rest:
// tests at a rate that was asked for, where others go as fast as they can, and tests that
// were measured in fewer than half of the rounds are left out, and
// then rounds that lack one of the tests.
func (t *table) overall(a, b string, single []Comparison) Comparison {
	most := 0
	for _, s := range single {
		most = max(most, len(s.RoundsIn))
	}
	sums, tests := map[int]float64{}, map[int]int{}
	var kept []plan.Cell
	var flags []string
	unpaced := slices.ContainsFunc(single, func(s Comparison) bool { return s.Rate == 0 })
	for _, s := range single {
		if unpaced && s.Rate > 0 {
			continue // what keeps a rate that was asked for is equal because it was told to be
		}
		flags = append(flags, s.Flags...)
		if len(s.RoundsIn) == 0 || 2*len(s.RoundsIn) < most {
			continue
		}
		kept = append(kept, s.Cell)
		for i, round := range s.RoundsIn {
			sums[round] += s.LogRatios[i]
			tests[round]++
		}
	}
	c := Comparison{ComparisonRow: result.ComparisonRow{A: a, B: b, Metric: MetricRPS, Over: kept, Flags: union(flags)}}
	for _, round := range t.rounds {
		if len(kept) == 0 || tests[round] < len(kept) {
			continue
		}
		c.RoundsIn = append(c.RoundsIn, round)
		c.LogRatios = append(c.LogRatios, sums[round]/float64(len(kept)))
	}
	return c
}

// judgeRounds fills in what a family of comparisons within rounds says.
func judgeRounds(family []Comparison) {
	members := make([]member, 0, len(family))
	for i := range family {
		c := &family[i]
		c.Rounds = len(c.LogRatios)
		m := member{row: &c.ComparisonRow}
		if c.Rounds > 0 {
			m.estimate = estimateMean(c.LogRatios)
		}
		members = append(members, m)
	}
	judge(members)
	for i := range family {
		if family[i].PValue != nil {
			family[i].Uncorrected = &members[i].p
		}
	}
}

// A member of a family: the row to fill in, with its Rounds, and what they say.
type member struct {
	row *result.ComparisonRow
	estimate
}

// judge fills in what a family of comparisons says, corrected for their number.
// A stand-in is not the service, and what other tools reported was not measured in shuffled rounds: the
// ratio is given and nothing is concluded.
func judge(family []member) {
	var ps []float64
	var judged []member
	for _, m := range family {
		m.row.Verdict = result.TooFewRounds
		if m.row.Rounds == 0 {
			continue
		}
		m.row.Ratio = ratio(m.mean)
		if m.row.Rounds < minRounds {
			continue
		}
		if slices.Contains(m.row.Flags, result.FlagStandIn) || slices.Contains(m.row.Flags, result.FlagImported) {
			m.row.Verdict = ""
			continue
		}
		m.row.RatioLow, m.row.RatioHigh = ratio(m.low), ratio(m.high)
		ps, judged = append(ps, m.p), append(judged, m)
	}
	corrected := holm(ps)
	detectable := detectableCache{}
	for i, m := range judged {
		m.row.PValue = &corrected[i]
		// A loss of x is a logarithm of ln(1-x).
		smallest := -math.Expm1(-detectable.errors(m.freedom, len(judged)) * m.standardError)
		m.row.SmallestDetectable = &smallest
		switch {
		case corrected[i] >= alpha:
			m.row.Verdict = result.NoDifference
		case m.mean < 0:
			m.row.Verdict = result.Slower
		default:
			m.row.Verdict = result.Faster
		}
	}
}

// ratio is exp of a logarithm, or nil where that is no number to print.
func ratio(log float64) *float64 {
	x := math.Exp(log)
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// flags of a comparison: those of both variants' samples, and what differs
// between them.
func (t *table) flags(a, b string, ca, cb *cell) []string {
	return union(slices.Concat(ca.flags, cb.flags, t.differs(a, b, ca, cb)))
}

// otherEngines says whether a's samples are of other engines than b's; of no samples it is not known.
func otherEngines(a, b *cell) bool {
	return len(a.engines) > 0 && len(b.engines) > 0 && !slices.Equal(a.engines, b.engines)
}

// differs has the flags that a comparison has by itself, whatever its samples are.
func (t *table) differs(a, b string, ca, cb *cell) []string {
	var out []string
	if otherEngines(ca, cb) {
		out = append(out, result.FlagEngines)
	}
	if versionsDiffer(serverFacts(t.run, a), serverFacts(t.run, b)) {
		out = append(out, result.FlagVersions)
	}
	if filesystemsDiffer(serverFacts(t.run, a), serverFacts(t.run, b)) {
		out = append(out, result.FlagFilesystems)
	}
	if t.placement(a) == plan.StandIn || t.placement(b) == plan.StandIn {
		out = append(out, result.FlagStandIn)
	}
	return out
}
