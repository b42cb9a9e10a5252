//go:build !headless

package window

import (
	"context"
	"errors"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/text"
)

// What is drawn while a run goes on costs CPU that the samples should have: text
// and bar at most once a second, the chart between samples and no oftener than this.
const (
	drawEvery  = time.Second
	chartEvery = 3 * time.Second
)

// running is the window while a run goes on.
type running struct {
	w        *window
	progress progress
	pause    run.Pause
	paused   bool
	cancel   context.CancelFunc
	stopping bool
	closing  bool // the window closes when the run has ended
	charted  time.Time

	line, left *widget.Label
	bar        *widget.ProgressBar
	rounds     *widget.List
	log        *widget.Label
	chart      *chart
	pauseIt    *widget.Button
	stopIt     *widget.Button
}

// execute carries out p.
func (w *window) execute(p plan.Plan) {
	w.carryOut(&result.Run{RunEvent: result.RunEvent{Plan: p}}, w.core.Execute)
}

// addRounds continues r by addedRounds. No log has a password: the one that was typed is used.
func (w *window) addRounds(r *result.Run) {
	again := *r
	again.Plan.Variants = slices.Clone(r.Plan.Variants)
	for i := range again.Plan.Variants {
		if v := &again.Plan.Variants[i]; v.Placement == plan.Existing {
			v.Password = w.form.Password
		}
	}
	w.carryOut(&again, func(ctx context.Context, o run.Options) (*result.Run, error) {
		return w.core.Continue(ctx, r.Path, addedRounds, o)
	})
}

// carryOut shows the running state while carry runs beside the window, then the results.
func (w *window) carryOut(before *result.Run, carry func(context.Context, run.Options) (*result.Run, error)) {
	r := &running{w: w}
	known := *before // the replay goes on in a copy; the results keep theirs
	r.progress = progress{run: &known, since: time.Now(), rounds: known.Plan.Rounds}
	w.leave()
	w.running = r
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(w.ctx)
	r.show()
	o := run.Options{Plan: known.Plan, Observe: w.bridge(r.take), Pause: &r.pause, Lang: w.words.Lang()}
	w.beside(func(context.Context) {
		stopClock := r.startClock()
		kept, err := carry(ctx, o)
		stopClock()
		r.cancel()
		w.do(func() { r.ended(kept, err) })
	})
}

