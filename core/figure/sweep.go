package figure

import (
	"cmp"
	"slices"

	"berth/core/result"
)

// A sweep is a figure over one of the load's settings.
type sweep struct {
	name, titleID, unitID string
	get                   func(setting) int
	without               func(setting) setting // the setting with what is swept left out
	heavier               bool                  // more of it is more load, so that latency can be drawn over throughput
	pointsID              string                // what the points of such a drawing are
}

var sweeps = []sweep{
	{name: "sweep-payload", titleID: "figure.title.sweep-payload", unitID: "figure.payload-axis",
		get: func(s setting) int { return s.payloadBytes }, without: func(s setting) setting { s.payloadBytes = 0; return s }},
	{name: "sweep-pipeline", titleID: "figure.title.sweep-pipeline", unitID: "figure.pipeline-axis",
		get: func(s setting) int { return s.pipeline }, without: func(s setting) setting { s.pipeline = 0; return s }},
	{name: "sweep-clients", titleID: "figure.title.sweep-clients", unitID: "figure.clients-axis", heavier: true, pointsID: "figure.points-clients",
		get: func(s setting) int { return s.clients }, without: func(s setting) setting { s.clients = 0; return s }},
	{name: sweepRate, titleID: "figure.title.sweep-rate", unitID: "figure.rate-axis", heavier: true, pointsID: "figure.points-rate",
		get: func(s setting) int { return s.rate }, without: func(s setting) setting { s.rate = 0; return s }},
}

const sweepRate = "sweep-rate"

// leastSweep is how many values make a line that says more than two bars.
const leastSweep = 3

func (w sweep) has(v *view) bool {
	return hasRows(v) && len(w.bases(v)) > 0
}

// bases are the settings that differ in more than what is swept, each with as many values of
// it as make a line.
func (w sweep) bases(v *view) []setting {
	values := map[setting][]int{}
	var order []setting
	for _, s := range v.settings {
		base := w.without(s)
		if n := w.get(s); n > 0 && !slices.Contains(values[base], n) {
			if values[base] == nil {
				order = append(order, s)
			}
			values[base] = append(values[base], n)
		}
	}
	return slices.DeleteFunc(order, func(s setting) bool { return len(values[w.without(s)]) < leastSweep })
}

// only is v without the settings that were not swept: of these the figure says nothing, nor its
// subtitle and footer.
func (w sweep) only(v *view) *view {
	only := *v
	swept := w.bases(v)
	only.settings = slices.DeleteFunc(slices.Clone(v.settings), func(s setting) bool {
		return w.get(s) == 0 || !slices.ContainsFunc(swept, func(b setting) bool { return w.without(b) == w.without(s) })
	})
	return &only
}

// draw shows throughput over what is swept; a panel a test, and for each of what else
// differs. The axis is logarithmic because such settings are chosen by doubling, but for
// rates: over these, a server that keeps up goes along the diagonal.
func (w sweep) draw(v *view) content {
	v = w.only(v)
	chart := &lineChart{
		series: v.series(),
		x:      axis{unit: v.text.T(w.unitID), log: true, ticks: w.ticks(v), write: func(t float64) string { return tickText(t, false) }},
		y:      axis{unit: v.text.T(v.ofService("figure.requests-per-second")), ticks: plainTicks, write: rateText},
	}
	method := "figure.log-x"
	if w.name == sweepRate {
		chart.diagonal, chart.x.log, chart.x.fromZero, chart.x.room, chart.x.write = true, false, true, 0.04, rateText
		method = "figure.diagonal"
	}
	bases := w.bases(v)
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
	return v.lineContent(cmp.Or(w.finding(v), v.text.T(w.titleID)), "figure.median-of", chart, v.text.T(method))
}

// rateText writes requests a second on an axis: 5k beside 10k.
func rateText(t float64) string { return tickText(t, t >= 1000) }

// rows of one variant in one test, by what is swept.
func (w sweep) rows(v *view, variant variant, test string, base setting) []result.SummaryRow {
	var out []result.SummaryRow
	for _, s := range v.settings {
		if row, ok := v.row(variant, test, s); ok && w.without(base) == w.without(s) && w.get(s) > 0 {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b result.SummaryRow) int {
		return cmp.Compare(w.get(settingOf(a.Cell)), w.get(settingOf(b.Cell)))
	})
	return out
}

// line is the throughput of one variant in one test, by what is swept.
func (w sweep) line(v *view, variant variant, test string, base setting) []point {
	var out []point
	for _, row := range w.rows(v, variant, test, base) {
		if known(row.RPS) != nil && *row.RPS >= 0 {
			out = append(out, point{float64(w.get(settingOf(row.Cell))), *row.RPS})
		}
	}
	return out
}

// ticks are the values that were measured: nothing between them was.
func (w sweep) ticks(v *view) func(low, high float64, count int) []float64 {
	var values []float64
	bases := w.bases(v)
	for _, s := range v.settings {
		swept := slices.ContainsFunc(bases, func(b setting) bool { return w.without(b) == w.without(s) })
		if n := float64(w.get(s)); swept && n > 0 && !slices.Contains(values, n) {
			values = append(values, n)
		}
	}
	slices.Sort(values)
	return func(_, _ float64, _ int) []float64 { return values }
}

// otherText says what differs between panels of one test: all but what is swept.
func (v *view) otherText(w sweep, base setting) string {
	// Of settings that are the same but for the sweep, only the swept one differs.
	swept := func(get func(setting) int) bool {
		return slices.ContainsFunc(v.settings, func(s setting) bool { return w.without(s) == w.without(base) && get(s) != get(base) })
	}
	return v.settingText(base, v.varies(v.loadIndex), func(get func(setting) int) bool { return v.varies(get) && v.variesIn(base.load, get) && !swept(get) })
}
