package figure

import (
	"math"
	"slices"
	"strings"

	"berth/core/text"
)

// A barChart is groups of horizontal bars from zero. Names and values of many
// tests are read along horizontal bars without turning or shrinking, which
// no row of upright bars allows. Facets, and the groups of a facet that is too
// long, stand side by side as the room asks.
type barChart struct {
	series        []series
	facets        []facet
	unit          string
	ownScale      bool     // each facet has a scale of its own
	rule          *float64 // a value marked across all groups
	ticks         []tick   // in place of round numbers
	valuesOmitted string   // the note when bars are too thin for values

	grid grid // as planned
}

type facet struct {
	title  string
	groups []group
}

// A group is one test: a cell for each series, or cells that have series of their own.
type group struct {
	name  string
	cells []cell
}

type state int

const (
	missing  state = iota // not measured
	failed                // tried
	unknown               // tried, and without a value that can be drawn: its label says why
	measured              // has a value
)

// A tick is a place on the axis and what is written there.
type tick struct {
	at    float64
	text  string
	short string // in place of text, where there is little room
	minor bool   // not written where there is room for the others only
}

// A cell is one bar.
type cell struct {
	series    *series // its own, in place of the chart's
	state     state
	value     float64
	low, high *float64  // interval
	labels    []string  // what is written at its end, longest first
	dots      []float64 // single values; drawn instead of a bar, value as a stroke across them
	outliers  []float64 // of the dots, drawn as rings
	widths    []float64 // of the labels, in ems
	parts     []float64 // of value, in the order of the parts' looks; drawn as one stacked bar
}

func (c cell) hasInterval() bool {
	return c.low != nil && c.high != nil && *c.low >= 0 && *c.high >= *c.low
}

// end is how far the drawing of c reaches on the scale.
func (c cell) end() float64 {
	end := c.value
	if c.hasInterval() {
		end = max(end, *c.high)
	}
	for _, d := range c.dots {
		end = max(end, d)
	}
	return end
}

// A grid is how a barChart fills a box.
type grid struct {
	facetColumns, groupColumns int
	groupsEach                 int     // groups in the longest column
	pitch                      float64 // of bars
	nameSize, labelSize        float64
	nameWidth, barWidth        float64 // of a panel; barWidth is the axis's length
	panelWidth                 float64
	form                       int // of labels: 0 is the longest
	labelled                   bool
}

// Proportions of a barChart, in pitches or units.
const (
	groupGap     = 0.7 // pitches between groups
	barShare     = 0.84
	panelGutter  = 26
	axisHeight   = 24
	facetTitle   = 24
	facetGap     = 14
	bestPitch    = 16 // a bar that reads well
	mostPitch    = 48
	bestBarWidth = 300
	leastFacet   = 290 // of a facet's width beside others
	leastLabel   = 8.0 // pixels of text that can still be read
	leastPanel   = 60  // pixels of a panel's width
)

// height is for a page that may be as high as it needs: of one or two columns of facets, or where that
// would be higher than a picture may be, of as many as there is room for.
func (b *barChart) height(f *fonts, width, u float64) float64 {
	columns := 1
	if len(b.facets) > 1 && width > 760*u {
		columns = 2
	}
	for b.heightOf(columns, u) > maxSide && columns < len(b.facets) && width > float64(columns+1)*leastFacet*u {
		columns++
	}
	return b.heightOf(columns, u)
}

func (b *barChart) heightOf(columns int, u float64) float64 {
	pitch := 19 * u
	switch bars := b.bars(); {
	case bars <= 8:
		pitch = 30 * u
	case bars <= 24:
		pitch = 24 * u
	}
	rows := math.Ceil(float64(len(b.facets)) / float64(columns))
	return rows*(b.fixed(u)+pitch*b.mostPitches(b.longest())) + (rows-1)*facetGap*u
}

// longest is the number of groups in the longest facet.
func (b *barChart) longest() int {
	n := 1
	for _, f := range b.facets {
		n = max(n, len(f.groups))
	}
	return n
}

// bars is the number of bars in the facet that has most.
func (b *barChart) bars() int {
	most := 1
	for _, f := range b.facets {
		n := 0
		for _, g := range f.groups {
			n += len(g.cells)
		}
		most = max(most, n)
	}
	return most
}

