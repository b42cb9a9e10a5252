package figure

import (
	"cmp"
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
		return v.bars(v.tailFinding("figure.title.p99"), "figure.milliseconds", v.ofService("figure.together"), func(row result.SummaryRow) cell {
			return valueCell(row.P99, nil, nil, nil)
		}, v.latencyMethod(""))
	}
	interval, shares := false, false
	c := v.bars(v.text.T("figure.title.throughput"), v.ofService("figure.requests-per-second"), "figure.median-of", func(row result.SummaryRow) cell {
		ratio := row.Ratio
		if row.Variant == v.reference {
			ratio = nil // a hundred per cent of itself says nothing
		}
		shares = shares || known(ratio) != nil
		interval = interval || known(row.RPSLow) != nil && known(row.RPSHigh) != nil
		return valueCell(row.RPS, row.RPSLow, row.RPSHigh, ratio)
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
	c.subtitle = strings.Join(append(parts, v.whiskers(interval)...), v.text.T("figure.semicolon"))
	return c
}

// whiskers says what the whiskers of medians are, or why there are none.
func (v *view) whiskers(interval bool) []string {
	switch {
	case interval:
		return []string{v.text.T("figure.whiskers-median")}
	case v.rounds() > 1:
		return []string{v.text.T("figure.no-interval")}
	}
	return nil
}
