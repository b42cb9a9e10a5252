package figure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"berth/core/result"
	"berth/core/text"
)

func hasRows(v *view) bool { return len(v.rows) > 0 }

// throughput shows requests a second (or the p99 latency) by test, grouped by
// variant.
func throughput(v *view) content {
	if v.options.Metric == MetricP99 {
		return v.bars(v.text.T("figure.title.p99"), "figure.milliseconds", v.ofService("figure.together"), func(row result.SummaryRow, m *Marks) cell {
			return valueCell(row.P99, nil, nil, nil, m.Of(row.Flags))
		}, v.latencyMethod(""))
	}
	interval, shares := false, false
	c := v.bars(v.text.T("figure.title.throughput"), v.ofService("figure.requests-per-second"), "figure.median-of", func(row result.SummaryRow, m *Marks) cell {
		ratio := row.Ratio
		if row.Variant == v.reference {
			ratio = nil // a hundred per cent of itself says nothing
		}
		shares = shares || known(ratio) != nil
		interval = interval || known(row.RPSLow) != nil && known(row.RPSHigh) != nil
		return valueCell(row.RPS, row.RPSLow, row.RPSHigh, ratio, m.Of(row.Flags))
	}, "")
	// The first figure of a run says what was found, or what the user says.
	if title := cmp.Or(v.ownTitle(), v.finding()); title != "" {
		c.title = title
	}
	parts := []string{c.subtitle}
	if i := slices.IndexFunc(v.variants, func(w variant) bool { return w.label == v.reference }); i >= 0 && shares {
		c.legend[i].name += " (100%)"
		parts = append(parts, v.text.T("figure.percent-of", text.Args{"Name": v.name(v.reference)}))
	}
	switch {
	case interval:
		parts = append(parts, v.text.T("figure.whiskers-median"))
	case v.rounds() > 1:
		parts = append(parts, v.text.T("figure.no-interval"))
	}
	c.subtitle = strings.Join(parts, v.text.T("figure.semicolon"))
	return c
}

// finding is the largest difference that has a verdict, as a sentence; "" where there
// is none to tell of what is shown.
func (v *view) finding() string {
	var best *result.ComparisonRow
	none := 0
	rows := v.shownComparisons()
	for i, row := range rows {
		switch {
		case row.Verdict == result.NoDifference:
			none++
		case row.Verdict != result.Slower && row.Verdict != result.Faster, known(row.Ratio) == nil, *row.Ratio <= 0:
		case best == nil || math.Abs(math.Log(*row.Ratio)) > math.Abs(math.Log(*best.Ratio)):
			best = &rows[i]
		}
	}
	if best == nil {
		if none == 0 || none < len(rows) {
			return ""
		}
		return v.text.T("figure.title.none", text.Args{"B": v.name(v.reference)})
	}
	id, change := "figure.title.slower", 1-*best.Ratio
	if best.Verdict == result.Faster {
		id, change = "figure.title.faster", *best.Ratio-1
	}
	if best.Test != "" {
		id += "-test"
	}
	return v.text.T(id, text.Args{"A": v.name(best.A), "B": v.name(best.B), "Percent": percent(change), "Test": best.Test, "MySQL": v.mysql()})
}

// shownComparisons are the comparisons that speak of exactly what is shown: the first
// family when all is shown, a single test's when that is all there is.
func (v *view) shownComparisons() []result.ComparisonRow {
	all := len(v.options.Tests) == 0 && len(v.options.PayloadBytes) == 0
	one := len(v.tests) == 1 && len(v.settings) == 1
	var out []result.ComparisonRow
	for _, row := range v.comparisons {
		shown := slices.ContainsFunc(v.variants, func(w variant) bool { return w.label == row.A })
		switch {
		case !shown:
		case one && row.Test == v.tests[0] && settingOf(row.Cell) == v.settings[0],
			!one && all && row.Test == "":
			out = append(out, row)
		}
	}
	return out
}
