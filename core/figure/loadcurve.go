package figure

import (
	"slices"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/result"
)

// loadSweeps are the sweeps that make a load heavier, the one that says more first:
// what a rate costs in latency, and what more clients do.
func loadSweeps() []sweep {
	all := slices.DeleteFunc(slices.Clone(sweeps), func(w sweep) bool { return !w.heavier })
	slices.Reverse(all)
	return all
}

// loadSweep is the sweep that v has the data of; ok is false if it has none.
func loadSweep(v *view) (w sweep, ok bool) {
	for _, w := range loadSweeps() {
		for _, base := range w.bases(v) {
			for _, test := range v.tests {
				if slices.ContainsFunc(v.variants, func(one variant) bool { return len(w.loadLine(v, one, test, base, p99).points) > 0 }) {
					return w, true
				}
			}
		}
	}
	return sweep{}, false
}

func p50(row result.SummaryRow) *float64 { return row.P50 }
func p99(row result.SummaryRow) *float64 { return row.P99 }

func hasLoadCurve(v *view) bool {
	_, ok := loadSweep(v)
	return ok
}

// loadCurve shows latency over the throughput that was reached, a point for each load
// and a line for each variant: where a line turns up, more load buys no more throughput.
// A panel a test and percentile.
func loadCurve(v *view) content {
	w, _ := loadSweep(v)
	v = w.loads(v)
	chart := &lineChart{
		series: v.series(), ownX: true, beside: 2,
		x: axis{unit: v.text.T(v.ofService("figure.requests-per-second")), fromZero: true, room: 0.04, ticks: plainTicks, write: rateText},
		y: axis{unit: v.text.T("figure.milliseconds-log"), log: true, ticks: logTicks, write: func(t float64) string { return tickText(t, false) }},
	}
	bases := w.bases(v)
	for _, base := range bases {
		for _, test := range v.tests {
			for _, p := range []struct {
				name string
				of   func(result.SummaryRow) *float64
			}{
				{"p50", p50}, {"p99", p99},
			} {
				at := panel{title: p.name + " · " + test}
				if other := v.otherText(w, base); len(bases) > 1 && other != "" {
					at.title += " · " + other
				}
				for i, variant := range v.variants {
					if cv := w.loadLine(v, variant, test, base, p.of); len(cv.points) > 0 {
						cv.series = i
						at.curves = append(at.curves, cv)
					}
				}
				if len(at.curves) > 0 {
					chart.panels = append(chart.panels, at)
				}
			}
		}
	}
	method := v.latencyMethod(v.text.T(w.pointsID))
	if w.name == sweepRate && slices.ContainsFunc(v.settings, func(s setting) bool { return s.rate == 0 }) {
		method += v.text.T("figure.semicolon") + v.text.T("figure.points-unpaced")
	}
	return v.lineContent(v.found("figure.title.load-curve"), v.ofService("figure.together"), chart, method)
}

// loads is v with no other settings than loadCurve's points are of: what is swept, and of rates the
// load as fast as it goes.
func (w sweep) loads(v *view) *view {
	out := w.only(v)
	swept := out.settings
	out.settings = slices.DeleteFunc(slices.Clone(v.settings), func(s setting) bool {
		if slices.Contains(swept, s) {
			return false
		}
		return w.name != sweepRate || s.rate != 0 || !slices.ContainsFunc(swept, func(o setting) bool { return w.without(o) == s })
	})
	return out
}

// loadLine is one variant's line through the loads of a sweep, from the lightest on, each
// point with the load behind it.
func (w sweep) loadLine(v *view, variant variant, test string, base setting, latency func(result.SummaryRow) *float64) curve {
	cv := curve{dots: true}
	var points []point
	for _, row := range w.rows(v, variant, test, base) {
		rps, ms := known(row.RPS), known(latency(row))
		if rps == nil || *rps <= 0 || ms == nil || *ms <= 0 {
			continue
		}
		points = append(points, point{*rps, *ms})
		cv.names = append(cv.names, rateText(float64(w.get(settingOf(row.Cell)))))
	}
	if len(points) > 0 {
		cv.points = [][]point{points}
	}
	// What runs as fast as it goes sends when an answer comes: its latency is of another kind,
	// so that no line leads there.
	unpaced := base
	unpaced.rate = 0
	row, ok := v.row(variant, test, unpaced)
	if w.name != sweepRate || !ok || !slices.Contains(v.settings, unpaced) {
		return cv
	}
	if rps, ms := known(row.RPS), known(latency(row)); rps != nil && *rps > 0 && ms != nil && *ms > 0 {
		cv.points = append(cv.points, []point{{*rps, *ms}})
		cv.names = append(cv.names, v.text.T("figure.max"))
	}
	return cv
}

