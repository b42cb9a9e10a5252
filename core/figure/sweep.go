package figure

import (
	"slices"
)

// A sweep is a figure over one of the load's settings.
type sweep struct {
	name, titleID, unitID string
	get                   func(setting) int
	rest                  func(setting) setting // but for what is swept
}

// same says whether a and b differ in nothing but what is swept.
func (w sweep) same(a, b setting) bool { return w.rest(a) == w.rest(b) }

var sweeps = []sweep{
	{"sweep-payload", "figure.title.sweep-payload", "figure.payload-axis", func(s setting) int { return s.payloadBytes },
		func(s setting) setting { s.payloadBytes = 0; return s }},
	{"sweep-pipeline", "figure.title.sweep-pipeline", "figure.pipeline-axis", func(s setting) int { return s.pipeline },
		func(s setting) setting { s.pipeline = 0; return s }},
	{"sweep-clients", "figure.title.sweep-clients", "figure.clients-axis", func(s setting) int { return s.clients },
		func(s setting) setting { s.clients = 0; return s }},
	{"sweep-rate", "figure.title.sweep-rate", "figure.rate-axis", func(s setting) int { return s.rate },
		func(s setting) setting { s.rate = 0; return s }},
}

// leastSweep is how many values make a line that says more than two bars.
const leastSweep = 3

func (w sweep) has(v *view) bool {
	var values []int
	for _, s := range v.settings {
		if n := w.get(s); n > 0 && !slices.Contains(values, n) {
			values = append(values, n)
		}
	}
	return hasRows(v) && len(values) >= leastSweep
}

// draw shows throughput over what is swept, on a logarithmic axis because such
// settings are chosen by doubling; a panel a test, and for each of what else differs.
func (w sweep) draw(v *view) content {
	write := func(t float64) string { return tickText(t, t >= 10_000) }
	chart := &lineChart{
		series: v.series(),
		x:      axis{unit: v.text.T(w.unitID), log: true, ticks: w.ticks(v), write: write},
		y:      axis{unit: v.text.T(v.ofService("figure.requests-per-second")), ticks: plainTicks, write: write},
	}
	var bases []setting
	for _, s := range v.settings {
		if !slices.ContainsFunc(bases, func(b setting) bool { return w.same(b, s) }) {
			bases = append(bases, s)
		}
	}
	for _, base := range bases {
		for _, test := range v.tests {
			p := panel{title: test}
			if len(bases) > 1 {
				p.title = test + " · " + v.otherText(w, base)
			}
			for i, variant := range v.variants {
				if line := w.line(v, variant, test, base); len(line) > 0 {
					p.curves = append(p.curves, curve{series: i, points: [][]point{line}, dots: true})
				}
			}
			if len(p.curves) > 0 {
				chart.panels = append(chart.panels, p)
			}
		}
	}
	return v.lineContent(v.text.T(w.titleID), "figure.median-of", chart, v.text.T("figure.log-x"))
}

// line is the throughput of one variant in one test, by what is swept.
func (w sweep) line(v *view, variant variant, test string, base setting) []point {
	var out []point
	for _, s := range v.settings {
		row, ok := v.row(variant, test, s)
		if ok && w.same(base, s) && w.get(s) > 0 && known(row.RPS) != nil {
			out = append(out, point{float64(w.get(s)), *row.RPS})
		}
	}
	slices.SortFunc(out, func(a, b point) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	return out
}

// ticks are the values that were measured: nothing between them was.
func (w sweep) ticks(v *view) func(low, high float64, count int) []float64 {
	var values []float64
	for _, s := range v.settings {
		if n := float64(w.get(s)); n > 0 && !slices.Contains(values, n) {
			values = append(values, n)
		}
	}
	slices.Sort(values)
	return func(_, _ float64, _ int) []float64 { return values }
}

// otherText says what differs between panels of one test: all but what is swept.
func (v *view) otherText(w sweep, base setting) string {
	return v.settingText(base, func(get func(setting) int) bool {
		// Of settings that are the same but for the sweep, only the swept one differs.
		swept := slices.ContainsFunc(v.settings, func(s setting) bool { return w.same(s, base) && get(s) != get(base) })
		return v.varies(get) && !swept
	})
}
