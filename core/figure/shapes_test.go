package figure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// sampled gives every row samples with latencies, laid out in time.
func sampled(b *bench) *bench {
	random := rand.New(rand.NewPCG(3, 5))
	for _, row := range b.rows {
		if known(row.RPS) != nil && *row.RPS >= 1 && *row.RPS < 1e12 {
			b.addSamples(row, random, true)
		}
	}
	return b.withEvents()
}

// addMySQL adds a MySQL variant's rows.
func (b *bench) addMySQL(scripts ...string) *bench {
	b.run.Plan.Variants = append(b.run.Plan.Variants, plan.Variant{Label: plan.MySQL, Service: plan.MySQL, Placement: plan.Native})
	for i, script := range scripts {
		b.rows = append(b.rows, result.SummaryRow{Variant: plan.MySQL, Service: plan.MySQL, Placement: plan.Native,
			Cell: plan.Cell{Test: script, Clients: 4}, Samples: 3, RPS: ptr(16432 / float64(i+1)), Reference: plan.MySQL, Verdict: result.Reference})
	}
	return b
}

const endless = "redis-server 7.0.15 started by hand on the host with its default configuration, jemalloc 5.2.1, transparent huge pages off, in the rack by the window"

// shapes are runs as odd as people make them.
func shapes() map[string]*bench {
	one, hundred := []int{1}, []int{100}
	all := map[string]*bench{
		"one by one":     sampled(newBench([]string{"SET"}, []string{plan.Native}, hundred, one, 1)),
		"one of two":     sampled(newBench([]string{"SET"}, two, hundred, one, 6)),
		"largest":        sampled(newBench(classic, six, hundred, one, 2)),
		"payloads":       sampled(newBench(quick, five, []int{10, 100, 1000, 16000}, one, 3)),
		"pipelines":      sampled(newBench(quick[:1], five, hundred, []int{1, 10, 100, 1000, 30_000}, 3)),
		"clients":        sampled(newBench(quick[1:3], six, hundred, one, 3).withClients([]int{1, 2, 3, 4, 5, 6, 7, 8, 100, 10_000})),
		"rates":          sampled(newBench(quick[1:3], three, hundred, one, 3).withRates([]int{0, 1, 100, 10_000, 1_000_000})),
		"beside MySQL":   sampled(newBench(quick, two, hundred, one, 3)).addMySQL("oltp_read_write", "oltp_point_select"),
		"MySQL alone":    newBench(nil, nil, nil, nil, 3).addMySQL("oltp_read_write"),
		"nothing at all": {run: &result.Run{}},
	}
	zero := newBench(quick, three, []int{10, 100, 1000}, one, 6)
	for i := range zero.rows {
		r := &zero.rows[i]
		r.RPS, r.RPSLow, r.RPSHigh, r.P50, r.P95, r.P99, r.Ratio, r.RatioLow, r.RatioHigh = ptr(0), ptr(0), ptr(0), ptr(0), ptr(0), ptr(0), ptr(0), ptr(0), ptr(0)
	}
	all["all zero"] = zero
	for name, v := range map[string]float64{"NaN": math.NaN(), "infinity": math.Inf(1), "below zero": -1, "least": 5e-324, "most": math.MaxFloat64} {
		b := newBench(quick, three, []int{10, 100, 1000}, one, 6)
		for i := range b.rows {
			r := &b.rows[i]
			*[]**float64{&r.RPS, &r.RPSLow, &r.RPSHigh, &r.P50, &r.P95, &r.P99, &r.Ratio, &r.RatioLow, &r.RatioHigh}[i%9] = &v
		}
		all[name] = sampled(b)
	}
	holes := newBench(quick, five, []int{10, 100, 1000}, one, 6)
	holes.rows = slices.DeleteFunc(holes.rows, func(r result.SummaryRow) bool { return (len(r.Test)+len(r.Variant)+r.PayloadBytes)%3 == 0 })
	holes.run.Failures = []result.FailureEvent{{Variant: plan.DockerNAT, Text: "refused"},
		{Variant: plan.Native, Workload: &plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50}, Text: "reset"}}
	all["holes"] = sampled(holes)
	names := sampled(newBench(append([]string{"一个很长的测试名称，用来看它如何换行", strings.Repeat("W", 90)}, quick[:1]...), five, []int{10, 100, 1000}, one, 6))
	names.run.Edits = map[string]string{
		"title": "比较 & <Vergleich> “é” 日本語の題名 한국어 제목 🚀 " + endless, "caption": endless + " " + endless,
		"name:" + plan.Native: endless, "name:" + plan.Pinned: "绑定到核心的进程", "name:" + plan.DockerNAT: strings.Repeat("M", 120),
		"name:" + plan.DockerDirect: "コンテナ 컨테이너 é̂ 🐳", "name:" + plan.DockerHost: `<b>"&'`,
	}
	all["names"] = names
	flagged := sampled(newBench(quick, four, hundred, one, 6))
	for i := range flagged.rows {
		flags := []string{result.FlagClientBound, result.FlagErrors, result.FlagMisses, result.FlagSteal, result.FlagBusy, result.FlagUnsettled, "of-a-newer-berth"}
		flagged.rows[i].Flags = flags[i%len(flags):]
	}
	all["flagged"] = flagged
	return all
}

