package figure

import (
	"errors"
	"image"
	"io"

	"berth/core/result"
)

// Throughput is the name of the first figure: requests a second by test,
// grouped by variant, a facet for each payload and pipeline.
const Throughput = "throughput"

// Options say how a figure is drawn.
type Options struct {
	Width, Height int      // of the drawing, in pixels at Scale 1; 0 is 1280 × as high as it needs
	Scale         float64  // 1 to 4; 0 is 1
	Theme         string   // "light", "dark", "print"; "" is light
	Lang          string   // "en", "zh-Hans", "zh-Hant"; "" is en
	Reference     string   // label of the variant that ratios refer to; "" is the plan's
	Tests         []string // empty: all
	Variants      []string // empty: all
	PayloadBytes  []int    // empty: all
	Metric        string   // "rps" or "p99"; "" is rps
}

// A Figure is a drawing that can be written as PNG, as SVG, or shown.
type Figure struct{}

// Names lists the figures that r has data for.
func Names(r *result.Run) []string { return []string{Throughput} }

// New lays the figure called name out.
func New(name string, r *result.Run, o Options) (*Figure, error) { return nil, errors.New("not built") }

// Image draws the figure.
func (f *Figure) Image() (image.Image, error) { return nil, errors.New("not built") }

// PNG writes the figure as PNG.
func (f *Figure) PNG(w io.Writer) error { return errors.New("not built") }

// SVG writes the figure as SVG.
func (f *Figure) SVG(w io.Writer) error { return errors.New("not built") }

// VariantColor is the colour that a variant has in every figure and in the
// window: index is its place in the plan.
func VariantColor(index int) (r, g, b uint8) { return 0, 0, 0 }
