package figure

import (
	"slices"

	"berth/core/result"
	"berth/core/text"
)

func hasRatios(v *view) bool {
	for _, row := range v.rows {
		if row.Variant != v.reference && known(row.Ratio) != nil {
			return true
		}
	}
	return false
}

// relative shows each variant's throughput as a share of the reference's, with
// the interval of the ratio and a rule at a hundred per cent.
func relative(v *view) content {
	others := *v
	others.variants = slices.DeleteFunc(slices.Clone(v.variants), func(w variant) bool { return w.label == v.reference })
	interval := false
	c := others.bars(v.found("figure.title.relative", text.Args{"Name": v.name(v.reference)}), "figure.percent", "figure.ratio-of", func(row result.SummaryRow) cell {
		switch {
		case known(row.RPS) == nil:
			return cell{state: missing}
		case known(row.Ratio) == nil || *row.Ratio < 0:
			return cell{state: unknown, labels: []string{v.text.T("figure.no-ratio", text.Args{"Name": v.name(v.reference)})}}
		}
		out := cell{state: measured, value: 100 * *row.Ratio, labels: []string{percent(*row.Ratio)}}
		if low, high := known(row.RatioLow), known(row.RatioHigh); low != nil && high != nil && *low >= 0 {
			interval = true
			lowest, highest := 100**low, 100**high
			out.low, out.high = &lowest, &highest
			out.labels = []string{percent(*row.Ratio) + " (" + percentRange(lowest, highest) + ")", out.labels[0]}
		}
		return out
	}, v.text.T("figure.relative-method", text.Args{"Name": v.name(v.reference)}))
	hundred := 100.0
	c.body.(*barChart).rule = &hundred
	id := "figure.no-ratio-interval"
	if interval {
		id = "figure.whiskers-ratio"
	}
	c.subtitle += v.text.T("figure.semicolon") + v.text.T(id)
	return c
}