// startClock draws once a second until the function that it returns has been called.
func (r *running) startClock() (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(r.w.pace)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				r.w.do(r.draw)
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

// take notes an event; only a finished sample draws at once: its chart, between samples.
func (r *running) take(e result.Event) {
	r.progress.take(e)
	switch {
	case e.Sample != nil && e.At.Sub(r.charted) >= chartEvery:
		r.charted = e.At
		r.chart.redraw()
	case e.Failure != nil:
		r.tell(e.Failure.Text)
	case e.Notice != nil:
		r.tell(e.Notice.Text)
	}
}

// tell adds a line at the foot.
func (r *running) tell(sentence string) {
	r.log.SetText(strings.TrimSpace(r.log.Text + "\n" + sentence))
	r.log.Show()
}

// show puts the running state into the window.
func (r *running) show() {
	w := r.w
	r.line = widget.NewLabel(w.headline(&r.progress, time.Now()))
	r.line.SizeName = theme.SizeNameSubHeadingText
	r.line.Truncation = fyne.TextTruncateEllipsis
	r.left = widget.NewLabel("")
	r.bar = widget.NewProgressBar()
	r.bar.TextFormatter = func() string { return "" } // unreadable on the light bar: it stands beside it
	r.pauseIt = widget.NewButtonWithIcon(w.t("pause"), theme.MediaPauseIcon(), r.togglePause)
	r.stopIt = widget.NewButtonWithIcon(w.t("stop"), theme.MediaStopIcon(), r.askStop)
	r.stopIt.Importance = widget.DangerImportance
	r.log = note("")
	r.chart = newChart(w, r.figure, w.t("no-sample-yet"))
	r.rounds = r.roundsList()

	head := container.NewVBox(r.line,
		container.NewBorder(nil, nil, nil, container.NewHBox(r.left, r.pauseIt, r.stopIt), r.bar))
	left := column(w.t("rounds-shuffled"), container.NewBorder(r.legend(), nil, nil, nil, r.rounds))
	body := container.NewHSplit(left, column(w.t("so-far"), r.chart))
	body.SetOffset(0.2)
	r.log.Hide()
	r.log.Importance = widget.WarningImportance
	foot := container.NewVBox(widget.NewSeparator(), r.log, note(w.t("may-hide")))
	w.show(w.t("heading", text.Args{"Version": w.version}), container.NewBorder(container.NewPadded(head), foot, nil, nil, body))
}

// draw brings text, bar and squares up to date; it is called once a second.
func (r *running) draw() {
	if r.w.running != r {
		return
	}
	now := time.Now()
	if !r.stopping {
		r.line.SetText(r.w.headline(&r.progress, now))
	}
	if r.progress.phase != nil {
		r.left.SetText(r.w.t("left-time", text.Args{
			"Time": clock(r.progress.left(now)), "Percent": int(100 * r.progress.share())}))
	}
	r.bar.SetValue(r.progress.share())
	r.rounds.Refresh()
}

// figure draws what was measured so far.
func (r *running) figure(o figure.Options) (*figure.Figure, error) {
	if len(r.progress.run.Samples) == 0 {
		return nil, nil
	}
	return figure.New(figure.Throughput, r.progress.run, o)
}

// legend names the colours.
func (r *running) legend() fyne.CanvasObject {
	box := container.New(layout.NewCustomPaddedVBoxLayout(-8))
	for _, v := range r.progress.run.Plan.Variants {
		name := note(r.w.variantName(r.progress.run, v.Label))
		box.Add(container.NewBorder(nil, nil, swatch(colour(r.progress.run.Plan, v.Label)), nil, name))
	}
	return container.NewVBox(container.New(layout.NewCustomPaddedLayout(0, 0, 8, 0), box), note(r.w.t("marks")), widget.NewSeparator())
}

// roundsList has a line a round, with a square for each variant in the round's order.
func (r *running) roundsList() *widget.List {
	variants := len(r.progress.run.Plan.Variants)
	return widget.NewList(
		func() int { return max(r.progress.rounds, len(r.progress.run.Rounds)) },
		func() fyne.CanvasObject {
			line := container.NewHBox(fixedWidth(48, widget.NewLabel("")))
			for range variants {
				line.Add(swatch(-1))
			}
			return line
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			line := o.(*fyne.Container)
			line.Objects[0].(*fyne.Container).Objects[0].(*widget.Label).SetText(strconv.Itoa(i + 1))
			order, drawn := r.progress.order(i + 1)
			for j, label := range order {
				if j+1 < len(line.Objects) {
					square := line.Objects[j+1].(*fyne.Container).Objects[0].(*canvas.Rectangle)
					r.paintMark(square, label, r.progress.mark(i+1, label), drawn)
				}
			}
		})
}

func (r *running) paintMark(square *canvas.Rectangle, label string, m mark, drawn bool) {
	index := colour(r.progress.run.Plan, label)
	if !drawn {
		index = -1
	}
	paint(square, index, m == done)
	switch m {
	case current:
		square.StrokeWidth = 4
		square.Refresh()
	case failed:
		square.StrokeColor, square.FillColor = theme.Color(theme.ColorNameError), color.Transparent
		square.Refresh()
	}
}

// togglePause holds the run after the sample, or lets it go on.
func (r *running) togglePause() {
	r.paused = !r.paused
	r.pause.Set(r.paused)
	if r.paused {
		r.pauseIt.SetIcon(theme.MediaPlayIcon())
		r.pauseIt.SetText(r.w.t("go-on"))
	} else {
		r.pauseIt.SetIcon(theme.MediaPauseIcon())
		r.pauseIt.SetText(r.w.t("pause"))
	}
}

// askStop asks before it stops.
func (r *running) askStop() {
	r.w.confirm("stop", "stop-question", "stop", func() {
		if r.w.running == r {
			r.stop()
		}
	})
}

// stop ends the run within two seconds; what was measured is kept.
func (r *running) stop() {
	r.stopping = true
	r.stopIt.Disable()
	r.pauseIt.Disable()
	r.line.SetText(r.w.t("stopping"))
	r.cancel()
}

// ended shows what there is: the results, or the form when nothing was measured.
func (r *running) ended(kept *result.Run, err error) {
	w := r.w
	w.running = nil
	if r.closing {
		w.win.Close()
		return
	}
	if kept != nil && len(kept.Samples) > 0 {
		w.showResults(kept)
		w.app.SendNotification(fyne.NewNotification(w.t("title"), w.t("ended-notice")))
	} else {
		w.showSetup()
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		w.showError(err)
	}
}

// seconds writes d as "1.2".
func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(0, d.Seconds()), 'f', 1, 64)
}

// thousands writes f as "121,304".
func thousands(f float64) string {
	s := strconv.FormatFloat(math.Round(f), 'f', 0, 64)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
