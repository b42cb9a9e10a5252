package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	chart "github.com/wcharczuk/go-chart/v2"
)

// vectorGrid is how many units of an SVG drawing make a pixel: go-chart's
// renderer takes whole numbers, and a quarter of a pixel is fine enough for the eye.
const vectorGrid = 4

// vectorDPI makes a point of go-chart's SVG text one unit.
const vectorDPI = 72

// vector draws c as SVG, with title and description for those who cannot see it.
func vector(c *canvas, scale float64, title, description string) ([]byte, error) {
	r, err := chart.SVG(pixels(c.width*vectorGrid), pixels(c.height*vectorGrid))
	if err != nil {
		return nil, err
	}
	r.SetDPI(vectorDPI)
	for _, m := range c.marks {
		if m.kind == textMark {
			vectorText(r, c, m)
		} else {
			shape(r, m, vectorGrid, func(r chart.Renderer, radius float64, x, y int) { r.Circle(radius, x, y) })
		}
	}
	var b bytes.Buffer
	if err := r.Save(&b); err != nil {
		return nil, err
	}
	open, rest, ok := bytes.Cut(b.Bytes(), []byte(">"))
	if !ok {
		return nil, fmt.Errorf("the SVG renderer wrote no element")
	}
	head := fmt.Sprintf("%s width=\"%d\" height=\"%d\" role=\"img\"><title>%s</title><desc>%s</desc>",
		open, pixels(c.width*scale), pixels(c.height*scale), escape(title), escape(description))
	return append([]byte(head), rest...), nil
}

// vectorFamilies are Roboto and what stands in for it elsewhere with the same
// widths or nearly: the renderer names Roboto alone, and a viewer's own
// choice may be a fifth wider.
const vectorFamilies = "Roboto,Arial,'Liberation Sans',Helvetica,'Nimbus Sans',sans-serif"

// vectorText writes a text as text, so that it can be searched and edited. The
// renderer writes its body as it is, so the body is escaped here and says what
// the renderer cannot: fonts, the anchor, and the width that layout counted on,
// which viewers that know textLength keep to whatever font they have.
func vectorText(r chart.Renderer, c *canvas, m mark) {
	r.ResetStyle()
	r.SetFont(c.fonts.faces[0].tt)
	r.SetFontSize(m.size * vectorGrid)
	r.SetFontColor(m.color)
	x, y := pixels(m.x*vectorGrid), pixels(m.y*vectorGrid)
	name := [...]string{left: "start", middle: "middle", right: "end"}[m.anchor]
	width := c.fonts.width(m.text, m.size) * vectorGrid
	var body strings.Builder
	for _, s := range c.fonts.stretches(m.text) {
		body.WriteString(s.text)
	}
	r.Text(fmt.Sprintf(`<tspan x="%d" text-anchor="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" style="font-family:%s;font-weight:500">%s</tspan>`,
		x, name, width, vectorFamilies, escape(body.String())), x, y)
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder takes every write.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
