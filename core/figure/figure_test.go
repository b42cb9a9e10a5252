package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

var figures = sync.OnceValues(func() (map[string]*Figure, error) {
	out := map[string]*Figure{}
	for _, s := range scenes() {
		f, err := s.draw()
		if err != nil {
			return nil, err
		}
		out[s.name] = f
	}
	return out, nil
})

// drawn are the scenes' figures, laid out once for all tests.
func drawn(t *testing.T) map[string]*Figure {
	t.Helper()
	all, err := figures()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func marksOf(f *Figure, roles ...string) []mark {
	var out []mark
	for _, m := range f.canvas.marks {
		if slices.Contains(roles, m.role) {
			out = append(out, m)
		}
	}
	return out
}

func TestNoTwoLabelsOverlap(t *testing.T) {
	for name, f := range drawn(t) {
		var labels []mark
		for _, m := range f.canvas.marks {
			// A watermark is meant to lie across the rest.
			if m.kind == textMark && m.role != "watermark" {
				labels = append(labels, m)
			}
		}
		for i, a := range labels {
			for _, b := range labels[i+1:] {
				if f.canvas.bounds(a).overlaps(f.canvas.bounds(b)) {
					t.Errorf("%s: %s %q and %s %q overlap", name, a.role, a.text, b.role, b.text)
				}
			}
		}
	}
}

func TestEverythingIsInsideThePicture(t *testing.T) {
	for name, f := range drawn(t) {
		c := f.canvas
		for _, m := range c.marks {
			if b := c.bounds(m); b.x < 0 || b.y < 0 || b.right() > c.width+0.01 || b.bottom() > c.height+0.01 {
				t.Errorf("%s: %s %q at %+v is outside %v × %v", name, m.role, m.text, b, c.width, c.height)
			}
		}
	}
}

func TestBarsBeginAtZeroAndAreInProportion(t *testing.T) {
	for name, f := range drawn(t) {
		axes := marksOf(f, "axis")
		scales := map[float64][]float64{} // pixels for each unit, by the axis that the bar stands on
		for _, bar := range marksOf(f, "bar") {
			i := slices.IndexFunc(axes, func(a mark) bool {
				return math.Abs(a.x+a.w-bar.x) < 0.01 && bar.y >= a.y && bar.y+bar.h <= a.y+a.h+0.01
			})
			if i < 0 {
				t.Errorf("%s: a bar of %v begins at %v, where no axis has its zero", name, bar.value, bar.x)
				continue
			}
			if bar.value == 0 {
				if bar.w != 0 {
					t.Errorf("%s: a bar of 0 is %v long", name, bar.w)
				}
				continue
			}
			scales[axes[i].x+1e6*axes[i].y] = append(scales[axes[i].x+1e6*axes[i].y], bar.w/bar.value)
		}
		for _, s := range scales {
			if slices.Max(s)-slices.Min(s) > 1e-9*slices.Max(s) {
				t.Errorf("%s: bars on one axis have scales from %v to %v", name, slices.Min(s), slices.Max(s))
			}
		}
	}
}

func TestEveryCellOfTheLargestFigureHasItsBarAndItsValue(t *testing.T) {
	f := drawn(t)["largest"]
	if bars := len(marksOf(f, "bar")); bars != 21*6 {
		t.Errorf("%d bars, want %d", bars, 21*6)
	}
	if values := len(marksOf(f, "value")); values != 21*6 {
		t.Errorf("%d values, want %d", values, 21*6)
	}
}

func TestAbsentCellsSayWhy(t *testing.T) {
	f := drawn(t)["absent"]
	var said []string
	for _, m := range marksOf(f, "absent") {
		said = append(said, m.text)
	}
	slices.Sort(said)
	if want := []string{"failed", "not measured"}; !slices.Equal(said, want) {
		t.Errorf("absent cells say %q, want %q", said, want)
	}
	var notes, values strings.Builder
	for _, m := range marksOf(f, "footer") {
		notes.WriteString(m.text + "\n")
	}
	for _, m := range marksOf(f, "value") {
		values.WriteString(m.text + "\n")
	}
	if !strings.Contains(values.String(), "115,787 *\n") || !strings.Contains(notes.String(), "* the load client was the limit") {
		t.Errorf("the client-bound mark is not both on its value and explained:\n%s%s", values.String(), notes.String())
	}
	if !strings.Contains(values.String(), "\n0\n") {
		t.Errorf("a measured zero is not written as 0:\n%s", values.String())
	}
}

func TestTitleIsTheFinding(t *testing.T) {
	for lang, want := range map[string]string{
		"en":      "Docker -p serves 58% fewer requests than Native process",
		"zh-Hans": "Docker -p 的吞吐量比原生低 58%",
	} {
		b := newBench(quick, four, []int{100}, []int{1}, 6)
		f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{Lang: lang})
		if err != nil {
			t.Fatal(err)
		}
		if f.title != want {
			t.Errorf("%s: title %q, want %q", lang, f.title, want)
		}
		// A part of the run is not what the comparison of the whole speaks of.
		f, err = drawRows(Throughput, b.run, b.rows, b.comparisons, Options{Lang: lang, Tests: quick[:2]})
		if err != nil {
			t.Fatal(err)
		}
		if f.title == want {
			t.Errorf("%s: two tests of four have the title of all", lang)
		}
	}
}

