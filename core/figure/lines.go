package figure

import (
	"math"
	"slices"
	"strings"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/text"
)

// A lineChart is panels, one a test, of lines over a common kind of axis.
type lineChart struct {
	series []series
	panels []panel
	x, y   axis
	rules  []rule // across every panel, at values of x
	// diagonal draws the line on which y is x.
	diagonal bool
	ownX     bool // each panel has its own range of x; else one for all
	beside   int  // so many panels belong together and stand side by side; 0 is 1

	columns     int // as planned
	panelHeight float64
	titleHeight float64 // of a panel's title, with as many lines as the longest needs
}

// An axis says how values become positions, and how they are written.
type axis struct {
	unit     string
	log      bool
	fromZero bool
	room     float64 // kept free beyond the highest value, as a share of the axis
	ticks    func(low, high float64, count int) []float64
	write    func(float64) string
}

type panel struct {
	title  string
	curves []curve
}

// A curve is one line, or with stretches apart several, in a series' colour.
type curve struct {
	series int
	points [][]point // in units of the data
	dots   bool      // each point is marked
	names  []string  // of the points in their order, written beside them
}

// A rule is a line across a panel at a value of x.
type rule struct {
	at   float64
	name string
}

// Proportions of a lineChart, in units.
const (
	panelTitle     = 22 // with one line
	titlePitch     = 18 // for each further one
	mostTitleLines = 3
	panelFoot      = 38
	panelGap       = 14
	leastPlot      = 50 // of a panel's plot, either way
	wishedPlot     = 150
	panelTextSize  = 11.5
	panelTitleSize = 14
)

func (l *lineChart) height(f *fonts, width, u float64) float64 {
	most := max(1, int(width/(360*u)))
	if l.beside > 1 {
		most = max(l.beside, most-most%l.beside)
	}
	rows := max(1, (len(l.panels)+most-1)/most)
	plot := wishedPlot * u
	switch {
	case rows == 1:
		plot = 320 * u
	case l.beside > 1:
		plot = 240 * u
	}
	columns := float64((len(l.panels) + rows - 1) / rows)
	title, _ := l.titles(f, (width-panelGutter*u*(columns-1))/columns, u)
	return float64(rows)*(plot+title+panelFoot*u) + float64(rows-1)*panelGap*u
}

// titles is the height that panels of a width need for their titles; cut says that one does not fit
// even so.
func (l *lineChart) titles(f *fonts, width, u float64) (height float64, cut bool) {
	lines := 1
	for _, p := range l.panels {
		title := l.title(f, p, width, u)
		lines = max(lines, len(title))
		cut = cut || strings.HasSuffix(title[len(title)-1], "…")
	}
	return (panelTitle + float64(lines-1)*titlePitch) * u, cut
}

