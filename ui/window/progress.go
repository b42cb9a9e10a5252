//go:build !headless

package window

import (
	"time"

	"berth/core/figure"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// A progress is how far a run is, as its events tell. It draws nothing.
type progress struct {
	run   *result.Run // replayed so far
	phase *result.PhaseEvent
	since time.Time // when the phase began
	rps   float64   // of the sample that is being measured; 0 is not known yet
	// rounds is how many there will be.
	rounds int
}

// take notes one event.
func (p *progress) take(e result.Event) {
	switch {
	case e.Tick != nil:
		p.rps = e.Tick.RPS
		return // ticks are many and nothing is read from them later
	case e.Phase != nil:
		phase := *e.Phase
		p.phase, p.since, p.rps = &phase, e.At, 0
		return
	case e.Session != nil:
		p.rounds = len(p.run.Rounds) + e.Session.Rounds
	}
	p.run.Add(e)
}

// share is the part of the session that is done, 0 to 1.
func (p *progress) share() float64 {
	if p.phase == nil || p.phase.Total <= 0 {
		return 0
	}
	return float64(p.phase.Done) / float64(p.phase.Total)
}

// left is the time that the rest is expected to take.
func (p *progress) left(now time.Time) time.Duration {
	if p.phase == nil {
		return 0
	}
	if p.phase.Phase == result.PhasePaused {
		return p.phase.Left
	}
	return max(0, p.phase.Left-now.Sub(p.since))
}

// Marks that a square in the list of rounds bears.
type mark int

const (
	waiting mark = iota
	current
	done
	failed
)

// mark is how far variant is in round.
func (p *progress) mark(round int, variant string) mark {
	for _, f := range p.run.Failures {
		if f.Round == round && f.Variant == variant {
			return failed
		}
	}
	if p.phase != nil && p.phase.Round == round && p.phase.Variant == variant {
		return current
	}
	n := 0
	for i := range p.run.Samples {
		if p.run.Samples[i].Round == round && p.run.Samples[i].Variant == variant {
			n++
		}
	}
	if v, ok := p.run.Plan.Variant(variant); ok && n >= len(p.run.Plan.Workloads(v)) && n > 0 {
		return done
	}
	return waiting
}

// order is the shuffled order of a round, by label; the plan's while it is not drawn yet.
func (p *progress) order(round int) (labels []string, drawn bool) {
	for _, r := range p.run.Rounds {
		if r.Round == round {
			return r.Order, true
		}
	}
	for _, v := range p.run.Plan.Variants {
		labels = append(labels, v.Label)
	}
	return labels, false
}

// colour is the index of the colour that a variant has in every chart; -1 if the plan
// does not have it.
func colour(p plan.Plan, label string) int {
	if index, ok := figure.VariantColors(p)[label]; ok {
		return index
	}
	return -1
}

// headline says what is being done, in one line.
func (w *window) headline(p *progress, now time.Time) string {
	if p.phase == nil {
		return w.t("phase-preparing", text.Args{"Seconds": seconds(now.Sub(p.since))})
	}
	args := text.Args{
		"Round": p.phase.Round, "Rounds": p.rounds,
		"Mode": w.variantName(p.run, p.phase.Variant), "Seconds": seconds(now.Sub(p.since)),
	}
	if p.phase.Workload != nil {
		args["Work"] = w.workName(*p.phase.Workload)
	}
	line := w.t("phase-"+p.phase.Phase, args)
	if p.phase.Phase == result.PhaseMeasuring && p.rps > 0 {
		line += w.t("now-rps", text.Args{"RPS": thousands(p.rps)})
	}
	return line
}

// variantName is what people call the variant labelled label.
func (w *window) variantName(r *result.Run, label string) string {
	return result.Name(r, label, w.words)
}

// workName is a workload in a few words: "GET 100 B, P=16".
func (w *window) workName(l plan.Workload) string {
	return w.t("work", text.Args{"Test": l.Test, "Payload": l.PayloadBytes, "Pipeline": l.Pipeline})
}
