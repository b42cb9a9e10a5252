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
			shape(r, m, vectorGrid)
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

// vectorText writes a text as text, so that it can be searched and edited. The
// renderer writes its body as it is, so the body is escaped here and says what
// the renderer cannot: the anchor and the width that layout counted on, which
// a viewer keeps to when it has another font.
func vectorText(r chart.Renderer, c *canvas, m mark) {
	r.ResetStyle()
	r.SetFont(c.fonts.faces[0].tt)
	r.SetFontSize(m.size * vectorGrid)
	r.SetFontColor(m.color)
	x, y := pixels(m.x*vectorGrid), pixels(m.y*vectorGrid)
	name := [...]string{left: "start", middle: "middle", right: "end"}[m.anchor]
	width := c.fonts.width(m.text, m.size) * vectorGrid
	r.Text(fmt.Sprintf(`<tspan x="%d" text-anchor="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs">%s</tspan>`,
		x, name, width, escape(m.text)), x, y)
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder takes every write.
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
