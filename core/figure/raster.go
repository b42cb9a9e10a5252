package figure

import (
	"image"
	"image/draw"
	"math"

	chart "github.com/wcharczuk/go-chart/v2"
	"github.com/wcharczuk/go-chart/v2/drawing"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// rasterDPI makes a point of go-chart's raster text one pixel: it takes
// points × DPI for 64ths of a pixel.
const rasterDPI = 64

// raster draws c as pixels, scale of them for each of its own.
func raster(c *canvas, scale float64) (*image.RGBA, error) {
	r, err := chart.PNG(pixels(c.width*scale), pixels(c.height*scale))
	if err != nil {
		return nil, err
	}
	r.SetDPI(rasterDPI)
	// The renderer hands out the picture that it draws on, not a copy.
	img, err := picture(r)
	if err != nil {
		return nil, err
	}
	for _, m := range c.marks {
		switch {
		case m.kind == textMark:
			if err := rasterText(r, img, c, m, scale); err != nil {
				return nil, err
			}
		case m.kind == rectMark && m.color.A == 255:
			// Boxes are whole pixels, and most of a figure: filling them here gives what
			// the renderer would, in a fraction of its time.
			x0, x1 := span(m.x*scale, m.w*scale)
			y0, y1 := span(m.y*scale, m.h*scale)
			draw.Draw(img, image.Rect(x0, y0, x1, y1), image.NewUniform(m.color), image.Point{}, draw.Src)
		default:
			shape(r, m, scale, rasterCircle)
		}
	}
	return img, nil
}

func picture(r chart.Renderer) (*image.RGBA, error) {
	var w chart.ImageWriter
	if err := r.Save(&w); err != nil {
		return nil, err
	}
	img, err := w.Image()
	if err != nil {
		return nil, err
	}
	return img.(*image.RGBA), nil
}

// shape draws a mark that is not text.
func shape(r chart.Renderer, m mark, scale float64, circle func(r chart.Renderer, radius float64, x, y int)) {
	at := func(v float64) int { return pixels(v * scale) }
	if m.color.A == 0 { // stands for something, but its parts are drawn
		return
	}
	r.ResetStyle()
	switch m.kind {
	case rectMark:
		x0, x1 := span(m.x*scale, m.w*scale)
		y0, y1 := span(m.y*scale, m.h*scale)
		r.SetFillColor(m.color)
		r.MoveTo(x0, y0)
		r.LineTo(x1, y0)
		r.LineTo(x1, y1)
		r.LineTo(x0, y1)
		r.Close()
		r.Fill()
	case lineMark:
		r.SetStrokeColor(m.color)
		r.SetStrokeWidth(m.stroke * scale)
		var dash []float64
		for _, d := range m.dash {
			dash = append(dash, d*scale)
		}
		r.SetStrokeDashArray(dash)
		for i, p := range m.points {
			if i == 0 {
				r.MoveTo(at(p.x), at(p.y))
			} else {
				r.LineTo(at(p.x), at(p.y))
			}
		}
		r.Stroke()
	case dotMark:
		r.SetFillColor(m.color)
		circle(r, m.radius*scale, at(m.x), at(m.y))
		r.Fill()
	}
}

// rasterCircle makes a circle of arcs: the renderer's own, of four curves, is
// nearly square.
func rasterCircle(r chart.Renderer, radius float64, x, y int) {
	r.ArcTo(x, y, radius, radius, 0, 2*math.Pi)
	r.Close()
}

// rasterText draws a text face by face.
func rasterText(r chart.Renderer, img *image.RGBA, c *canvas, m mark, scale float64) error {
	x := c.bounds(m).x
	for _, s := range c.fonts.stretches(m.text) {
		if s.face.tt != nil {
			r.SetFont(s.face.tt)
			r.SetFontSize(m.size * scale)
			r.SetFontColor(m.color)
			r.Text(s.text, pixels(x*scale), pixels(m.y*scale))
		} else if err := cubicText(img, s, x*scale, m.y*scale, m.size*scale, m.color); err != nil {
			return err
		}
		x += c.fonts.width(s.text, m.size)
	}
	return nil
}

// cubicText draws text of a face that go-chart cannot.
func cubicText(img *image.RGBA, s stretch, x, y, size float64, color drawing.Color) error {
	fc, err := opentype.NewFace(s.face.cff, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return err
	}
	defer fc.Close()
	d := font.Drawer{Dst: img, Src: image.NewUniform(color), Face: fc,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}}
	d.DrawString(s.text)
	return nil
}

// thin is up to how many pixels a side is a line's thickness: that must be
// the same wherever the line falls, and never nothing.
const thin = 4

// span is the whole pixels from start on that stand for size of them.
func span(start, size float64) (from, to int) {
	from = pixels(start)
	if size > 0 && size < thin {
		return from, from + max(1, pixels(size))
	}
	return from, pixels(start + size)
}

func pixels(v float64) int { return int(math.Round(v)) }
