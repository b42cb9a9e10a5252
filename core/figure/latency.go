package figure

import (
	"strings"

	"berth/core/result"
)

func hasLatency(v *view) bool {
	for _, row := range v.rows {
		if known(row.P99) != nil {
			return true
		}
	}
	return false
}

// latency shows the percentiles by test, a facet a percentile.
func latency(v *view) content {
	m := v.marks()
	chart := v.chart("figure.milliseconds")
	for _, s := range v.settings {
		for _, p := range []struct {
			name string
			of   func(result.SummaryRow) *float64
		}{
			{"p50", func(row result.SummaryRow) *float64 { return row.P50 }},
			{"p95", func(row result.SummaryRow) *float64 { return row.P95 }},
			{"p99", func(row result.SummaryRow) *float64 { return row.P99 }},
			{"p99.9", func(row result.SummaryRow) *float64 { return v.p999(row) }},
		} {
			title := p.name
			if setting := v.settingName(s); setting != "" {
				title = strings.Join([]string{p.name, setting}, " · ")
			}
			some := false
			f := v.facet(title, s, m, func(row result.SummaryRow) cell {
				value := known(p.of(row))
				some = some || value != nil
				return valueCell(value, nil, nil, nil)
			})
			if some {
				chart.facets = append(chart.facets, f)
			}
		}
	}
	return v.content(v.tailFinding("figure.title.latency"), v.ofService("figure.together"), chart, m, v.latencyMethod(""))
}

// p999 is the 99.9th percentile in milliseconds of a row's samples together:
// a summary's row has none.
func (v *view) p999(row result.SummaryRow) *float64 {
	h := v.merged(row)
	if h == nil {
		return nil
	}
	ms := float64(h.ValueAtPercentile(99.9)) / 1000
	return &ms
}