func TestNoVerdictNoFinding(t *testing.T) {
	b := newBench(quick, two, []int{100}, []int{1}, 2)
	b.comparisons[0].Verdict = result.TooFewRounds
	f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.title != "Throughput by test and mode" {
		t.Errorf("title %q", f.title)
	}
}

func TestVariantKeepsItsColourWhenOthersAreLeftOut(t *testing.T) {
	b := newBench(quick, four, []int{100}, []int{1}, 4)
	f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{Variants: []string{plan.DockerNAT}})
	if err != nil {
		t.Fatal(err)
	}
	if fill := marksOf(f, "fill")[0].color; fill != variantColor(2) {
		t.Errorf("docker-nat, third of the plan, is %v alone, want %v", fill, variantColor(2))
	}
}

// TestNotANumberComesBack is about a renderer that would spin for ever.
func TestNotANumberComesBack(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, math.MaxFloat64, 5e-324} {
		b := newBench(quick, two, []int{100}, []int{1}, 6)
		for i := range b.rows {
			b.rows[i].RPSHigh, b.rows[i].Ratio, b.rows[i].P99, b.rows[i].RatioLow = &v, &v, &v, &v
		}
		b.rows[0].RPS = &v
		for _, name := range []string{Throughput, Relative, Latency} {
			done := make(chan error, 1)
			go func() {
				f, err := drawRows(name, b.run, b.rows, b.comparisons, Options{Width: 600, Height: 400})
				if err == nil {
					_, err = f.Image()
				}
				done <- err
			}()
			select {
			case err := <-done:
				var sentence *text.Error
				if err != nil && !errors.As(err, &sentence) {
					t.Errorf("%s of %v: %v", name, v, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s of %v hangs", name, v)
			}
		}
	}
}

func TestUnusableOptionsAreSaidInASentence(t *testing.T) {
	b := newBench(quick, two, []int{100}, []int{1}, 4)
	for name, o := range map[string]Options{
		"theme":  {Theme: "pink"},
		"metric": {Metric: "joy"},
		"small":  {Width: 20, Height: 20},
		"scale":  {Scale: 9},
		"nan":    {Scale: math.NaN()},
		"huge":   {Width: 9000, Height: 9000, Scale: 4},
		"tight":  {Width: 160, Height: 160},
		"empty":  {Tests: []string{"NOPE"}},
	} {
		_, err := drawRows(Throughput, b.run, b.rows, b.comparisons, o)
		var sentence *text.Error
		if !errors.As(err, &sentence) || strings.HasPrefix(err.Error(), "figure.") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := drawRows("pie", b.run, b.rows, b.comparisons, Options{}); err == nil {
		t.Error("a figure that there is not was drawn")
	}
}

func TestSVGIsWellFormedAndEscaped(t *testing.T) {
	for name, f := range drawn(t) {
		var b bytes.Buffer
		if err := f.SVG(&b); err != nil {
			t.Fatal(err)
		}
		raw := b.String()
		d := xml.NewDecoder(strings.NewReader(raw))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if name == "names" && (!strings.Contains(raw, "&lt;Wert&gt; &#34;é&#34; 日本語") || strings.Contains(raw, "<b>")) {
			t.Errorf("%s: the title is not escaped", name)
		}
	}
}

func TestPNGSaysItsRunAndItsResolution(t *testing.T) {
	b := newBench(quick, two, []int{100}, []int{1}, 4)
	f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{Width: 400, Height: 300, Scale: 3.125})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.PNG(&out); err != nil {
		t.Fatal(err)
	}
	raw := out.Bytes()
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size != (image.Point{1250, 938}) {
		t.Errorf("size %v, want 1250 × 938", size)
	}
	// 300 dots an inch are 11,811 a metre.
	if !bytes.Contains(raw, append([]byte("pHYs"), 0, 0, 0x2E, 0x23, 0, 0, 0x2E, 0x23, 1)) {
		t.Error("no pHYs of 300 dpi")
	}
	for _, want := range []string{"iTXtBerth run\x00\x00\x00\x00\x0020261130-202551-quick-1f3a", "iTXtSoftware\x00\x00\x00\x00\x00Berth 0.1.0"} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("no %q", want)
		}
	}
}

