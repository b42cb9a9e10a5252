//go:build !headless

package window

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
)

// settleFor is how long the size must stay the same before a chart is drawn anew.
const settleFor = 200 * time.Millisecond

// A chart shows a figure drawn at the pixel size that it has in the window.
type chart struct {
	widget.BaseWidget
	w     *window
	lay   func(figure.Options) (*figure.Figure, error) // nil, nil: nothing to show yet
	empty string                                       // said while there is nothing to show

	image  *canvas.Image
	remark *widget.Label
	sized  *time.Timer
}

func newChart(w *window, lay func(figure.Options) (*figure.Figure, error), empty string) *chart {
	c := &chart{w: w, lay: lay, empty: empty, image: &canvas.Image{FillMode: canvas.ImageFillContain}}
	c.remark = widget.NewLabelWithStyle(empty, fyne.TextAlignCenter, fyne.TextStyle{})
	c.remark.Wrapping = fyne.TextWrapWord
	c.ExtendBaseWidget(c)
	return c
}

func (c *chart) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewStack(c.image, container.NewVBox(c.remark)))
}

func (c *chart) MinSize() fyne.Size { return fyne.NewSize(320, 200) }

// Resize stretches the picture at once and draws it anew when the size has settled.
func (c *chart) Resize(size fyne.Size) {
	if size == c.Size() {
		return
	}
	c.BaseWidget.Resize(size)
	if c.w.settle == 0 {
		c.redraw()
		return
	}
	if c.sized != nil {
		c.sized.Stop()
	}
	c.sized = time.AfterFunc(c.w.settle, func() { c.w.do(c.redraw) })
}

// redraw draws the figure for the size that the chart has now.
func (c *chart) redraw() {
	o := c.options()
	if o.Width < 1 || o.Height < 1 {
		return
	}
	f, err := c.lay(o)
	if err != nil { // too many bars for this height: as high as it needs, and shown smaller
		o.Height = 0
		f, err = c.lay(o)
	}
	if err == nil && f != nil {
		c.image.Image, err = f.Image()
	}
	switch {
	case err != nil:
		c.image.Image = nil
		c.remark.SetText(c.w.words.Error(err))
	case f == nil:
		c.remark.SetText(c.empty)
	default:
		c.remark.SetText("")
	}
	c.image.Refresh()
}

func (c *chart) options() figure.Options {
	o := figure.Options{Width: int(c.Size().Width), Height: int(c.Size().Height), Scale: 1, Theme: c.w.theme(), Lang: c.w.words.Lang()}
	if canvas := fyne.CurrentApp().Driver().CanvasForObject(c); canvas != nil {
		o.Scale = min(max(1, float64(canvas.Scale())), 4)
	}
	return o
}