// latencyMethod is method, and where a rate was set, that waiting for the server's turn counts.
func (v *view) latencyMethod(method string) string {
	if !slices.ContainsFunc(v.settings, func(s setting) bool { return s.rate > 0 }) {
		return method
	}
	if method != "" {
		method += v.text.T("figure.semicolon")
	}
	return method + v.text.T("figure.from-due")
}

// namePlaces are where the name of a point can be, best first, in widths and heights of
// the name from the point.
var namePlaces = []struct {
	dx, dy float64
	anchor anchor
}{
	{0, -1, middle}, {1, -0.6, left}, {-1, -0.6, right}, {1, 0.35, left}, {-1, 0.35, right}, {0, 1.7, middle}, {1, 1.4, left}, {-1, 1.4, right},
}

// pointNames writes the names of a panel's points beside them in their line's colour, where
// nothing else is. A name for which there is no room is left out; the first and last points
// of a line come first.
func (l *lineChart) pointNames(c *canvas, p panel, plot box, sx, sy scale, size float64, th theme, u float64) {
	type named struct {
		name  string
		at    point
		rank  int
		color drawing.Color
	}
	var all []named
	var dots []box
	var lines [][2]point
	radius := 4 * u
	for _, cv := range p.curves {
		if len(cv.names) == 0 {
			continue
		}
		names := cv.names
		for _, stretch := range cv.points {
			for i, pt := range stretch {
				at := point{sx.at(pt.x), sy.at(pt.y)}
				rank := 1
				if i == 0 || i == len(stretch)-1 {
					rank = 0
				}
				all = append(all, named{names[i], at, rank, seen(l.series[cv.series].color, th, 4.5)})
				dots = append(dots, box{at.x - radius, at.y - radius, 2 * radius, 2 * radius})
				if i > 0 {
					lines = append(lines, [2]point{{sx.at(stretch[i-1].x), sy.at(stretch[i-1].y)}, at})
				}
			}
			names = names[len(stretch):]
		}
	}
	slices.SortStableFunc(all, func(a, b named) int { return a.rank - b.rank })
	var taken []box
	// Names may stand above the highest line of the grid, but not at the panel's title.
	plot.y -= 0.6 * size
	plot.h += 0.6 * size
	for _, n := range all {
		width := c.fonts.width(n.name, size)
		for _, place := range namePlaces {
			b := box{n.at.x + place.dx*1.6*radius, n.at.y + place.dy*1.6*radius - capHeight*size/2, width, (capHeight + descent) * size}
			switch place.anchor {
			case middle:
				b.x -= width / 2
			case right:
				b.x -= width
			}
			if place.dy < -0.9 {
				b.y = n.at.y - 1.4*radius - b.h
			} else if place.dy > 0.9 {
				b.y = n.at.y + 1.4*radius
			}
			if b.within(plot) && !slices.ContainsFunc(slices.Concat(taken, dots), b.overlaps) &&
				!slices.ContainsFunc(lines, func(l [2]point) bool { return b.crossed(l[0], l[1]) }) {
				taken = append(taken, b)
				c.label("point", n.name, b.x, b.y+capHeight*size, size, left, n.color)
				break
			}
		}
	}
}

func (b box) within(o box) bool {
	return b.x >= o.x && b.right() <= o.right() && b.y >= o.y && b.bottom() <= o.bottom()
}

// crossed says whether the line from p to q goes through b: it clips the line to b's sides
// (Liang and Barsky, "A new concept and method for line clipping", 1984).
func (b box) crossed(p, q point) bool {
	from, to := 0.0, 1.0
	dx, dy := q.x-p.x, q.y-p.y
	for _, side := range [][2]float64{{-dx, p.x - b.x}, {dx, b.right() - p.x}, {-dy, p.y - b.y}, {dy, b.bottom() - p.y}} {
		d, room := side[0], side[1]
		switch {
		case d == 0 && room < 0:
			return false
		case d < 0:
			from = max(from, room/d)
		case d > 0:
			to = min(to, room/d)
		}
	}
	return from <= to
}
