package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

func TestPresetsAreListedWithWhatTheyTake(t *testing.T) {
	s := berth(t, newCore(t), "presets")
	if s.code != exitDone || s.err != "" {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	golden(t, "presets.out", withoutTimes(s.out))
}

func TestThePlanInTheREADMEIsAPlan(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(raw), "    name = \"mine\"\n")
	if !found {
		t.Fatal("the README has no plan")
	}
	var example strings.Builder
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") {
			break
		}
		example.WriteString(line)
	}
	p, err := plan.Read([]byte(example.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Variants) != 3 || p.Samples() != 3*2*2*6 {
		t.Errorf("it has %d modes and %d samples", len(p.Variants), p.Samples())
	}
}

func TestHelpIsInTheUsersLanguage(t *testing.T) {
	for _, lang := range text.Languages {
		golden(t, "help."+lang+".out", berthIn(t, lang, newCore(t), "--help").out+berthIn(t, lang, newCore(t), "run", "--help").out)
	}
}

func TestCleanListsWhatItRemoved(t *testing.T) {
	core := newCore(t)
	if s := berth(t, core, "clean"); s.code != exitDone || s.out != "There was nothing to remove.\n" {
		t.Errorf("exit code %d: %q", s.code, s.out)
	}
	core.removed = []string{"container berth-1", "folder /tmp/berth-2"}
	if s := berth(t, core, "clean"); s.out != "container berth-1\nfolder /tmp/berth-2\n" {
		t.Errorf("it said %q", s.out)
	}
}

func TestOpenWithoutAWindowSaysSo(t *testing.T) {
	core, run := measured(t)
	if s := berth(t, core, "open", run); s.code != exitUnusable || !strings.Contains(s.err, "built without the window") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if s := berth(t, core, "open", "nowhere"); s.code != exitUnusable || !strings.Contains(s.err, "no run nowhere") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
}

func TestEveryPhaseNamesItself(t *testing.T) {
	began := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	for phase, want := range map[string]string{
		result.PhasePreparing: "building the image, 3 s",
		result.PhaseStarting:  "12/64 · starting docker-nat, 3 s · 0:57 left",
		result.PhaseLoading:   "12/64 · docker-nat · GET 100 B · loading data, 3 s · 0:57 left",
		result.PhaseWarmUp:    "12/64 · docker-nat · GET 100 B · warming up · 0:57 left",
		result.PhaseMeasuring: "12/64 · docker-nat · GET 100 B · measuring · 0:57 left",
		result.PhaseStopping:  "12/64 · stopping docker-nat, 3 s · 0:57 left",
		result.PhasePaused:    "12/64 · paused, 3 s",
	} {
		p := newProgress(&bytes.Buffer{}, text.For("en"))
		p.observe(result.Event{At: began, Phase: &result.PhaseEvent{Phase: phase, Text: "building the image", Round: 2, Variant: "docker-nat",
			Workload: &plan.Workload{Test: "GET", PayloadBytes: 100}, Done: 12, Total: 64, Left: time.Minute}})
		if got := p.status(began.Add(3 * time.Second)); got != want {
			t.Errorf("%s: %q, want %q", phase, got, want)
		}
	}
}

func TestOnATerminalOneLineIsRewrittenAndTakenAway(t *testing.T) {
	began := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	var out bytes.Buffer
	p := newProgress(&out, text.For("zh-Hans"))
	p.live, p.width = true, func() int { return 30 }
	p.observe(result.Event{At: began, Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring, Variant: "docker-nat",
		Workload: &plan.Workload{Test: "GET", PayloadBytes: 100}, Done: 1, Total: 64, Left: time.Minute}})
	p.observe(result.Event{At: began, Tick: &result.TickEvent{RPS: 55_200}})
	p.show(began.Add(time.Second))
	line := out.String()
	if !strings.HasPrefix(line, "\r") || strings.Contains(line, "\n") {
		t.Errorf("the line is not rewritten: %q", line)
	}
	if shown := strings.TrimSuffix(strings.TrimPrefix(line, "\r"), "\x1b[K"); cellWidth(shown) >= 30 {
		t.Errorf("%q does not fit 30 cells", shown)
	}
	out.Reset()
	p.observe(result.Event{At: began, Failure: &result.FailureEvent{Text: "the server died"}})
	p.observe(result.Event{At: began, Phase: &result.PhaseEvent{Phase: result.PhaseStarting}}) // it did not end the run
	if out.String() != "\r\x1b[Kthe server died\n" {
		t.Errorf("a failure is written as %q", out.String())
	}
}

func TestFiguresAreGroupedByThousands(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 999.4: "999", 999.6: "1,000", 1_234_567: "1,234,567", -1_000: "-1,000"} {
		if got := grouped(x); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
}

func TestClockIsMinutesAndSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0:00", 99 * time.Second: "1:39", 59_600 * time.Millisecond: "1:00", 3661 * time.Second: "1:01:01"} {
		if got := clock(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