// leastCells is how many bars the group with the fewest has.
func (b *barChart) leastCells() int {
	least := math.MaxInt
	for _, f := range b.facets {
		for _, g := range f.groups {
			least = min(least, len(g.cells))
		}
	}
	return max(1, least)
}

// pitches that a column of these groups takes.
func pitches(groups []group) float64 {
	sum := 0.0
	for _, g := range groups {
		sum += float64(len(g.cells)) + groupGap
	}
	return sum
}

// mostPitches is what the longest of the columns takes, of at most each groups.
func (b *barChart) mostPitches(each int) float64 {
	most := 1.0
	for _, f := range b.facets {
		for from := 0; from < len(f.groups); from += each {
			most = max(most, pitches(f.groups[from:min(from+each, len(f.groups))]))
		}
	}
	return most
}

// fixed is the height of what a panel has beside bars.
func (b *barChart) fixed(u float64) float64 {
	h := axisHeight * u
	if b.facetTitled() {
		h += facetTitle * u
	}
	return h
}

func (b *barChart) facetTitled() bool {
	for _, f := range b.facets {
		if f.title != "" {
			return true
		}
	}
	return false
}

// plan tries every arrangement of facets and columns, and takes the one whose bars
// are both thick and long enough to be read.
func (b *barChart) plan(f *fonts, width, height, u float64) ([]string, error) {
	best, score := grid{}, -1.0
	b.measure(f)
	for fc := 1; fc <= min(len(b.facets), int(width/leastPanel)); fc++ {
		for gc := 1; gc <= min(4, b.longest()); gc++ {
			g := b.try(f, width, height, u, fc, gc)
			s := min(1, g.pitch/(bestPitch*u)) * min(1, g.barWidth/(bestBarWidth*u))
			if !g.labelled {
				s *= 0.3
			}
			s *= math.Pow(0.985, float64(fc)) * math.Pow(0.97, float64(gc)) // the plainer of two alike
			if g.pitch >= 3 && g.barWidth >= 24 && g.pitch*(float64(b.leastCells())+groupGap) >= g.nameSize && s > score {
				best, score = g, s
			}
		}
	}
	if score < 0 {
		return nil, text.Err("figure.too-small", text.Args{"Bars": b.bars() * len(b.facets)}, nil)
	}
	b.grid = best
	if !best.labelled {
		return []string{b.valuesOmitted}, nil
	}
	return nil, nil
}

// measure takes the labels' widths once for all arrangements.
func (b *barChart) measure(f *fonts) {
	for _, fc := range b.facets {
		for _, gr := range fc.groups {
			for i := range gr.cells {
				c := &gr.cells[i]
				c.widths = c.widths[:0]
				for _, label := range c.labels {
					c.widths = append(c.widths, f.width(label, 1))
				}
			}
		}
	}
}

// try measures one arrangement.
func (b *barChart) try(f *fonts, width, height, u float64, facetColumns, groupColumns int) grid {
	g := grid{facetColumns: facetColumns, groupColumns: groupColumns}
	columns := float64(facetColumns * groupColumns)
	rows := math.Ceil(float64(len(b.facets)) / float64(facetColumns))
	g.groupsEach = (b.longest() + groupColumns - 1) / groupColumns
	g.panelWidth = (width - panelGutter*u*(columns-1)) / columns
	room := (height-(rows-1)*facetGap*u)/rows - b.fixed(u)
	g.pitch = min(room/b.mostPitches(g.groupsEach), mostPitch*u)
	g.labelSize = min(13*u, g.pitch*0.95)
	g.labelled = g.labelSize >= leastLabel
	g.nameSize = max(min(13*u, g.pitch*float64(b.leastCells())*0.8, 1.4*g.labelSize), leastLabel)
	g.nameWidth = b.nameWidth(f, g)
	g.form, g.barWidth = b.barWidth(f, g, u)
	return g
}

// nameWidth is the room for the groups' names: what the widest takes, but at
// most a quarter of the panel, or a third where a single word needs it.
func (b *barChart) nameWidth(f *fonts, g grid) float64 {
	whole, word := 0.0, 0.0
	for _, fc := range b.facets {
		for _, gr := range fc.groups {
			whole = max(whole, f.width(gr.name, g.nameSize))
			for _, part := range strings.Fields(gr.name) {
				word = max(word, f.width(part, g.nameSize))
			}
		}
	}
	return min(whole, max(g.panelWidth*0.25, min(word+1, g.panelWidth*0.36))) + 0.7*g.nameSize
}

