package figure

import (
	"math"
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
	if first.Test == "" && first.Told() {
		c.title = v.titled(v.text.T("figure.title.path-share", text.Args{"Name": v.name(first.NAT), "Percent": percent(first.Within())}))
	}
	c.legend = chart.series
	for i := range c.legend {
		c.legend[i].index = 0 // full and pale tell the parts apart here
	}
	return c
}

// shareCell is a stacked bar of the two parts, with the interval of the first; no bar where the run cannot tell them apart.
func (v *view) shareCell(p stats.PathShare) cell {
	interval := ""
	if finite(p.Low) && finite(p.High) {
		interval = " (" + grouped(100*p.Low, 0) + "–" + grouped(100*p.High, 0) + ")"
	}
	if !p.Told() {
		return cell{state: missing, labels: []string{v.text.T("figure.path-untold") + interval, v.text.T("figure.path-untold")}}
	}
	share := 100 * p.Within()
	c := cell{state: measured, value: 100, parts: []float64{share, 100 - share}, labels: []string{percent(p.Within()) + interval, percent(p.Within())}}
	if interval != "" {
		low, high := 100*clamp(p.Low), 100*clamp(p.High)
		c.low, c.high = &low, &high
	}
	return c
}

// clamp is an end of an interval as far as the bar reaches.
func clamp(share float64) float64 { return math.Max(0, math.Min(1, share)) }