func TestNamesListsOnlyFiguresWithData(t *testing.T) {
	b := newBench(quick, two, []int{100}, []int{1}, 4)
	has := func() []string {
		v := newView(b.run, b.rows, nil, Options{})
		var names []string
		for _, k := range kinds() {
			if k.has(v) {
				names = append(names, k.name)
			}
		}
		return names
	}
	if got, want := has(), []string{Throughput, Relative, Latency}; !slices.Equal(got, want) {
		t.Errorf("without samples: %q, want %q", got, want)
	}
	b.withSamples(true)
	if got, want := has(), []string{Throughput, Relative, Rounds, Latency, Distribution, CPU}; !slices.Equal(got, want) {
		t.Errorf("with samples: %q, want %q", got, want)
	}
	if got := Names(&result.Run{}); len(got) != 0 {
		t.Errorf("an empty run has %q", got)
	}
}

func TestNewTakesItsRowsFromTheRun(t *testing.T) {
	b := newBench(quick, five, []int{100}, []int{1}, 6).withSamples(true).withEvents()
	for _, name := range []string{Throughput, Relative, Rounds, Latency, Distribution, CPU, Path, Time} {
		f, err := New(name, b.run, Options{Theme: Dark, Lang: "zh-Hant"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := f.PNG(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := New(Throughput, b.run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var bars []float64
	for _, m := range marksOf(f, "bar") {
		bars = append(bars, m.value)
	}
	for _, row := range b.rows {
		if !slices.ContainsFunc(bars, func(v float64) bool { return math.Abs(v-*row.RPS) < 1 }) {
			t.Errorf("no bar has the median of %s %s, %v", row.Variant, row.Test, *row.RPS)
		}
	}
}

// A share outside 0 to 100% is no share: neither a bar nor a title says that it is all or nothing.
func TestAPathThatCannotBeToldApartHasNoBar(t *testing.T) {
	variants := simulated.Five()
	variants[3].Speed = map[string]float64{"": 1.3}
	f, err := New(Path, simulated.Run(simulated.Options{Seed: 11, Rounds: 6, Variants: variants, Tests: []string{"SET", "GET"}, SampleNoise: 0.01}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if parts := marksOf(f, "part"); len(parts) > 0 {
		t.Errorf("%d parts are drawn", len(parts))
	}
	absent := marksOf(f, "absent")
	if len(absent) != 3 || !strings.HasPrefix(absent[0].text, "cannot be told apart: estimate 1") || f.title != "What docker-proxy and the bridge cost Docker -p cannot be told apart" {
		t.Errorf("title %q, marks %+v", f.title, absent)
	}
}

// A test that the reference lacks keeps its place in both figures, and is said to have no ratio.
func TestATestWithoutTheReferenceKeepsItsPlace(t *testing.T) {
	order := []string{"SET", "GET", "INCR"}
	r := simulated.Run(simulated.Options{Seed: 3, Rounds: 3, Variants: simulated.Five()[:3], Tests: order})
	r.Samples = slices.DeleteFunc(r.Samples, func(s result.Sample) bool { return s.Variant == "native" && s.Workload.Test == "SET" })
	// As measured when the first server of the first round failed before its first test.
	slices.SortStableFunc(r.Samples, func(a, b result.Sample) int {
		return slices.Index(order, b.Workload.Test) - slices.Index(order, a.Workload.Test)
	})
	for _, name := range []string{Throughput, Relative} {
		f, err := New(name, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var tests []string
		for _, m := range marksOf(f, "test") {
			tests = append(tests, m.text)
		}
		if !slices.Equal(tests, order) {
			t.Errorf("%s: tests %q, want %q", name, tests, order)
		}
		absent := marksOf(f, "absent")
		if name == Relative && (len(absent) != 2 || absent[0].text != "no ratio: in no round with a value of Native process") {
			t.Errorf("%s: absent %+v", name, absent)
		}
	}
}

// On paper without colours patterns tell the modes apart, also where bars have parts.
func TestBarsOfCPUAreHatchedInPrint(t *testing.T) {
	b := newBench(quick[:1], four, []int{100}, []int{1}, 3).withSamples(false)
	hatched := map[string]int{}
	for _, theme := range []string{Light, Print} {
		f, err := drawRows(CPU, b.run, b.rows, b.comparisons, Options{Theme: theme})
		if err != nil {
			t.Fatal(err)
		}
		hatches := marksOf(f, "hatch")
		for _, part := range marksOf(f, "part") {
			if slices.ContainsFunc(hatches, func(h mark) bool { return f.canvas.bounds(h).overlaps(f.canvas.bounds(part)) }) {
				hatched[theme]++
			}
		}
		for _, swatch := range marksOf(f, "swatch") {
			if slices.ContainsFunc(hatches, func(h mark) bool { return f.canvas.bounds(h).overlaps(f.canvas.bounds(swatch)) }) {
				hatched[theme+" legend"]++
			}
		}
	}
	// The pinned one and the published port have a pattern, beside docker-proxy its own; the rest lie apart in lightness.
	if hatched[Light] != 1 || hatched[Print] != 3 || hatched[Light+" legend"] != 0 || hatched[Print+" legend"] != 2 {
		t.Errorf("hatched: %v", hatched)
	}
}

// A round that is far from the others is a ring, and the subtitle says what rings are.
func TestOutliersAreRings(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 3, Rounds: 8, Variants: simulated.Five()[:2], Tests: []string{"SET"}, SampleNoise: 0.005})
	for _, rings := range []int{0, 1} {
		if rings > 0 {
			r.Samples[0].Requests /= 3
		}
		f, err := New(Rounds, r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(marksOf(f, "outlier")); n != rings || strings.Contains(marksOf(f, "subtitle")[0].text, "ring = far") != (rings > 0) {
			t.Errorf("%d rings, want %d: %q", n, rings, marksOf(f, "subtitle")[0].text)
		}
	}
}

func TestAShortRunIsToldInSeconds(t *testing.T) {
	for rounds, unit := range map[int]string{2: "seconds since the first round", 60: "minutes since the first round"} {
		b := newBench(quick[:2], two, []int{100}, []int{1}, rounds).withSamples(false).withEvents()
		f, err := drawRows(Time, b.run, b.rows, b.comparisons, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(marksOf(f, "unit"), func(m mark) bool { return m.text == unit }) {
			t.Errorf("%d rounds: no axis of %s", rounds, unit)
		}
	}
}

func TestNamesOfPointsStayOffPanelsTitles(t *testing.T) {
	for name, f := range drawn(t) {
		for _, p := range marksOf(f, "point") {
			for _, title := range marksOf(f, "panel") {
				a, b := f.canvas.bounds(p), f.canvas.bounds(title)
				a.y -= 2
				if a.overlaps(b) {
					t.Errorf("%s: the point's name %q touches %q", name, p.text, title.text)
				}
			}
		}
	}
}

func BenchmarkLargestImage(b *testing.B) {
	largest(b, func(f *Figure) error { _, err := f.Image(); return err })
}

func BenchmarkLargestPNG(b *testing.B) {
	largest(b, func(f *Figure) error { return f.PNG(io.Discard) })
}

func BenchmarkLargestSVG(b *testing.B) {
	largest(b, func(f *Figure) error { return f.SVG(io.Discard) })
}

// largest lays the largest figure out and writes it: 21 tests × 6 variants
// with intervals and values at 1600 × 900.
func largest(b *testing.B, write func(*Figure) error) {
	made := newBench(classic, six, []int{100}, []int{1}, 6)
	for b.Loop() {
		f, err := drawRows(Throughput, made.run, made.rows, made.comparisons, Options{Width: 1600, Height: 900})
		if err != nil {
			b.Fatal(err)
		}
		if err := write(f); err != nil {
			b.Fatal(err)
		}
	}
}

// TestScenesCanBeLookedAt writes every scene where BERTH_FIGURES says, to be
// looked at by eye.
func TestScenesCanBeLookedAt(t *testing.T) {
	dir := os.Getenv("BERTH_FIGURES")
	for name, f := range drawn(t) {
		var p, s bytes.Buffer
		if err := f.PNG(&p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.SVG(&s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if dir == "" {
			continue
		}
		for ext, raw := range map[string][]byte{".png": p.Bytes(), ".svg": s.Bytes()} {
			if err := os.WriteFile(filepath.Join(dir, name+ext), raw, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
}