// barWidth is how long the longest bar can be, so that each bar's own label
// still fits behind it; and the form of labels that leaves it long enough.
func (b *barChart) barWidth(f *fonts, g grid, u float64) (form int, width float64) {
	room := g.panelWidth - g.nameWidth
	if !g.labelled {
		return 0, room - 0.03*g.panelWidth
	}
	if n := len(b.ticks); n > 0 {
		// The last number is written half beyond its place.
		room -= f.width(b.ticks[n-1].text, tickSize(u)) / 2
	}
	for form = range 3 {
		width = room
		for _, fc := range b.facets {
			high := b.high(fc)
			for _, gr := range fc.groups {
				for _, c := range gr.cells {
					free := room - c.width(form)*g.labelSize - 0.6*g.labelSize
					if c.dots != nil {
						free -= dotRadius(g.pitch*barShare, u)
					}
					if c.state != measured || c.end() == 0 || high == 0 {
						continue
					}
					width = min(width, free*high/c.end())
				}
			}
		}
		if width >= 0.5*room {
			break
		}
	}
	return form, width
}

// label is the cell's label in one of three forms, 0 the longest.
func (c cell) label(form int) string {
	if len(c.labels) == 0 {
		return ""
	}
	return c.labels[min(form, len(c.labels)-1)]
}

// width is the label's in ems, once measured.
func (c cell) width(form int) float64 {
	if len(c.widths) == 0 {
		return 0
	}
	return c.widths[min(form, len(c.widths)-1)]
}

// high is the end of the scale of f.
func (b *barChart) high(f facet) float64 {
	high := 0.0
	for _, other := range b.facets {
		if b.ownScale && other.title != f.title {
			continue
		}
		for _, g := range other.groups {
			for _, c := range g.cells {
				if c.state == measured {
					high = max(high, c.end())
				}
			}
		}
	}
	if b.rule != nil {
		high = max(high, *b.rule)
	}
	if len(b.ticks) > 0 {
		high = max(high, b.ticks[len(b.ticks)-1].at)
	}
	return high
}

// uneven says whether the longest bar of one facet would be less than a third
// of another's, so that a shared scale would waste its room.
func (b *barChart) uneven() bool {
	if len(b.ticks) > 0 { // which are one scale for all
		return false
	}
	least, most := math.Inf(1), 0.0
	for _, f := range b.facets {
		alone := barChart{facets: []facet{f}}
		if high := alone.high(f); high > 0 {
			least, most = min(least, high), max(most, high)
		}
	}
	return len(b.facets) > 1 && least < most/3
}

func (b *barChart) draw(c *canvas, area box, th theme, u float64) {
	g := b.grid
	panelHeight := b.fixed(u) + g.pitch*b.mostPitches(g.groupsEach)
	// What few bars leave free goes above and below them.
	rows := math.Ceil(float64(len(b.facets)) / float64(g.facetColumns))
	area.y += max(0, area.h-rows*panelHeight-(rows-1)*facetGap*u) * 0.4
	for i, f := range b.facets {
		column, row := i%g.facetColumns, i/g.facetColumns
		x := area.x + float64(column*g.groupColumns)*(g.panelWidth+panelGutter*u)
		y := area.y + float64(row)*(panelHeight+facetGap*u)
		if b.facetTitled() {
			width := float64(g.groupColumns)*(g.panelWidth+panelGutter*u) - panelGutter*u
			size := 14 * u
			c.label("facet", c.fonts.ellipsis(f.title, size, width), x, y+size, size, left, th.ink)
			y += facetTitle * u
		}
		for k := range g.groupColumns {
			from, to := min(k*g.groupsEach, len(f.groups)), min((k+1)*g.groupsEach, len(f.groups))
			if from < to {
				b.panel(c, f, f.groups[from:to], x+float64(k)*(g.panelWidth+panelGutter*u), y, th, u)
			}
		}
	}
}