// title is a panel's title in lines that leave the unit its room.
func (l *lineChart) title(f *fonts, p panel, width, u float64) []string {
	room := max(width-8*u-f.width(l.y.unit, max(leastLabel, panelTextSize*u)), width/3)
	title := p.title
	if f.width(title, panelTitleSize*u) > room {
		title = l.shortTitle(title)
	}
	lines := f.wrap(title, panelTitleSize*u, room, mostTitleLines)
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// plan chooses the number of columns whose panels come closest to a picture's
// usual shape.
func (l *lineChart) plan(f *fonts, width, height, u float64) ([]string, error) {
	best := math.Inf(1)
	for columns := 1; columns <= len(l.panels); columns++ {
		rows := float64((len(l.panels) + columns - 1) / columns)
		each := (width - panelGutter*u*float64(columns-1)) / float64(columns)
		title, cut := l.titles(f, each, u)
		w := each - 60*u
		h := (height-panelGap*u*(rows-1))/rows - title - panelFoot*u
		if w < leastPlot*u || h < leastPlot*u {
			continue
		}
		if columns > 1 && columns%max(1, l.beside) != 0 {
			continue
		}
		empty := columns*int(rows) - len(l.panels)
		off := math.Abs(math.Log(w/h/1.9)) + 0.5*float64(empty)/rows
		if cut { // titles may come out alike
			off++
		}
		if off < best {
			best, l.columns, l.panelHeight, l.titleHeight = off, columns, h+title+panelFoot*u, title
		}
	}
	if math.IsInf(best, 1) {
		return nil, text.Err("figure.too-small-panels", text.Args{"Panels": len(l.panels)}, nil)
	}
	return nil, nil
}

func (l *lineChart) draw(c *canvas, area box, th theme, u float64) {
	width := (area.w - panelGutter*u*float64(l.columns-1)) / float64(l.columns)
	for i, p := range l.panels {
		x := area.x + float64(i%l.columns)*(width+panelGutter*u)
		y := area.y + float64(i/l.columns)*(l.panelHeight+panelGap*u)
		l.panel(c, p, box{x, y, width, l.panelHeight}, th, u)
	}
}

// A scale turns values of one axis into pixels.
type scale struct {
	low, high float64 // values
	from, to  float64 // pixels
	log       bool
}

func (s scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high == low {
		return s.from
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

func (l *lineChart) panel(c *canvas, p panel, area box, th theme, u float64) {
	size := max(leastLabel, panelTextSize*u)
	baseline := area.y + panelTitleSize*u
	used := 0.0
	for i, line := range l.title(c.fonts, p, area.w, u) {
		if i > 0 {
			baseline += titlePitch * u
		}
		c.label("panel", line, area.x, baseline, panelTitleSize*u, left, th.ink)
		used = c.fonts.width(line, panelTitleSize*u) + 8*u
	}
	c.label("unit", c.fonts.ellipsis(l.y.unit, size, area.w-used), area.x+used, baseline, size, left, th.muted)

	xLow, xHigh, yLow, yHigh := l.extent(p)
	top, bottom := area.y+l.titleHeight+0.5*size, area.bottom()-panelFoot*u
	ySteps := l.y.ticks(yLow, yHigh, max(2, int((bottom-top)/(2.1*size))))
	wide := 0.0
	for _, t := range ySteps {
		wide = max(wide, c.fonts.width(l.y.write(t), size))
	}
	plot := box{area.x + wide + 7*u, top, area.w - wide - 7*u - 0.9*size, bottom - top}
	sx := scale{xLow, xHigh, plot.x, plot.right(), l.x.log}
	sy := scale{yLow, yHigh, plot.bottom(), plot.y, l.y.log}
	for _, t := range ySteps {
		y := sy.at(t)
		c.rect("grid", box{plot.x, y - 0.5*u, plot.w, max(1, u)}, th.grid)
		c.label("tick", l.y.write(t), plot.x-5*u, y+capHeight*size/2, size, right, th.muted)
	}
	l.xAxis(c, area, plot, sx, size, th, u)
	l.drawRules(c, plot, sx, size, th, u)
	c.rect("axis", box{plot.x, plot.bottom() - 0.5*u, plot.w, max(1, u)}, th.axis)
	if end := min(xHigh, yHigh); l.diagonal && !l.x.log && !l.y.log {
		c.add(mark{kind: lineMark, role: "diagonal", stroke: 1.4 * u, color: th.axis, dash: []float64{5 * u, 4 * u},
			points: []point{{sx.at(0), sy.at(0)}, {sx.at(end), sy.at(end)}}})
	}
	for _, cv := range p.curves {
		l.curve(c, cv, sx, sy, th, u)
	}
	l.pointNames(c, p, plot, sx, sy, size, th, u)
}

// shortTitle is title without what redis-benchmark puts in parentheses behind a test's
// name, where no other panel is called so.
func (l *lineChart) shortTitle(title string) string {
	before, rest, found := strings.Cut(title, " (")
	_, after, closed := strings.Cut(rest, ")")
	brief := before + after
	if !found || !closed || slices.ContainsFunc(l.panels, func(p panel) bool { return p.title == brief }) {
		return title
	}
	return brief
}

func (l *lineChart) xAxis(c *canvas, area, plot box, sx scale, size float64, th theme, u float64) {
	widest := max(c.fonts.width(l.x.write(sx.high), size), c.fonts.width(l.x.write(sx.low), size))
	baseline := plot.bottom() + 5*u + size
	end := math.Inf(-1)
	for _, t := range l.x.ticks(sx.low, sx.high, max(2, int(plot.w/(widest+14*u)))) {
		if t < sx.low || t > sx.high {
			continue // planned, and never measured
		}
		s := l.x.write(t)
		w := c.fonts.width(s, size)
		// Labels stay inside the panel, and apart from each other.
		at := min(max(sx.at(t), plot.x+w/2-2*u), plot.right()+0.8*size-w/2)
		c.rect("grid", box{sx.at(t) - 0.5*u, plot.bottom(), max(1, u), 3 * u}, th.axis)
		if at-w/2 < end+5*u {
			continue
		}
		c.label("tick", s, at, baseline, size, middle, th.muted)
		end = at + w/2
	}
	unit := c.fonts.ellipsis(l.x.unit, size, area.w)
	half := c.fonts.width(unit, size) / 2
	c.label("unit", unit, min(max(plot.x+plot.w/2, area.x+half), area.right()-half), baseline+1.25*size, size, middle, th.muted)
}

func (l *lineChart) drawRules(c *canvas, plot box, sx scale, size float64, th theme, u float64) {
	end := math.Inf(-1)
	for _, r := range l.rules {
		if r.at < sx.low || r.at > sx.high {
			continue
		}
		x := sx.at(r.at)
		c.rect("rule", box{x - 0.5*u, plot.y, max(1, u), plot.h}, mix(th.grid, th.axis, 0.6))
		w := c.fonts.width(r.name, size)
		if x+2*u >= end && x+2*u+w <= plot.right() {
			c.label("rule-name", r.name, x+2*u, plot.y+size*0.8, size, left, th.muted)
			end = x + w + 6*u
		}
	}
}

// dashes of lines, where colours alone do not tell series apart.
var dashes = [][]float64{nil, {7, 4}, {2, 3}, {9, 3, 2, 3}, {4, 2}, {1, 2}}

func dashOf(s series, th theme) []float64 {
	if !th.hatched {
		return nil
	}
	return dashes[s.index%len(dashes)]
}

// lineColor is a series' colour with as much of the ink as a thin line needs
// to be seen on the background.
func lineColor(s series, th theme) drawing.Color {
	return seen(s.color, th, 3)
}

// seen is a colour with as much of the ink as gives it this contrast to the background.
// WCAG asks for 3 of what is drawn and for 4.5 of text.
func seen(color drawing.Color, th theme, least float64) drawing.Color {
	out := color
	for part := 0.05; part < 1 && contrast(out, th.background) < least; part += 0.05 {
		out = mix(color, th.ink, part)
	}
	return out
}

func (l *lineChart) curve(c *canvas, cv curve, sx, sy scale, th theme, u float64) {
	s := l.series[cv.series]
	color, stroke, radius := lineColor(s, th), 2*u, 3.2*u
	if l.diagonal {
		// Lines that keep up lie on each other: those below are broader, so that all are seen.
		below := float64(len(l.series) - 1 - cv.series)
		stroke, radius = stroke+below*1.3*u, radius+below*0.9*u
	}
	for _, stretch := range cv.points {
		var at []point
		for _, p := range stretch {
			at = append(at, point{sx.at(p.x), sy.at(p.y)})
		}
		if len(at) > 1 {
			c.add(mark{kind: lineMark, role: "curve", stroke: stroke, color: color, points: at, dash: dashOf(s, th)})
		}
		if cv.dots || len(at) == 1 {
			for _, p := range at {
				c.dot("dot-rim", p.x, p.y, radius+0.8*u, th.background)
				c.dot("dot", p.x, p.y, radius, color)
			}
		}
	}
}

// extent is the range of both axes: of x over all panels, so that they can be
// compared, and of y in this one, from zero where it is not logarithmic.
func (l *lineChart) extent(p panel) (xLow, xHigh, yLow, yHigh float64) {
	xLow, xHigh = math.Inf(1), math.Inf(-1)
	yLow, yHigh = math.Inf(1), math.Inf(-1)
	for _, other := range l.panels {
		if l.ownX && other.title != p.title {
			continue
		}
		for _, cv := range other.curves {
			for _, pt := range slices.Concat(cv.points...) {
				xLow, xHigh = min(xLow, pt.x), max(xHigh, pt.x)
			}
		}
	}
	for _, cv := range p.curves {
		for _, pt := range slices.Concat(cv.points...) {
			yLow, yHigh = min(yLow, pt.y), max(yHigh, pt.y)
		}
	}
	if l.x.fromZero {
		xLow = min(xLow, 0)
	}
	xHigh += l.x.room * (xHigh - xLow)
	if xHigh <= xLow {
		xHigh = xLow + max(1, math.Abs(xLow))
	}
	if l.y.log {
		yLow, yHigh = yLow/1.15, yHigh*1.15
		// Less than this has too few round numbers to read an axis by.
		if widen := math.Sqrt(leastLogRange / (yHigh / yLow)); widen > 1 {
			yLow, yHigh = yLow/widen, yHigh*widen
		}
		return xLow, xHigh, yLow, yHigh
	}
	yLow, yHigh = 0, yHigh*1.08
	if len(l.rules) > 0 {
		yHigh *= 1.1 // room for the rules' names
	}
	if yHigh <= 0 {
		yHigh = 1
	}
	return xLow, xHigh, yLow, yHigh
}

// plainTicks are round numbers on an axis that begins at zero.
func plainTicks(low, high float64, count int) []float64 {
	const most = 8 // more lines than that are a net
	return slices.DeleteFunc(ticks(high, min(count, most)), func(t float64) bool { return t < low })
}

// leastLogRange is how many times its lowest the highest value of a logarithmic axis is.
const leastLogRange = 2.2

// logTicks are the powers of ten from low to high, with round numbers between them
// where there is room.
func logTicks(low, high float64, count int) []float64 {
	if !(low > 0) || !finite(high) || high < low {
		return nil
	}
	var out []float64
	for _, between := range [][]float64{{1, 1.5, 2, 3, 4, 5, 7}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}, {1}} {
		out = nil
		for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
			for _, m := range between {
				if t := m * math.Pow(10, e); t >= low*(1-1e-9) && t <= high*(1+1e-9) {
					out = append(out, t)
				}
			}
		}
		if len(out) <= count {
			break
		}
	}
	return out
}
