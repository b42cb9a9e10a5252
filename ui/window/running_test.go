//go:build !headless

package window

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
)

// A stage is a run that the test plays event by event.
type stage struct {
	core *fakeCore
	play chan result.Event
	seen chan struct{}
	// cancelled is closed when the window has stopped the run.
	cancelled chan struct{}
}

func newStage() *stage {
	s := &stage{core: &fakeCore{}, play: make(chan result.Event), seen: make(chan struct{}), cancelled: make(chan struct{})}
	s.core.execute = func(ctx context.Context, o run.Options) (*result.Run, error) {
		r := &result.Run{}
		for {
			select {
			case e, more := <-s.play:
				if !more {
					return r, nil
				}
				r.Add(e)
				o.Observe(e)
				s.seen <- struct{}{}
			case <-ctx.Done():
				close(s.cancelled)
				return r, ctx.Err()
			}
		}
	}
	return s
}

// show plays an event in w.
func (s *stage) show(w *testWindow, e result.Event) {
	s.play <- e
	<-s.seen
	w.inbox.take()
}

// start presses Run and plays the first events up to the first measured sample.
func (s *stage) start(t *testing.T) *testWindow {
	t.Helper()
	w := open(t, s.core)
	w.win.Canvas().Focus(w.setup.load.entries["rounds"])
	test.Tap(w.setup.run)
	for _, e := range events(t, w.running.progress.run.Plan) {
		s.show(w, e)
		if e.Sample != nil {
			return w
		}
	}
	t.Fatal("no sample was played")
	return nil
}

func TestARunSaysWhatIsMeasuredSinceWhenAndHowLongYet(t *testing.T) {
	p := plan.Presets()[0]
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	work := p.EveryWorkload()[2]
	g := progress{run: &result.Run{RunEvent: result.RunEvent{Plan: p}}, rounds: 4}
	w := open(t, &fakeCore{})
	for _, c := range []struct {
		event result.Event
		want  string
	}{
		{result.Event{Phase: &result.PhaseEvent{Phase: result.PhaseStarting, Round: 2, Variant: plan.DockerHost}}, "Round 2/4 · Starting Docker host network, 1.2 s"},
		{result.Event{Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring, Round: 2, Variant: plan.DockerNAT, Workload: &work}}, "Round 2/4 · Docker -p · GET 100 B · 1.2 s"},
		{result.Event{Tick: &result.TickEvent{RPS: 55200.4}}, "Round 2/4 · Docker -p · GET 100 B · 1.2 s · 55,200/s"},
	} {
		c.event.At = at
		g.take(c.event)
		if got := w.headline(&g, at.Add(1200*time.Millisecond)); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	g.take(result.Event{At: at, Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring, Done: 3, Total: 12, Left: 52 * time.Second}})
	if got := g.left(at.Add(12 * time.Second)); got != 40*time.Second {
		t.Errorf("%v left, want 40 s", got)
	}
	if got := g.share(); got != 0.25 {
		t.Errorf("%v done, want a quarter", got)
	}
}

func TestNothingHoldsTheFocusWhileMeasuring(t *testing.T) {
	s := newStage()
	w := s.start(t)
	if f := w.win.Canvas().Focused(); f != nil {
		t.Errorf("%T holds the focus: its cursor blinks beside the measuring", f)
	}
	close(s.play)
	w.rest()
}

func TestEventsDrawNothingBeforeTheNextSecond(t *testing.T) {
	s := newStage()
	w := s.start(t)
	w.running.draw()
	before := w.running.line.Text
	s.show(w, result.Event{Type: result.TypeTick, At: time.Now(), Tick: &result.TickEvent{RPS: 77777}})
	if got := w.running.line.Text; got != before {
		t.Errorf("a tick drew %q at once", got)
	}
	if !strings.Contains(w.headline(&w.running.progress, time.Now()), "77,777/s") {
		t.Error("the tick was lost")
	}
	close(s.play)
	w.rest()
}

func TestStopAsksThenKeepsWhatWasMeasured(t *testing.T) {
	s := newStage()
	w := s.start(t)
	test.Tap(w.running.stopIt)
	dialog := w.win.Canvas().Overlays().Top()
	if dialog == nil {
		t.Fatal("Stop did not ask")
	}
	test.Tap(button(t, dialog, "Stop, keep results"))
	w.running.draw()
	if !strings.HasPrefix(w.running.line.Text, "Stopping") {
		t.Errorf("while it stops it says %q", w.running.line.Text)
	}
	<-s.cancelled
	w.rest()
	if w.results == nil || len(w.results.run.Samples) != 1 {
		t.Error("the sample that was measured is not shown")
	}
}

func TestEscapeAsksToStop(t *testing.T) {
	s := newStage()
	w := s.start(t)
	w.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.win.Canvas().Overlays().Top() == nil {
		t.Error("Escape did not ask")
	}
	close(s.play)
	w.rest()
}

func TestClosingDuringARunAsksThenStopsIt(t *testing.T) {
	s := newStage()
	w := s.start(t)
	closed := false
	w.win.SetOnClosed(func() { closed = true })
	w.close()
	if closed {
		t.Fatal("the window closed without asking")
	}
	test.Tap(button(t, w.win.Canvas().Overlays().Top(), "Stop and close"))
	<-s.cancelled
	w.rest()
	if !closed {
		t.Error("the window stayed open")
	}
}

func TestPauseHoldsTheRunAndLetsItGoOn(t *testing.T) {
	s := newStage()
	w := s.start(t)
	test.Tap(w.running.pauseIt)
	if w.running.pauseIt.Text != "Go on" {
		t.Errorf("the button says %q", w.running.pauseIt.Text)
	}
	s.show(w, result.Event{Type: result.TypePhase, At: time.Now(), Phase: &result.PhaseEvent{Phase: result.PhasePaused, Left: time.Minute}})
	w.running.draw()
	if !strings.HasPrefix(w.running.line.Text, "Paused") {
		t.Errorf("the line says %q", w.running.line.Text)
	}
	test.Tap(w.running.pauseIt)
	if w.running.pauseIt.Text != "Pause after sample" {
		t.Errorf("the button says %q", w.running.pauseIt.Text)
	}
	close(s.play)
	w.rest()
}

func TestTheSquaresFollowTheRounds(t *testing.T) {
	r := measured(t)
	g := progress{run: &result.Run{RunEvent: r.RunEvent}, rounds: 4}
	for _, e := range r.Events {
		g.take(e)
		if e.Sample != nil && e.Sample.Round == 2 && e.Sample.Variant == plan.DockerNAT {
			break // round 2 has native whole and docker-nat begun
		}
	}
	for _, c := range []struct {
		round   int
		variant string
		want    mark
	}{
		{1, plan.Native, done}, {1, plan.DockerNAT, done}, {2, plan.Native, done}, {2, plan.DockerNAT, current}, {3, plan.Native, waiting},
	} {
		if got := g.mark(c.round, c.variant); got != c.want {
			t.Errorf("round %d %s: mark %d, want %d", c.round, c.variant, got, c.want)
		}
	}
}
