package figure

import (
	"slices"

	"github.com/wcharczuk/go-chart/v2/drawing"
)

// drawBar draws a box in a series' colour: with an edge that keeps pale ones
// apart from a white page and dark ones from a black one, and hatched where the
// colour alone does not tell the series. The mark of the bar itself is the last
// one added.
func drawBar(c *canvas, role string, b box, s series, th theme, u float64) {
	if b.w > 0 {
		drawPart(c, b, s.color, mix(s.color, th.ink, 0.45), patternOf(s.index, th), u)
	}
	c.add(mark{kind: rectMark, role: role, x: b.x, y: b.y, w: b.w, h: b.h, color: drawing.ColorTransparent})
}

// drawZero draws a bar of no length as a stroke in its series' colour, so that a zero is seen to have
// been measured.
func drawZero(c *canvas, bar box, s series, th theme, u float64) {
	c.rect("zero", box{bar.x, bar.y, max(2, 2.5*u), bar.h}, mix(s.color, th.ink, 0.45))
	c.add(mark{kind: rectMark, role: "bar", x: bar.x, y: bar.y, h: bar.h, color: drawing.ColorTransparent})
}

func dotRadius(barHeight, u float64) float64 { return min(barHeight*0.32, 5*u) }

// drawPart draws a box with an edge and a pattern.
func drawPart(c *canvas, b box, color, edge drawing.Color, pattern int, u float64) {
	stroke := max(1, 0.9*u)
	c.rect("edge", b, edge)
	if inner := (box{b.x, b.y + stroke, b.w - stroke, b.h - 2*stroke}); inner.w > 0 && inner.h > 0 {
		c.rect("fill", inner, color)
		hatch(c, inner, pattern, edge, u)
	}
}

// drawDots draws a cell's single values as dots in the bar's row, and its own
// value as a stroke across them.
func drawDots(c *canvas, bar box, cl cell, s series, scale float64, th theme, u float64) {
	middle, radius := bar.y+bar.h/2, dotRadius(bar.h, u)
	furthest := 0.0
	for _, d := range cl.dots {
		furthest = max(furthest, d)
	}
	c.rect("row", box{bar.x, middle - 0.5, furthest * scale, max(1, u)}, th.grid)
	if cl.hasInterval() { // behind the dots, which it would cut in two
		whisker(c, bar, *cl.low*scale, *cl.high*scale, th, u)
	}
	for _, d := range cl.dots {
		c.dot("dot-rim", bar.x+d*scale, middle, radius+max(1, 0.8*u), mix(s.color, th.ink, 0.45))
		c.dot("dot", bar.x+d*scale, middle, radius, s.color)
		c.marks[len(c.marks)-1].value = d
		if slices.Contains(cl.outliers, d) {
			c.dot("outlier", bar.x+d*scale, middle, radius*0.55, th.background)
		}
	}
	if len(cl.dots) == 1 {
		return // its own median
	}
	stroke := max(1, 1.6*u)
	c.rect("median", box{bar.x + cl.value*scale - stroke/2, bar.y, stroke, bar.h}, th.ink)
}

// looks of the parts of a stacked bar, from zero on: the series' own colour and pattern, a
// pale one, and cross-hatched, which no series is.
func look(part int, s series, th theme) (series, int) {
	switch part {
	case 0:
		return s, patternOf(s.index, th)
	case 1:
		s.color = mix(s.color, th.background, 0.62)
		return s, plain
	}
	return s, crossed
}

// drawParts draws a cell's parts end to end.
func drawParts(c *canvas, bar box, cl cell, s series, scale float64, th theme, u float64) {
	x := bar.x
	for i, part := range cl.parts {
		if part <= 0 {
			continue
		}
		ls, pattern := look(i, s, th)
		drawPart(c, box{x, bar.y, part * scale, bar.h}, ls.color, mix(s.color, th.ink, 0.45), pattern, u)
		c.add(mark{kind: rectMark, role: "part", x: x, y: bar.y, w: part * scale, h: bar.h, value: part, color: drawing.ColorTransparent})
		x += part * scale
	}
}

// Patterns of a hatched bar: the direction of its lines.
const (
	plain = iota
	rising
	falling
	upright
	crossed // rising and falling
)

// patternOf is what keeps series of the same or a like colour apart.
func patternOf(index int, th theme) int {
	pattern := index / len(variantColors)
	if th.hatched {
		pattern += index
	}
	return pattern % 4
}

// hatch draws a pattern's lines within b.
func hatch(c *canvas, b box, pattern int, color drawing.Color, u float64) {
	if pattern == plain {
		return
	}
	if pattern == crossed {
		hatch(c, b, rising, color, u)
		pattern = falling
	}
	step, stroke := 7*u, max(1, 0.9*u)
	if pattern == upright {
		for x := b.x + step/2; x+stroke < b.right(); x += step {
			c.rect("hatch", box{x, b.y, stroke, b.h}, color)
		}
		return
	}
	// A slanted line that meets the bottom at x meets the top at x + b.h.
	for x := b.x - b.h + step/2; x < b.right(); x += step {
		x0, x1 := max(x, b.x), min(x+b.h, b.right())
		if x1-x0 < 1 {
			continue
		}
		y0, y1 := b.bottom()-(x0-x), b.bottom()-(x1-x)
		if pattern == falling {
			y0, y1 = b.y+(x0-x), b.y+(x1-x)
		}
		c.line("hatch", stroke, color, point{x0, y0}, point{x1, y1})
	}
}

// whisker draws an interval from low to high, pixels from the bar's start,
// with a pale rim so that it shows on any bar.
func whisker(c *canvas, bar box, low, high float64, th theme, u float64) {
	y, cap, stroke := bar.y+bar.h/2, bar.h*0.5, max(1, 1.3*u)
	x0, x1 := bar.x+low, bar.x+high
	for _, pass := range []struct {
		rim   float64
		color drawing.Color
	}{{max(1, 0.8*u), th.background}, {0, th.ink}} {
		r := pass.rim
		c.rect("whisker", box{x0 - r, y - stroke/2 - r, x1 - x0 + 2*r, stroke + 2*r}, pass.color)
		c.rect("whisker", box{x0 - stroke/2 - r, y - cap/2 - r, stroke + 2*r, cap + 2*r}, pass.color)
		c.rect("whisker", box{x1 - stroke/2 - r, y - cap/2 - r, stroke + 2*r, cap + 2*r}, pass.color)
	}
}

// cross marks what failed.
func cross(c *canvas, x, y, arm float64, th theme, u float64) {
	c.line("cross", 1.6*u, th.ink, point{x - arm, y - arm}, point{x + arm, y + arm})
	c.line("cross", 1.6*u, th.ink, point{x - arm, y + arm}, point{x + arm, y - arm})
}
