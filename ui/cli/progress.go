package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	// term tells a terminal from a file and says how wide it is.
	"golang.org/x/term"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// A progress tells how a run goes: on a terminal one line, rewritten once a
// second; elsewhere a line for each round and each sample.
type progress struct {
	w     io.Writer
	words *text.Catalogue
	live  bool
	width func() int // of the terminal, in cells

	mu    sync.Mutex
	phase result.PhaseEvent
	since time.Time       // when the phase began
	rps   float64         // in the second before; 0 if the phase is not measuring
	every map[string]bool // loads of MySQL that a line is written of at each tick
	all   []plan.Workload // of the plan; what they differ in is told of each
	// failure is one that the next event tells whether it ended the run.
	failure string
	shown   bool // a line that is to be rewritten stands on the terminal
}

func newProgress(w io.Writer, words *text.Catalogue) *progress {
	p := &progress{w: w, words: words, width: func() int { return 80 }}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live = true
		p.width = func() int {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
				return width
			}
			return 80
		}
	}
	return p
}

// tell lets p know the plan whose run it tells of.
func (p *progress) tell(of plan.Plan) {
	p.every, p.all = map[string]bool{}, of.EveryWorkload()
	for _, o := range of.OLTPs {
		p.every[o.Name] = o.ReportSeconds > 0
	}
}

// apart is what tells w from the plan's other workloads of the same service, besides its test and payload.
func (p *progress) apart(w plan.Workload) string {
	differ := func(of func(plan.Workload) any) bool {
		return slices.ContainsFunc(p.all, func(o plan.Workload) bool {
			return (o.PayloadBytes == 0) == (w.PayloadBytes == 0) && of(o) != of(w)
		})
	}
	args := text.Args{"MySQL": w.PayloadBytes == 0}
	if differ(func(o plan.Workload) any { return o.Load }) {
		args["Load"] = result.LoadName(w.Load, p.words)
	}
	if differ(func(o plan.Workload) any { return o.Pipeline }) {
		args["Pipeline"] = w.Pipeline
	}
	if differ(func(o plan.Workload) any { return o.Clients }) {
		args["Clients"] = w.Clients
	}
	if differ(func(o plan.Workload) any { return o.Rate }) {
		args["Rated"], args["Rate"] = true, w.Rate
	}
	return p.words.T("cli.apart", args)
}

// start rewrites the line once a second until stop is called, which takes the
// line away and returns when nothing more will be written.
func (p *progress) start() (stop func()) {
	if !p.live {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		second := time.NewTicker(time.Second)
		defer second.Stop()
		for {
			select {
			case now := <-second.C:
				p.show(now)
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		p.mu.Lock()
		defer p.mu.Unlock()
		p.takeAway()
	}
}

// observe takes in one event of the run.
func (p *progress) observe(e result.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if said := p.failure; said != "" {
		p.failure = ""
		if e.End == nil || e.End.Text != said { // what ends the run is said after it
			p.line(said)
		}
	}
	switch {
	case e.Phase != nil:
		p.phase, p.since, p.rps = *e.Phase, e.At, 0
	case e.Run != nil:
		p.tell(e.Run.Plan)
	case e.Tick != nil:
		p.rps = e.Tick.RPS
		p.interval(*e.Tick)
	case e.Round != nil:
		p.line(p.words.T("cli.round", text.Args{"Round": e.Round.Round, "Order": strings.Join(e.Round.Order, ", ")}))
	case e.Sample != nil && !p.live:
		s := e.Sample
		id := "cli.sample"
		if s.Requests == 0 || s.Errors >= s.Requests {
			id = "cli.sample-failed" // it has no rate; why, is told next
		}
		p.line(p.words.T(id, text.Args{"Apart": p.apart(s.Workload), "Variant": s.Variant, "Test": s.Workload.Test,
			"Payload": s.Workload.PayloadBytes, "RPS": grouped(s.RPS()), "Done": p.phase.Done + 1, "Total": p.phase.Total}))
	case e.Failure != nil:
		p.failure = e.Failure.Text
	case e.Notice != nil:
		p.line(e.Notice.Text)
	}
}

// interval writes a line about a sample of MySQL that goes on, where the plan asks for such.
func (p *progress) interval(k result.TickEvent) {
	w := p.phase.Workload
	if w == nil || k.TPS == 0 || !p.every[w.Load] {
		return
	}
	p.line(p.words.T("cli.interval", text.Args{"Seconds": fmt.Sprintf("%.0f", k.Elapsed.Seconds()), "Threads": w.Clients,
		"TPS": grouped(k.TPS), "QPS": grouped(k.RPS), "P95": fmt.Sprintf("%.2f", k.P95)}))
}

// line writes a line that stays.
func (p *progress) line(s string) {
	p.takeAway()
	fmt.Fprintln(p.w, s)
}

func (p *progress) show(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase.Phase == "" {
		return
	}
	p.rewrite(p.status(now))
}

// rewrite puts s in place of the line that stands there, on a terminal.
func (p *progress) rewrite(s string) {
	if !p.live {
		return
	}
	fmt.Fprintf(p.w, "\r%s\x1b[K", cut(s, p.width()-1))
	p.shown = true
}

func (p *progress) takeAway() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// status is what is being done, since when, and the time left.
func (p *progress) status(now time.Time) string {
	in := now.Sub(p.since)
	args := text.Args{
		"Round": p.phase.Round, "Variant": p.phase.Variant, "Text": p.phase.Text, "Done": p.phase.Done, "Total": p.phase.Total,
		"Since": fmt.Sprintf("%.0f", in.Seconds()), "Left": clock(max(0, p.phase.Left-in)), "RPS": grouped(p.rps),
	}
	if w := p.phase.Workload; w != nil {
		args["Test"], args["Payload"], args["Apart"] = w.Test, w.PayloadBytes, p.apart(*w)
	}
	if p.phase.Phase == result.PhaseMeasuring && p.rps > 0 {
		return p.words.T("cli.phase-measured", args)
	}
	return p.words.T("cli.phase-"+p.phase.Phase, args)
}

// clock writes a duration as minutes and seconds: "1:40".
func clock(d time.Duration) string {
	s := int((d + time.Second/2) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
