// Package figure draws charts of a run. A figure is laid out once, as a list of
// marks on a canvas; go-chart's renderers then draw the same marks as PNG, as SVG,
// or as an image for the window. What the marks show comes from package stats:
// nothing is estimated here, and no value that is not a finite number reaches a renderer.
//
// Data goes: result.Run → stats' rows → view (what is chosen to be seen) →
// content (a figure's texts and body) → canvas → raster or vector.
package figure

import (
	"fmt"
	"image"
	"io"
	"slices"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// Names of the figures, in the order in which they are shown.
const (
	// Throughput is requests a second by test, grouped by variant, a facet for
	// each payload and pipeline.
	Throughput = "throughput"
	Relative   = "relative" // throughput as a share of the reference's
	Rounds     = "rounds"   // every sample's throughput as a dot
	Latency    = "latency"  // percentiles by test
	// Distribution is latency over the share of requests that were faster.
	Distribution = "distribution"
	CPU          = "cpu"      // where the CPU time went
	Path         = "path"     // what of a published port's cost is docker-proxy
	Baseline     = "baseline" // Redis beside MySQL, log axis
	Time         = "time"     // throughput over the run's time
	// LoadCurve is latency over the throughput that was reached, by rate or clients.
	LoadCurve = "latency-throughput"
)

// Metrics that the throughput figure can show.
const (
	MetricRPS = "rps" // requests a second
	MetricP99 = "p99" // latency's 99th percentile
)

// Options say how a figure is drawn.
type Options struct {
	Width, Height int      // of the drawing, in pixels at Scale 1; 0 is 1280 × as high as it needs, at most 10,000
	Scale         float64  // 1 to 4; 0 is 1
	Theme         string   // Light, Dark or Print; "" is Light
	Lang          string   // "en", "zh-Hans", "zh-Hant"; "" is en
	Reference     string   // label of the variant that ratios refer to; "" is the plan's
	Tests         []string // empty: all
	Variants      []string // empty: all
	PayloadBytes  []int    // empty: all
	Metric        string   // MetricRPS or MetricP99; "" is MetricRPS
}

// Limits of Options. A drawing of more than maxPixels would take a gigabyte.
const (
	defaultWidth = 1280
	minSide      = 160
	maxSide      = 10_000
	MaxScale     = 4 // the largest Scale
	maxPixels    = 120e6
)

// A figureKind is one figure by name: whether a view has data for it, and how
// it is made.
type figureKind struct {
	name string
	has  func(v *view) bool
	make func(v *view) content
}

func kinds() []figureKind {
	out := []figureKind{
		{Throughput, hasRows, throughput},
		{Relative, hasRatios, relative},
		{Rounds, hasSamples, rounds},
		{Latency, hasLatency, latency},
		{Distribution, hasDistribution, distribution},
		{CPU, hasCPU, cpu},
		{Path, hasPath, path},
		{Baseline, hasBaseline, baseline},
		{Time, hasTimeline, overTime},
		{LoadCurve, hasLoadCurve, loadCurve},
	}
	for _, w := range sweeps {
		out = append(out, figureKind{w.name, w.has, w.draw})
	}
	return out
}

// A Figure is a drawing that can be written as PNG, as SVG, or shown. Its
// methods may be called more than once, one at a time.
type Figure struct {
	canvas      *canvas
	scale       float64
	title       string
	description string
	run         *result.Run
}

// All lists every figure, whether or not a run has data for it.
func All() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Names lists the figures that r has data for.
func Names(r *result.Run) []string {
	v := newView(r, stats.Summarize(r, ""), nil, Options{})
	var names []string
	for _, k := range kinds() {
		if k.has(v) {
			names = append(names, k.name)
		}
	}
	// Where Redis is set beside MySQL by name, that is what the run was for.
	if i := slices.Index(names, Baseline); i > 0 && len(v.baselinePairs()) > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, Baseline)
	}
	return names
}

// New lays the figure called name out. It fails, with a sentence, on an unknown
// name, on options out of range, and where nothing of what is chosen was measured.
func New(name string, r *result.Run, o Options) (*Figure, error) {
	return drawRows(name, r, stats.Summarize(r, o.Reference), stats.Compare(r, o.Reference), o)
}

