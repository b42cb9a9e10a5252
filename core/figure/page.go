package figure

import (
	"math"
	"slices"
	"strings"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/text"
)

// A body is the part of a figure between its legend and its footer.
type body interface {
	// height is how high it wants to be at a width; u is the page's unit.
	height(f *fonts, width, u float64) float64
	// plan decides how to fill a box of this size; it returns notes for the
	// footer on what had to be left out.
	plan(f *fonts, width, height, u float64) ([]string, error)
	// draw draws what was planned.
	draw(c *canvas, area box, th theme, u float64)
}

// A page is a figure's frame: title, subtitle and legend above the body,
// footer below.
type page struct {
	canvas  *canvas
	theme   theme
	text    *text.Catalogue
	content content

	unit   float64 // of sizes: 1 at 1280 pixels of width
	margin float64
	y      float64 // where the next line goes
}

// Sizes of text in units.
const (
	titleSize    = 21
	captionSize  = 14
	subtitleSize = 13
	legendSize   = 13
	footerSize   = 11
	lineHeight   = 1.35 // of the text's size
)

func (p *page) draw() error {
	c := p.canvas
	p.unit = min(max(c.width/defaultWidth, 0.85), 1.5)
	if c.height > 0 {
		// A low picture has no room for large words.
		p.unit = min(p.unit, max(c.height/560, 0.7))
	}
	p.margin = 22 * p.unit
	// The background is drawn first and sized last, when the height is known.
	c.rect("background", box{0, 0, c.width, c.height}, p.theme.background)
	p.y = p.margin * 0.8
	p.header()
	p.legend()
	p.y += 6 * p.unit

	notes := p.notes(p.content.notes)
	inner := c.width - 2*p.margin
	needed := c.height == 0
	if needed {
		c.height = min(math.Ceil(p.y+p.content.body.height(c.fonts, inner, p.unit)+p.footerHeight(notes)), maxSide)
		c.marks[0].h = c.height
	}
	room := func() float64 { return c.height - p.y - p.footerHeight(notes) }
	omitted, err := p.content.body.plan(c.fonts, inner, room(), p.unit)
	if err != nil && needed && c.height == maxSide {
		return text.Err("figure.too-high", text.Args{"Most": maxSide}, nil)
	}
	if err != nil {
		return err
	}
	if len(omitted) > 0 {
		notes = p.notes(slices.Concat(p.content.bare, omitted))
		if _, err := p.content.body.plan(c.fonts, inner, room(), p.unit); err != nil {
			return err
		}
	}
	area := box{p.margin, p.y, inner, room()}
	p.content.body.draw(c, area, p.theme, p.unit)
	if p.content.notRedis {
		p.watermark(area)
	}
	p.footer(notes)
	return nil
}

// lines writes s at the page's left edge, in at most most lines, and moves down.
func (p *page) lines(role, s string, size float64, most int, color drawing.Color) {
	for _, line := range p.canvas.fonts.wrap(s, size, p.canvas.width-2*p.margin, most) {
		p.y += size
		p.canvas.label(role, line, p.margin, p.y, size, left, color)
		p.y += size * (lineHeight - 1)
	}
}

func (p *page) header() {
	p.lines("title", p.content.title, titleSize*p.unit, 2, p.theme.ink)
	p.y += 2 * p.unit
	p.lines("caption", p.content.caption, captionSize*p.unit, 3, p.theme.ink)
	p.lines("subtitle", p.content.subtitle, subtitleSize*p.unit, 3, p.theme.muted)
}

// legend sets swatch and name of each series in a flow of lines.
func (p *page) legend() {
	if len(p.content.legend) == 0 {
		return
	}
	c, size := p.canvas, legendSize*p.unit
	swatch, gap := size, 0.45*size
	tall := size
	if p.content.lines {
		swatch = 2.2 * size // room for a dashed line to show its dashes
	}
	x, full := p.margin, c.width-2*p.margin
	p.y += 10 * p.unit
	pitch := size * 1.45
	for _, s := range p.content.legend {
		name := c.fonts.ellipsis(s.name, size, full-swatch-gap)
		w := swatch + gap + c.fonts.width(name, size)
		if x > p.margin && x+w > p.margin+full {
			x = p.margin
			p.y += pitch
		}
		if p.content.lines {
			y := p.y + tall/2
			c.add(mark{kind: lineMark, role: "swatch", stroke: 2.6 * p.unit, color: lineColor(s, p.theme), dash: dashOf(s, p.theme),
				points: []point{{x, y}, {x + swatch, y}}})
		} else {
			drawBar(c, "swatch", box{x, p.y, swatch, tall}, s, p.theme, p.unit)
		}
		c.label("legend", name, x+swatch+gap, p.y+0.86*tall, size, left, p.theme.ink)
		x += w + 1.6*size
	}
	p.y += pitch
}

// notes are the lines of the footer, already broken to the page's width: all, and what every page has.
func (p *page) notes(all []string) []string {
	c, size := p.canvas, footerSize*p.unit
	all = slices.Clone(all)
	// What has no glyph is known only now that all other texts were measured.
	for _, s := range slices.Concat([]string{p.content.origin}, all) {
		c.fonts.width(s, size)
	}
	if missing := c.fonts.missing; len(missing) > 0 {
		var codes []string
		for _, r := range missing[:min(len(missing), 8)] {
			codes = append(codes, codePoint(r))
		}
		all = append(all, p.text.T("figure.no-glyph", text.Args{"Codes": strings.Join(codes, ", ")}))
	}
	all = append(all, p.content.origin)
	var lines []string
	for _, s := range all {
		lines = append(lines, c.fonts.wrap(s, size, c.width-2*p.margin, 2)...)
	}
	return lines
}

func (p *page) footerHeight(lines []string) float64 {
	return float64(len(lines))*footerSize*p.unit*lineHeight + p.margin*0.5 + 10*p.unit
}

func (p *page) footer(lines []string) {
	c, size := p.canvas, footerSize*p.unit
	y := c.height - p.margin*0.5 - float64(len(lines))*size*lineHeight
	for _, line := range lines {
		y += size
		c.label("footer", line, p.margin, y, size, left, p.theme.muted)
		y += size * (lineHeight - 1)
	}
}

// watermark says across everything that this is a demonstration.
func (p *page) watermark(area box) {
	c, s := p.canvas, p.text.T("figure.not-redis")
	size := min(area.w/c.fonts.width(s, 1)*0.8, area.h*0.6)
	c.label("watermark", s, area.x+area.w/2, area.y+area.h/2+size*capHeight/2, size, middle, p.theme.watermark)
}
