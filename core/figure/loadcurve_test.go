package figure

import (
	"slices"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/result"
)

func TestLatencyOverThroughputNeedsThreeLoads(t *testing.T) {
	for _, loads := range [][]int{{50}, {10, 50}, {10, 50, 100}} {
		b := newBench(quick[:1], two, []int{100}, []int{1}, 6).withClients(loads)
		if got, want := hasLoadCurve(newView(b.run, b.rows, nil, Options{})), len(loads) >= leastSweep; got != want {
			t.Errorf("with %v clients there is a figure: %v", loads, got)
		}
	}
}

func TestLatencyOverThroughputGoesFromTheLightestLoadOn(t *testing.T) {
	b := newBench(quick[1:2], two[:1], []int{100}, []int{1}, 6).withClients([]int{100, 1, 10})
	b.rows[0].RPS = ptr(*b.rows[2].RPS / 2) // 100 clients get less than 10 do: the line turns back
	c := loadCurve(newView(b.run, b.rows, nil, Options{}))
	chart := c.body.(*lineChart)
	if len(chart.panels) != 2 {
		t.Fatalf("%d panels, want p50 and p99", len(chart.panels))
	}
	cv := chart.panels[1].curves[0]
	want := []point{{*b.rows[1].RPS, *b.rows[1].P99}, {*b.rows[2].RPS, *b.rows[2].P99}, {*b.rows[0].RPS, *b.rows[0].P99}}
	if !slices.Equal(cv.points[0], want) || !slices.Equal(cv.names, []string{"1", "10", "100"}) {
		t.Errorf("the line goes through %v named %q, want %v", cv.points, cv.names, want)
	}
}

func TestLatencyOverThroughputLeavesOutWhatIsUnknown(t *testing.T) {
	b := newBench(quick[1:2], two[:1], []int{100}, []int{1}, 6).withClients([]int{1, 10, 100, 200})
	b.rows[1].P99, b.rows[2].RPS = nil, nil
	cv := loadCurve(newView(b.run, b.rows, nil, Options{})).body.(*lineChart).panels[1].curves[0]
	if !slices.Equal(cv.names, []string{"1", "200"}) || len(cv.points[0]) != 2 {
		t.Errorf("points named %q at %v", cv.names, cv.points)
	}
}

// A name over another point or a line would be taken for that one's.
func TestNamesOfPointsLieOnNothing(t *testing.T) {
	names := 0
	for scene, f := range drawn(t) {
		for _, name := range marksOf(f, "point") {
			names++
			b := f.canvas.bounds(name)
			for _, m := range f.canvas.marks {
				switch {
				case m.role == "dot" && b.overlaps(f.canvas.bounds(m)):
					t.Errorf("%s: the name %q lies on a point", scene, name.text)
				case m.role == "curve":
					for i := 1; i < len(m.points); i++ {
						if b.crossed(m.points[i-1], m.points[i]) {
							t.Errorf("%s: a line goes through the name %q", scene, name.text)
						}
					}
				}
			}
		}
	}
	if names == 0 {
		t.Error("no point has a name")
	}
}

func TestALineThroughABoxIsSeen(t *testing.T) {
	b := box{10, 10, 10, 10}
	for want, lines := range map[bool][][2]point{
		true:  {{{0, 15}, {30, 15}}, {{15, 0}, {15, 30}}, {{0, 0}, {30, 30}}, {{12, 12}, {13, 13}}},
		false: {{{0, 0}, {30, 0}}, {{0, 15}, {9, 15}}, {{0, 18}, {18, 36}}, {{25, 0}, {25, 30}}},
	} {
		for _, l := range lines {
			if b.crossed(l[0], l[1]) != want {
				t.Errorf("%v through %v: %v", l, b, !want)
			}
		}
	}
}

func TestAPanelsTitleIsShortenedOnlyWhereItStaysItsOwn(t *testing.T) {
	l := &lineChart{panels: []panel{{title: "LPUSH"}, {title: "LPUSH (needed to benchmark LRANGE)"}}}
	for title, want := range map[string]string{
		"p99 · LRANGE_100 (first 100 elements) · 500 bytes": "p99 · LRANGE_100 · 500 bytes",
		"LPUSH (needed to benchmark LRANGE)":                "LPUSH (needed to benchmark LRANGE)",
		"SET (":                                             "SET (",
	} {
		if got := l.shortTitle(title); got != want {
			t.Errorf("%q is shortened to %q, want %q", title, got, want)
		}
	}
}