// panel draws one column of groups with its axis below.
func (b *barChart) panel(c *canvas, f facet, groups []group, x, y float64, th theme, u float64) {
	g := b.grid
	high := b.high(f)
	zero := x + g.nameWidth
	if high == 0 {
		high = 1 // an axis on which zeros are seen to be such
	}
	scale := g.barWidth / high
	top, bottom := y, y+g.pitch*pitches(groups)
	b.axis(c, zero, y, bottom, high, scale, th, u)
	if b.rule != nil {
		c.rect("rule", box{zero + *b.rule*scale - 0.75*u, y, 1.5 * u, bottom - y}, th.muted)
	}
	for _, gr := range groups {
		height := g.pitch * float64(len(gr.cells))
		first := y + g.pitch*groupGap/2
		b.groupName(c, gr.name, zero-0.5*g.nameSize, first, height, th)
		for i, cl := range gr.cells {
			bar := box{zero, first + float64(i)*g.pitch + g.pitch*(1-barShare)/2, cl.value * scale, g.pitch * barShare}
			s := cl.series
			if s == nil {
				s = &b.series[i]
			}
			b.cell(c, cl, *s, bar, scale, th, u)
		}
		y += height + g.pitch*groupGap
	}
	c.rect("axis", box{zero - max(1, u), top, max(1, u), bottom - top}, th.axis)
}

// axis draws the grid's lines and, below, what they stand for.
func (b *barChart) axis(c *canvas, zero, top, bottom, high, scale float64, th theme, u float64) {
	size := tickSize(u)
	baseline := bottom + 6*u + size
	var written []tick // in pixels
	for i, t := range b.steps(c.fonts, high, size, u) {
		at := zero + t.at*scale
		if i > 0 {
			c.rect("grid", box{at - 0.5*u, top, max(1, u), bottom - top}, th.grid)
		}
		if t.text == "" {
			continue
		}
		if n := len(written); n > 0 && at-c.fonts.width(t.text, size)/2 < b.tickEnd(c.fonts, written[n-1], size)+4*u {
			continue // its line stays
		}
		written = append(written, tick{at: at, text: t.text})
	}
	start := zero - b.grid.nameWidth
	unit, written := b.placeUnit(c.fonts, written, start, start+b.grid.panelWidth, size, u)
	for _, t := range written {
		c.label("tick", t.text, t.at, baseline, size, middle, th.muted)
	}
	if unit != nil {
		c.label("unit", unit.text, unit.at, baseline, size, left, th.muted)
	}
}

// tickEnd is where a written number ends, in pixels.
func (b *barChart) tickEnd(f *fonts, t tick, size float64) float64 {
	return t.at + f.width(t.text, size)/2
}

// placeUnit finds a place for the unit, whole, between start and limit: behind the last number, where
// the last of round numbers may give way to it; before the first; else behind as few as leave it room.
// It returns the unit, at where it begins, and the numbers that are still written.
func (b *barChart) placeUnit(f *fonts, written []tick, start, limit, size, u float64) (*tick, []tick) {
	all := len(written)
	if b.unit == percentUnit || all == 0 {
		return nil, written // each number has it
	}
	width := f.width(b.unit, size)
	behind := func(n int) *tick {
		if end := b.tickEnd(f, written[n-1], size) + 8*u; end+width <= limit {
			return &tick{at: end, text: b.unit}
		}
		return nil
	}
	if unit := behind(all); unit != nil {
		return unit, written
	}
	if all > 2 && b.ticks == nil {
		if unit := behind(all - 1); unit != nil {
			return unit, written[:all-1]
		}
	}
	if at := written[0].at - f.width(written[0].text, size)/2 - 4*u - width; at >= start {
		return &tick{at: at, text: b.unit}, written
	}
	for n := all - 1; n > 0; n-- {
		if unit := behind(n); unit != nil {
			return unit, written[:n]
		}
	}
	return nil, written
}

// percentUnit is written behind every number.
const percentUnit = "%"

func tickSize(u float64) float64 { return max(leastLabel, 11.5*u) }

// steps are the axis' numbers: its own, or round ones, as many as there is room for.
func (b *barChart) steps(f *fonts, high, size, u float64) []tick {
	if b.ticks != nil {
		return b.fitting(f, high, size, u)
	}
	inShort := high >= 10_000 && b.grid.barWidth < 260*u
	count := int(b.grid.barWidth / (f.width(tickText(high, inShort), size) + 18*u))
	var out []tick
	for _, t := range ticks(high, min(max(count, 1), 8)) {
		written := tickText(t, inShort)
		if b.unit == percentUnit {
			written += percentUnit
		}
		out = append(out, tick{at: t, text: written})
	}
	return out
}

