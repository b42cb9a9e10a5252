package run

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"berth/core/agent"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
	"berth/core/text"
)

// stopTimeout bounds the ending of a server after the run itself was cancelled.
const stopTimeout = 2 * time.Second

// noticeTime is how long after a failed sample its server's own end is waited for.
const noticeTime = 2 * time.Second

// order is the order of the variants in a round: a shuffle that the plan's
// seed and the round's number fix.
func order(variants []plan.Variant, seed uint64, round int) []plan.Variant {
	shuffled := append([]plan.Variant(nil), variants...)
	r := rand.New(rand.NewPCG(seed, uint64(round)))
	r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled
}

// round measures every variant once. In the session's first round a server
// that does not start, or that goes with its Docker engine, ends the run, as little is lost yet and the user can
// mend it; later the round goes on without it. One that ends by itself costs its samples only.
func (s *session) round(round int, first bool) error {
	variants := order(s.plan.Variants, s.plan.Seed, round)
	labels := make([]string, len(variants))
	for i, v := range variants {
		labels[i] = v.Label
	}
	s.emit(result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round, Order: labels}})
	for _, v := range variants {
		started, err := s.variant(round, v)
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if err == nil {
			continue
		}
		s.fail(round, v, nil, err)
		if first && (!started || server.EngineLost(err)) {
			return err
		}
	}
	return nil
}

func (s *session) fail(round int, v plan.Variant, w *plan.Workload, err error) {
	s.emit(result.Event{Type: result.TypeFailure, Failure: &result.FailureEvent{Round: round, Variant: v.Label, Workload: w, Text: err.Error()}})
}

// variant starts v afresh, measures each workload on it, and stops it. The
// error is of the start, the stop, or a server that ended by itself; a sample that failed is an event.
func (s *session) variant(round int, v plan.Variant) (started bool, err error) {
	s.phase(result.PhaseEvent{Phase: result.PhaseStarting, Round: round, Variant: v.Label})
	defer s.clock.pass(v.Expected(nil), 0)
	workloads := s.plan.Workloads(v)
	srv, err := s.launcher.Start(s.ctx, v)
	if err != nil {
		s.clock.pass(v.Expected(workloads)-v.Expected(nil), len(workloads))
		return false, err
	}
	defer func() {
		s.phase(result.PhaseEvent{Phase: result.PhaseStopping, Round: round, Variant: v.Label})
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, srv.Stop(ctx))
	}()
	s.emit(result.Event{Type: result.TypeServer, Server: &result.ServerEvent{
		Round: round, Variant: v.Label, Address: srv.Endpoint.Address, Ready: srv.Ready, Facts: srv.Facts, Commands: srv.Commands, Flags: srv.Flags,
	}})
	for i := range workloads {
		w := workloads[i]
		if err := s.options.Pause.wait(s.ctx, func() {
			s.phase(result.PhaseEvent{Phase: result.PhasePaused, Round: round, Variant: v.Label})
		}); err != nil {
			return true, err
		}
		if err := s.sample(round, srv, w); err != nil {
			if s.ctx.Err() != nil {
				return true, err
			}
			if death := deathOf(srv); death != nil {
				s.clock.pass(v.Expected(workloads[i:])-v.Expected(nil), len(workloads[i:]))
				return true, death
			}
			s.fail(round, v, &w, err)
		}
		s.clock.pass(w.Expected(), 1)
	}
	return true, nil
}

// deathOf is why srv ended by itself or cannot be reached any more, if so. A sample may notice before the server's end is
// known: connections break first.
func deathOf(srv *server.Server) error {
	noticed := time.NewTimer(noticeTime)
	defer noticed.Stop()
	select {
	case <-srv.Exited():
	case <-noticed.C:
	}
	return srv.Failure()
}

// whileRunning is done when ctx is or srv has ended: a sample ends with its server, whatever an
// engine that is restarted does to connections. release must be called.
func whileRunning(ctx context.Context, srv *server.Server) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-srv.Exited():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); <-watched }
}

// sample measures w once on srv.
func (s *session) sample(round int, srv *server.Server, w plan.Workload) error {
	tell := func(phase string) {
		s.phase(result.PhaseEvent{Phase: phase, Round: round, Variant: srv.Variant.Label, Workload: &w})
	}
	s.beside = false
	s.lookBeside()
	var last agent.Tick
	ctx, release := whileRunning(s.ctx, srv)
	defer release()
	res, err := agent.Run(ctx, s.job(round, srv, w), func(e agent.Event) {
		switch {
		case e.Tick != nil:
			t := *e.Tick
			tick := &result.TickEvent{Elapsed: t.Elapsed, Requests: t.Requests, P95: t.P95}
			if span := (t.Elapsed - last.Elapsed).Seconds(); span > 0 {
				tick.RPS = float64(t.Requests-last.Requests) / span
				tick.TPS = float64(t.Transactions-last.Transactions) / span
			}
			last = t
			s.emit(result.Event{Type: result.TypeTick, Tick: tick})
		case phases[e.Phase] != "":
			tell(phases[e.Phase])
		}
	})
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if err == nil {
		err = srv.Failure()
	}
	if err != nil {
		return err
	}
	s.lookBeside()
	s.emit(result.Event{Type: result.TypeSample, Sample: s.measured(round, srv, w, res)})
	switch {
	case res.Cut != "":
		return text.Err("run.cut", text.Args{"Reason": res.Cut}, nil)
	case res.Requests > 0 && res.Errors >= res.Requests:
		return text.Err("run.only-errors", text.Args{"Test": w.Test, "Reply": first(res.FirstErrors)}, nil)
	}
	return nil
}

// first is the first error reply by the alphabet of its kinds: the same in every sample.
func first(errs map[string]string) string {
	for _, kind := range slices.Sorted(maps.Keys(errs)) {
		return errs[kind]
	}
	return ""
}

// phases of an agent that are phases of the run.
var phases = map[redisload.Phase]string{
	redisload.Preparing: result.PhaseLoading,
	redisload.WarmingUp: result.PhaseWarmUp,
	redisload.Measuring: result.PhaseMeasuring,
}