func TestFlagsOfALoadCurveAreExplained(t *testing.T) {
	b := newBench(quick[:1], two, []int{100}, []int{1}, 6).withClients([]int{1, 10, 100})
	b.rows[2].Flags = []string{result.FlagClientBound}
	f, err := drawRows(LoadCurve, b.run, b.rows, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range marksOf(f, "footer") {
		if strings.Contains(m.text, "the load client was the limit") {
			return
		}
	}
	t.Error("the client's limit is not said")
}

func TestLatencyByRateSaysFromWhenItCounts(t *testing.T) {
	b := newBench(quick[1:2], two, []int{100}, []int{1}, 6).withRates([]int{0, 10_000, 20_000, 40_000})
	f, err := drawRows(LoadCurve, b.run, b.rows, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var subtitle []string
	for _, m := range marksOf(f, "subtitle") {
		subtitle = append(subtitle, m.text)
	}
	said := strings.Join(subtitle, " ")
	for _, want := range []string{"numbers at points are the requests/s asked for", "latency counts from when a request was due", "max = as fast as it goes"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
	// As fast as it goes is another kind of load: no line leads to it.
	cv := loadCurve(newView(b.run, b.rows, nil, Options{})).body.(*lineChart).panels[0].curves[0]
	if len(cv.points) != 2 || len(cv.points[0]) != 3 || len(cv.points[1]) != 1 || !slices.Equal(cv.names, []string{"10k", "20k", "40k", "max"}) {
		t.Errorf("stretches %v named %q", cv.points, cv.names)
	}
	for _, name := range []string{Latency, Throughput} {
		f, err := drawRows(name, b.run, b.rows, nil, Options{Metric: MetricP99})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.description, "latency counts from when a request was due") {
			t.Errorf("%s: %q", name, f.description)
		}
	}
	unpaced := newBench(quick[1:2], two, []int{100}, []int{1}, 6)
	f, err = drawRows(Latency, unpaced.run, unpaced.rows, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(f.description, "was due") {
		t.Errorf("without a rate: %q", f.description)
	}
}

// A note below lines says of which values it holds: of a load that is not drawn it says nothing.
func TestNotesBelowLinesSpeakOfWhatIsDrawn(t *testing.T) {
	b := newBench(quick[1:3], two, []int{100}, []int{1}, 3).withClients([]int{1, 4, 16})
	alone := b.rows[0]
	alone.Load, alone.PayloadBytes, alone.Samples, alone.Flags = "alone", 3, 5, []string{result.FlagTooShort}
	b.rows = append(b.rows, alone)
	b.run.Plan.Loads = append(b.run.Plan.Loads, plan.Load{Name: "alone", Requests: 123_456})
	for i := range b.rows {
		switch row := &b.rows[i]; {
		case row.Variant == plan.Native && row.Clients == 4:
			row.Flags = append(row.Flags, result.FlagUnsettled)
		case row.Variant == plan.DockerNAT && row.Test == "SET":
			row.Flags = append(row.Flags, result.FlagSteal)
		}
		if row := &b.rows[i]; row.Load == "" {
			row.Flags = append(row.Flags, result.FlagCPUsShared)
		}
	}
	for _, figure := range []string{"sweep-clients", LoadCurve} {
		f, err := drawRows(figure, b.run, b.rows, b.comparisons, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range marksOf(f, "footer", "subtitle") {
			said = append(said, m.text)
		}
		all := strings.Join(said, "\n")
		for _, want := range []string{"All values: load client and server shared CPUs\n", "Native process (4 clients): the warm-up ended", "Docker -p (SET): the hypervisor took CPU time", " 3 rounds"} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q in\n%s", figure, want, all)
			}
		}
		for _, no := range []string{"too short", "123,456", "All values: too short", "3 bytes", "5 rounds"} {
			if strings.Contains(all, no) {
				t.Errorf("%s: %q in\n%s", figure, no, all)
			}
		}
	}
}
