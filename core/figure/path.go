package figure

import (
	"slices"

	"berth/core/stats"
	"berth/core/text"
)

func hasPath(v *view) bool { return len(v.pathShares()) > 0 }

// pathShares are stats' shares of the tests and settings that are shown.
func (v *view) pathShares() []stats.PathShare {
	return slices.DeleteFunc(stats.PathShares(v.run), func(p stats.PathShare) bool {
		shown := slices.ContainsFunc(v.variants, func(w variant) bool { return w.label == p.NAT })
		whole := p.Test == "" && len(v.options.Tests) == 0 && len(v.options.PayloadBytes) == 0
		one := slices.Contains(v.tests, p.Test) && slices.Contains(v.settings, settingOf(p.Cell))
		return !shown || !whole && !one || !finite(p.Share)
	})
}

// path shows what part of a published port's cost is the docker-proxy process,
// in full colour, and what is the bridge, pale.
func path(v *view) content {
	shares := v.pathShares()
	chart := v.chart("figure.percent")
	chart.series = nil
	facets := map[string]*facet{}
	var order []string
	for i, w := range v.variants {
		mine := slices.DeleteFunc(slices.Clone(shares), func(p stats.PathShare) bool { return p.NAT != w.label })
		if len(mine) == 0 {
			continue
		}
		chart.series = []series{v.series()[i]}
		for _, p := range mine {
			title, name := v.settingName(settingOf(p.Cell)), p.Test
			if p.Test == "" {
				title, name = "", v.text.T("figure.all-tests")
			}
			if facets[title] == nil {
				facets[title] = &facet{title: title}
				order = append(order, title)
			}
			facets[title].groups = append(facets[title].groups, group{name: name, cells: []cell{v.shareCell(p)}})
		}
		break // a second variant with a published port has the same path
	}
	for _, title := range order {
		chart.facets = append(chart.facets, *facets[title])
	}
	hundred := 100.0
	chart.rule = &hundred
	first := shares[0]
	c := v.content(v.text.T("figure.title.path", text.Args{"Name": v.name(first.NAT)}), "figure.rounds-shown", chart, v.marks(),
		v.text.T("figure.path-method", text.Args{"Native": v.name(first.Native), "Direct": v.name(first.Direct)}))
	switch {
	case first.Test == "" && first.Apart():
		c.title = v.titled(v.text.T("figure.title.path-share", text.Args{"Name": v.name(first.NAT), "Percent": percent(first.Within())}))
	case !slices.ContainsFunc(shares, stats.PathShare.Apart):
		c.title = v.titled(v.text.T("figure.title.path-unknown", text.Args{"Name": v.name(first.NAT)}))
	}
	c.legend = chart.series
	for i := range c.legend {
		c.legend[i].index = 0 // full and pale tell the parts apart here
	}
	return c
}

// shareCell is a stacked bar of the two parts, with the interval of the first; without a bar where
// they cannot be told apart.
func (v *view) shareCell(p stats.PathShare) cell {
	low, high := p.Bounds()
	low, high = 100*low, 100*high
	if !p.Apart() {
		said := v.text.T("figure.not-apart")
		if !finite(p.Low) || !finite(p.High) {
			return cell{state: unknown, labels: []string{said}}
		}
		estimate := text.Args{"Value": grouped(100*p.Share, 0), "Low": grouped(100*p.Low, 0), "High": grouped(100*p.High, 0)}
		return cell{state: unknown, labels: []string{v.text.T("figure.not-apart-estimate", estimate), said}}
	}
	written := percent(p.Within())
	return cell{state: measured, value: 100, parts: []float64{100 * p.Within(), 100 - 100*p.Within()}, low: &low, high: &high,
		labels: []string{written + " (" + percentRange(low, high) + ")", written}}
}