// fitting are the axis' own ticks as its length allows: in full, short, or the greater ones alone, of the
// others the lines.
func (b *barChart) fitting(f *fonts, high, size, u float64) []tick {
	for _, form := range []struct{ short, minor bool }{{false, true}, {true, true}, {false, false}, {true, false}} {
		out := slices.Clone(b.ticks)
		last, written, fits := math.Inf(-1), 0, true
		for i := range out {
			t := &out[i]
			if form.short {
				t.text = t.short
			}
			if t.minor && !form.minor {
				t.text = ""
				continue
			}
			at, half := t.at*b.grid.barWidth/high, f.width(t.text, size)/2
			fits = fits && at-half >= last+6*u
			last, written = at+half, written+1
		}
		if fits && written > 1 {
			return out
		}
	}
	return b.ticks
}

// groupName is written left of the axis, in as many lines as the group's height has.
func (b *barChart) groupName(c *canvas, name string, x, top, height float64, th theme) {
	size := b.grid.nameSize
	pitch := size * 1.18
	most := max(1, int(height/pitch))
	width := b.grid.nameWidth - 0.6*size
	if c.fonts.width(name, size) > width*min(float64(most), 1.8) {
		name = b.shortName(name)
	}
	lines := c.fonts.wrap(name, size, width, most)
	y := top + height/2 - float64(len(lines))*pitch/2 + pitch/2 + capHeight*size/2
	for _, line := range lines {
		c.label("test", line, x, y, size, right, th.ink)
		y += pitch
	}
}

// shortName leaves out what redis-benchmark puts in parentheses behind a test's
// name, where no other test has the same name then.
func (b *barChart) shortName(name string) string {
	brief, _, found := strings.Cut(name, " (")
	if !found {
		return name
	}
	for _, f := range b.facets {
		for _, g := range f.groups {
			if g.name == brief {
				return name
			}
		}
	}
	return brief
}

// cell draws one bar with its interval and label, or says why there is none.
func (b *barChart) cell(c *canvas, cl cell, s series, bar box, scale float64, th theme, u float64) {
	size := b.grid.labelSize
	baseline := bar.y + bar.h/2 + capHeight*size/2
	gap := 0.5 * size
	if cl.state != measured {
		if cl.state == failed {
			cross(c, bar.x+gap+bar.h*0.3, bar.y+bar.h/2, bar.h*0.28, th, u)
			gap += bar.h * 0.8
		}
		if b.grid.labelled {
			room := b.grid.panelWidth - b.grid.nameWidth - gap
			form := 0
			for form+1 < len(cl.labels) && c.fonts.width(cl.label(form), size) > room {
				form++
			}
			said := c.fonts.ellipsis(cl.label(form), size, room)
			c.rect("halo", box{bar.x + gap - 0.2*size, bar.y, c.fonts.width(said, size) + 0.4*size, bar.h}, th.background)
			c.label("absent", said, bar.x+gap, baseline, size, left, th.muted)
		}
		return
	}
	switch {
	case cl.dots != nil:
		drawDots(c, bar, cl, s, scale, th, u)
	case cl.value == 0:
		drawZero(c, bar, s, th, u)
	case cl.parts != nil:
		drawParts(c, bar, cl, s, scale, th, u)
	default:
		drawBar(c, "bar", bar, s, th, u)
		c.marks[len(c.marks)-1].value = cl.value
	}
	if cl.dots == nil && cl.hasInterval() {
		whisker(c, bar, *cl.low*scale, *cl.high*scale, th, u)
	}
	if cl.dots != nil {
		gap += dotRadius(bar.h, u)
	}
	if b.grid.labelled {
		label, x := cl.label(b.grid.form), bar.x+cl.end()*scale+gap
		// Lines of the grid would run through the figures.
		c.rect("halo", box{x - 0.2*size, bar.y, c.fonts.width(label, size) + 0.4*size, bar.h}, th.background)
		c.label("value", label, x, baseline, size, left, th.ink)
	}
}
