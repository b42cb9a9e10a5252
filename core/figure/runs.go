package figure

import (
	"cmp"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// OfRuns is the name of the figure that Runs lays out: throughput by test, grouped by
// variant and run.
const OfRuns = "runs"

// Runs lays several runs out side by side: the throughput of every variant that a later run
// has in common with the first, with its ratio to that. Options' Reference is not used. It
// fails where the runs have nothing in common.
func Runs(runs []*result.Run, o Options) (*Figure, error) {
	kind := figureKind{OfRuns, hasRows, func(v *view) content { return v.ofRuns(runs[0]) }}
	return layOut(kind, stats.Together(runs), stats.SummarizeRuns(runs), stats.CompareRuns(runs), o)
}

func (v *view) ofRuns(first *result.Run) content {
	interval, shares := false, false
	c := v.bars(v.text.T("figure.title.throughput"), v.ofService("figure.requests-per-second"), "figure.median-of", func(row result.SummaryRow) cell {
		shares = shares || known(row.Ratio) != nil
		interval = interval || known(row.RPSLow) != nil && known(row.RPSHigh) != nil
		return valueCell(row.RPS, row.RPSLow, row.RPSHigh, row.Ratio)
	}, "")
	v.reference = first.ID // which the title names
	c.title = cmp.Or(v.finding(), c.title)
	for _, part := range []struct {
		said bool
		id   string
	}{{shares, "figure.percent-of-first"}, {interval, "figure.whiskers-median"}} {
		if part.said {
			c.subtitle += v.text.T("figure.semicolon") + v.text.T(part.id, text.Args{"Run": first.ID})
		}
	}
	return c
}
