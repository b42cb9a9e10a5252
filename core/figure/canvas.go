package figure

import (
	"math"

	"github.com/wcharczuk/go-chart/v2/drawing"
)

// A canvas is a drawing as a list of marks, in pixels at scale 1, y downwards.
// A figure is laid out on it once; raster and vector then draw the same list.
// It knows the widths of texts, because layout needs them.
type canvas struct {
	width, height float64
	fonts         *fonts
	marks         []mark
	// broken is set when a coordinate is not a finite number: the renderer
	// would never come back from it.
	broken bool
}

type kind int

const (
	rectMark kind = iota
	lineMark      // through points
	dotMark
	textMark
)

// A mark is one thing drawn. Role says what it stands for ("bar", "value",
// "title", ...) and value what it shows, so that a test can check a drawing
// by what it means.
type mark struct {
	kind   kind
	role   string
	value  float64
	x, y   float64 // corner, centre, or where a text's baseline is anchored
	w, h   float64
	radius float64
	points []point
	color  drawing.Color
	stroke float64   // width of a line
	dash   []float64 // of a line

	text   string
	size   float64 // of the em, in pixels
	anchor anchor
}

type point struct{ x, y float64 }

type anchor int

const (
	left anchor = iota
	middle
	right
)

// A box is a rectangle in pixels at scale 1.
type box struct{ x, y, w, h float64 }

func (b box) right() float64  { return b.x + b.w }
func (b box) bottom() float64 { return b.y + b.h }

func (b box) overlaps(o box) bool {
	return b.x < o.right() && o.x < b.right() && b.y < o.bottom() && o.y < b.bottom()
}

func (c *canvas) add(m mark) {
	for _, v := range []float64{m.x, m.y, m.w, m.h, m.radius, m.stroke, m.size} {
		c.check(v)
	}
	for _, p := range m.points {
		c.check(p.x)
		c.check(p.y)
	}
	c.marks = append(c.marks, m)
}

func (c *canvas) check(v float64) {
	if math.IsNaN(v) || math.Abs(v) > 1e6 {
		c.broken = true
	}
}

func (c *canvas) rect(role string, b box, color drawing.Color) {
	c.add(mark{kind: rectMark, role: role, x: b.x, y: b.y, w: b.w, h: b.h, color: color})
}

func (c *canvas) line(role string, stroke float64, color drawing.Color, points ...point) {
	c.add(mark{kind: lineMark, role: role, stroke: stroke, color: color, points: points})
}

func (c *canvas) dot(role string, x, y, radius float64, color drawing.Color) {
	c.add(mark{kind: dotMark, role: role, x: x, y: y, radius: radius, color: color})
}

// label writes s with its baseline at y.
func (c *canvas) label(role, s string, x, y, size float64, a anchor, color drawing.Color) {
	if s == "" {
		return
	}
	c.add(mark{kind: textMark, role: role, text: s, x: x, y: y, size: size, anchor: a, color: color})
}

// Parts of an em that text takes above and below its baseline: of Roboto's and
// the common Chinese fonts' capitals and descenders.
const (
	capHeight = 0.72
	descent   = 0.22
)

// bounds is where m is drawn.
func (c *canvas) bounds(m mark) box {
	switch m.kind {
	case textMark:
		w := c.fonts.width(m.text, m.size)
		b := box{m.x, m.y - capHeight*m.size, w, (capHeight + descent) * m.size}
		switch m.anchor {
		case middle:
			b.x -= w / 2
		case right:
			b.x -= w
		}
		return b
	case dotMark:
		return box{m.x - m.radius, m.y - m.radius, 2 * m.radius, 2 * m.radius}
	case lineMark:
		if len(m.points) == 0 {
			return box{}
		}
		x0, y0, x1, y1 := m.points[0].x, m.points[0].y, m.points[0].x, m.points[0].y
		for _, p := range m.points {
			x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
		}
		return box{x0, y0, x1 - x0, y1 - y0}
	}
	return box{m.x, m.y, m.w, m.h}
}