// drawRows is New with the rows given.
func drawRows(name string, r *result.Run, rows []result.SummaryRow, comparisons []result.ComparisonRow, o Options) (*Figure, error) {
	i := slices.IndexFunc(kinds(), func(k figureKind) bool { return k.name == name })
	if i < 0 {
		return nil, text.Err("figure.unknown", text.Args{"Name": name}, nil)
	}
	return layOut(kinds()[i], r, rows, comparisons, o)
}

// layOut lays kind out.
func layOut(kind figureKind, r *result.Run, rows []result.SummaryRow, comparisons []result.ComparisonRow, o Options) (*Figure, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	f, err := newFonts()
	if err != nil {
		return nil, fmt.Errorf("read the font that charts are drawn with: %w", err)
	}
	v := newView(r, rows, comparisons, o)
	c := &canvas{width: float64(o.Width), height: float64(o.Height), fonts: f}
	if c.width == 0 {
		c.width = defaultWidth
	}
	// Chinese without a Chinese font would be a page of question marks.
	noChinese := !f.has(v.text.T("figure.requests-per-second"))
	if noChinese {
		v.text = text.For("en")
		f.forget()
	}
	if !kind.has(v) {
		return nil, text.Err("figure.no-data", text.Args{"Name": kind.name}, nil)
	}
	made := kind.make(v)
	if made.bare == nil {
		made.bare = v.bare(made)
	}
	made.notes = append(made.notes, v.unsaid(made)...)
	if noChinese {
		made.notes = append(made.notes, v.text.T("figure.no-chinese-font"))
		made.bare = append(made.bare, v.text.T("figure.no-chinese-font"))
	}
	p := page{canvas: c, theme: themes[o.theme()], text: v.text, content: made}
	if err := p.draw(); err != nil {
		return nil, err
	}
	if c.width*c.height*o.scale()*o.scale() > maxPixels {
		return nil, badSize(int(c.width), int(c.height), o.scale())
	}
	if c.broken {
		return nil, text.Err("figure.not-finite", text.Args{"Name": kind.name}, nil)
	}
	return &Figure{canvas: c, scale: o.scale(), title: made.title, description: made.described(), run: r}, nil
}

// Check says, in a sentence, which of the options cannot be used; but for tests, variants and
// payloads, of which only a run knows.
func (o Options) Check() error {
	if _, ok := themes[o.theme()]; !ok {
		return text.Err("figure.unknown-theme", text.Args{"Name": o.Theme}, nil)
	}
	if o.Metric != "" && o.Metric != MetricRPS && o.Metric != MetricP99 {
		return text.Err("figure.unknown-metric", text.Args{"Name": o.Metric}, nil)
	}
	side := func(v int) bool { return v == 0 || v >= minSide && v <= maxSide }
	s := o.scale()
	if !(s >= 1 && s <= MaxScale) {
		return text.Err("figure.bad-scale", text.Args{"Scale": s, "Most": MaxScale}, nil)
	}
	if !side(o.Width) || !side(o.Height) || float64(o.Width)*float64(o.Height)*s*s > maxPixels {
		return badSize(o.Width, o.Height, s)
	}
	return nil
}

func badSize(width, height int, scale float64) error {
	return text.Err("figure.bad-size", text.Args{"Width": width, "Height": height, "Scale": scale, "Least": minSide, "Most": maxSide}, nil)
}

func (o Options) scale() float64 {
	if o.Scale == 0 {
		return 1
	}
	return o.Scale
}

func (o Options) theme() string {
	if o.Theme == "" {
		return Light
	}
	return o.Theme
}

// Image draws the figure.
func (f *Figure) Image() (image.Image, error) { return raster(f.canvas, f.scale) }

// PNG writes the figure as PNG, with the run's identity, Berth's version and
// the resolution in it.
func (f *Figure) PNG(w io.Writer) error {
	img, err := raster(f.canvas, f.scale)
	if err != nil {
		return err
	}
	return writePNG(w, img, screenDPI*f.scale, [][2]string{
		{"Title", f.title},
		{"Description", f.description},
		{"Software", "Berth " + f.run.Berth},
		{"Berth run", f.run.ID},
	})
}

// SVG writes the figure as SVG.
func (f *Figure) SVG(w io.Writer) error {
	raw, err := vector(f.canvas, f.scale, f.title, f.description)
	if err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}
