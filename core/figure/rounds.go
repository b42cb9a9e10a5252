package figure

import (
	"cmp"
	"slices"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// hasSamples asks for a second round: single dots would only repeat the bars.
func hasSamples(v *view) bool {
	return hasRows(v) && v.rounds() > 1 && slices.ContainsFunc(v.run.Samples, func(s result.Sample) bool { return s.RPS() > 0 })
}

// samples of one cell, but those that were cut short or refused.
func (v *view) samples(row result.SummaryRow) []*result.Sample {
	var out []*result.Sample
	for i := range v.run.Samples {
		s := &v.run.Samples[i]
		if s.Variant == row.Variant && s.Workload.Cell() == row.Cell && !slices.Contains(s.Flags, result.FlagCut) && !stats.Refused(s) {
			out = append(out, s)
		}
	}
	return out
}

// rounds shows every sample as a dot, so that spread is seen and not only
// summarised.
func rounds(v *view) content {
	far := stats.Outliers(v.run)
	rings := false
	c := v.bars(cmp.Or(v.everyRound(), v.found("figure.title.rounds")), v.ofService("figure.requests-per-second"), "figure.rounds-shown", func(row result.SummaryRow) cell {
		c := valueCell(row.RPS, nil, nil, nil)
		if c.state != measured {
			return c
		}
		for _, s := range v.samples(row) {
			rps := s.RPS()
			if !finite(rps) {
				continue
			}
			c.dots = append(c.dots, rps)
			if slices.Contains(far, s) {
				c.outliers, rings = append(c.outliers, rps), true
			}
		}
		if len(c.dots) == 0 {
			return cell{state: missing}
		}
		if *row.RPS > 0 {
			spread := (slices.Max(c.dots) - slices.Min(c.dots)) / *row.RPS
			c.labels = append([]string{v.text.T("figure.spread", text.Args{"Median": c.labels[0], "Percent": percent(spread)})}, c.labels...)
		}
		return c
	}, v.text.T("figure.rounds-method"))
	if rings {
		c.subtitle += v.text.T("figure.semicolon") + v.text.T("figure.rings")
	}
	return c
}
