package report

import (
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// Kinds of findings between runs, beside those within one.
const (
	KindRunsNone    = "report.runs-none"    // no difference detectable
	KindRunsNothing = "report.runs-nothing" // no mode and test that two runs share
)

// RunFindings says what comparing later runs with the first shows: why the comparison may
// not hold, then differences by size, then what was not found. Variants are named as
// stats.RunLabel does, by the user's name where a run has one.
func RunFindings(runs []*result.Run) []Finding {
	f := &finder{run: stats.Together(runs), comparisons: stats.CompareRuns(runs), warnings: stats.RunWarnings(runs)}
	var shown []result.SummaryRow
	for _, c := range f.comparisons {
		if c.Test != "" {
			shown = append(shown, result.SummaryRow{Service: f.service(c.A), Cell: c.Cell})
		}
	}
	f.names = namesOf(shown)
	var out []Finding
	for _, w := range f.warnings {
		out = append(out, f.reliability(w.Kind)...)
	}
	compared := f.overall()
	for _, c := range compared {
		if c.Verdict == result.Slower || c.Verdict == result.Faster {
			out = append(out, f.difference(c)...)
			continue
		}
		for _, x := range f.undecided(c) {
			if x.Kind == KindNone {
				x.Kind = KindRunsNone
			}
			out = append(out, x)
		}
	}
	if len(compared) == 0 {
		out = append(out, f.finding(KindRunsNothing, text.Args{}))
	}
	return out
}