var three = []string{plan.Native, plan.DockerNAT, plan.DockerHost}

// Whatever a run is like, a figure of it is drawn right or refused with a sentence.
func TestEveryFigureOfEveryShapeInEverySize(t *testing.T) {
	sizes := map[string]Options{"free": {Width: 700, Height: 500, Scale: 2}, "small": {Width: 320, Height: 240}, "large": {Width: 2400, Height: 1400}}
	for _, name := range SizeNames() {
		sizes[name], _ = Options{}.Sized(name)
	}
	themeOf := []string{Light, Dark, Print}
	drawn, refused, turn := 0, 0, 0
	for shape, b := range shapes() {
		for _, figure := range All() {
			for size, o := range sizes {
				o.Theme, o.Lang = themeOf[turn%3], text.Languages[turn/3%3]
				turn++
				what := fmt.Sprintf("%s of %s, %s %s %s", figure, shape, size, o.Theme, o.Lang)
				f, err := inTime(t, what, func() (*Figure, error) { return drawRows(figure, b.run, b.rows, b.comparisons, o) })
				if err != nil {
					refused++
					var sentence *text.Error
					if !errors.As(err, &sentence) || strings.HasPrefix(err.Error(), "figure.") {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				drawn++
				checkLayout(t, what, f)
				// Drawing takes most of the time, and differs least between shapes.
				if turn%7 == 0 && size != Column {
					if _, err := f.Image(); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
			}
		}
	}
	if drawn < 300 || refused < 50 {
		t.Errorf("%d drawn, %d refused", drawn, refused)
	}
}

func inTime(t *testing.T, what string, draw func() (*Figure, error)) (f *Figure, err error) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f, err = draw()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s: it hangs", what)
	}
	return f, err
}

// checkLayout says which labels overlap and which marks are outside the picture.
func checkLayout(t *testing.T, what string, f *Figure) {
	t.Helper()
	c := f.canvas
	var labels []mark
	var bounds []box
	for _, m := range c.marks {
		b := c.bounds(m)
		if b.x < -0.01 || b.y < -0.01 || b.right() > c.width+0.01 || b.bottom() > c.height+0.01 {
			t.Errorf("%s: %s %q at %+v is outside %v × %v", what, m.role, m.text, b, c.width, c.height)
		}
		if m.kind == textMark && m.role != "watermark" {
			labels, bounds = append(labels, m), append(bounds, b)
			if strings.Contains(m.text, "figure.") || strings.Contains(m.text, "<no value>") || strings.Contains(m.text, "NaN") || strings.Contains(m.text, "Inf") {
				t.Errorf("%s: %s %q", what, m.role, m.text)
			}
		}
	}
	for i, a := range bounds {
		for j, b := range bounds[i+1:] {
			if a.overlaps(b) {
				t.Errorf("%s: %s %q and %s %q overlap", what, labels[i].role, labels[i].text, labels[i+1+j].role, labels[i+1+j].text)
			}
		}
	}
}

// A unit that is cut says nothing of its numbers, nor one that stands before them for want of room.
func TestTheUnitOfAnAxisIsWhole(t *testing.T) {
	for name, f := range drawn(t) {
		units := marksOf(f, "unit")
		for _, m := range units {
			if strings.HasSuffix(m.text, "…") {
				t.Errorf("%s: the unit %q is cut", name, m.text)
			}
		}
		percents := slices.ContainsFunc(marksOf(f, "tick"), func(m mark) bool { return strings.HasSuffix(m.text, "%") })
		if len(units) == 0 && !percents {
			t.Errorf("%s: no axis has a unit", name)
		}
	}
	for shape, b := range shapes() {
		for _, figure := range All() {
			f, err := drawRows(figure, b.run, b.rows, b.comparisons, Options{})
			if err != nil {
				continue
			}
			for _, m := range marksOf(f, "unit") {
				if strings.HasSuffix(m.text, "…") {
					t.Errorf("%s of %s: the unit %q is cut", figure, shape, m.text)
				}
			}
		}
	}
}

// A sign that is explained stands on some value, whatever has no value or no room for it.
func TestEverySignThatIsExplainedStandsOnAValue(t *testing.T) {
	all := shapes()
	cut := newBench(quick, three, []int{100}, []int{1}, 3)
	for i := range cut.rows {
		if row := &cut.rows[i]; row.Variant != plan.Native {
			row.RPS, row.Ratio, row.Flags = nil, nil, []string{result.FlagCut, result.FlagUnsettled, result.FlagEngines}
		}
	}
	all["cut"] = cut
	signs := 0
	for shape, b := range all {
		for _, figure := range All() {
			for _, o := range []Options{{}, {Width: 640, Height: 300}, {Width: 1280, Height: 720}} {
				f, err := drawRows(figure, b.run, b.rows, b.comparisons, o)
				if err != nil || figure == Baseline {
					continue
				}
				var values strings.Builder
				for _, m := range marksOf(f, "value") {
					values.WriteString(m.text + "\n")
				}
				for _, m := range marksOf(f, "footer") {
					for part := range strings.SplitSeq(m.text, "; ") {
						sign, _, _ := strings.Cut(part, " ")
						if !slices.Contains(flagMarks, sign) {
							continue
						}
						if signs++; !strings.Contains(values.String(), sign) {
							t.Errorf("%s of %s, %d × %d: %q stands on no value", figure, shape, o.Width, o.Height, part)
						}
					}
				}
			}
		}
	}
	if signs == 0 {
		t.Error("no sign is explained anywhere")
	}
}

// What was cut short, failed or answered with errors alone was measured, and is said to have been.
func TestAValueThatIsNoneSaysWhy(t *testing.T) {
	b := newBench([]string{"SET", "GET", "INCR", "LPUSH"}, two, []int{100}, []int{1}, 3)
	for i := range b.rows {
		row := &b.rows[i]
		if row.Variant == plan.Native || row.Test == "LPUSH" {
			continue
		}
		s := result.Sample{Round: 1, Variant: row.Variant, Service: row.Service, Placement: row.Placement, Elapsed: time.Second, Requests: 500,
			Workload: plan.Workload{Test: row.Test, PayloadBytes: 100, Pipeline: 1, Clients: 50}}
		switch row.Test {
		case "SET":
			s.Flags = []string{result.FlagCut}
		case "GET":
			s.Errors = s.Requests
		case "INCR":
			s.Flags = []string{result.FlagCut}
			b.run.Failures = append(b.run.Failures, result.FailureEvent{Variant: row.Variant, Workload: &s.Workload})
		}
		b.run.Samples = append(b.run.Samples, s)
		row.RPS, row.Ratio = nil, nil
	}
	f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range marksOf(f, "absent") {
		said = append(said, m.text)
	}
	if want := []string{"cut short", "error replies", "failed"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
}

// A zero that was measured is drawn as one: a stroke at zero, on an axis that goes further.
func TestAZeroIsDrawn(t *testing.T) {
	f := drawn(t)["all-zero"]
	zeros := marksOf(f, "zero")
	if len(zeros) != 2*len(quick) {
		t.Errorf("%d zeros are drawn, want %d", len(zeros), 2*len(quick))
	}
	for _, z := range zeros {
		if z.w < 2 || z.w > 4 || z.h < 4 {
			t.Errorf("a zero is %v × %v", z.w, z.h)
		}
	}
	if len(marksOf(f, "tick")) < 2 {
		t.Error("the axis of zeros has no second number")
	}
	b := newBench([]string{"SET", "GET"}, two, []int{100}, []int{1}, 1)
	b.rows[1].RPS, b.rows[1].Ratio = nil, nil
	b.run.Samples = []result.Sample{{Round: 1, Variant: b.rows[1].Variant, Elapsed: time.Second,
		Workload: plan.Workload{Test: "GET", PayloadBytes: 100, Pipeline: 1, Clients: 50}}}
	f, err := drawRows(Throughput, b.run, b.rows, b.comparisons, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(marksOf(f, "zero")); n != 1 {
		t.Errorf("a second without a reply makes %d zeros", n)
	}
}

// However much there is to draw, a picture has sides that programs can show: more goes side by side, or
// is refused with a sentence.
func TestNoFigureIsHigherThanAPictureMayBe(t *testing.T) {
	settings := func(payloads, pipelines []int) *bench {
		b := newBench(classic, six, []int{100}, []int{1}, 3)
		rows := b.rows
		b.rows = nil
		for _, row := range rows {
			for _, row.PayloadBytes = range payloads {
				for _, row.Pipeline = range pipelines {
					b.rows = append(b.rows, row)
				}
			}
		}
		return b
	}
	var tests []string
	for i := range 3000 {
		tests = append(tests, fmt.Sprint("T", i))
	}
	for _, c := range []struct {
		figure string
		b      *bench
		scale  float64
		says   string // "": it is drawn
	}{
		{Latency, settings([]int{10, 100, 1000}, []int{1, 4, 16}), 1, ""},
		{Latency, settings([]int{10, 100, 1000}, []int{1, 4, 16}), 4, "120 million pixels"},
		{Throughput, newBench(tests, six, []int{100}, []int{1}, 1), 1, "higher than 10000 pixels"},
	} {
		f, err := drawRows(c.figure, c.b.run, c.b.rows, c.b.comparisons, Options{Scale: c.scale})
		switch {
		case c.says == "" && err != nil:
			t.Error(err)
		case c.says == "" && f.canvas.height > maxSide:
			t.Errorf("%v pixels high", f.canvas.height)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%d rows: %v, want %q", len(c.b.rows), err, c.says)
		}
	}
}
