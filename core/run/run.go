// Package run carries a plan out: rounds over every variant in shuffled order,
// one server at a time, each workload measured once on it by an agent. It is
// the only package that knows both servers and load. Everything that happens
// is an event, written to the run's log and shown to whoever observes.
//
// Data goes: plan → servers and agents → events → log and observer.
package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/assets"
	"berth/core/host"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
	"berth/core/text"
)

// Options of a run.
type Options struct {
	Plan plan.Plan
	// Logs are further files that get the whole event log, beside the one that
	// every run has in Folder(). They must not exist yet.
	Logs []string
	// Observe is called with every event, in order, from one goroutine at a
	// time; it must return soon. May be nil.
	Observe func(result.Event)
	// Pause, when not nil, holds the run between samples while it is set.
	Pause *Pause
	// Lang is the language of what is said while images and tables are made;
	// "" is English.
	Lang string
}

// Execute carries out o.Plan and returns the run. Cancelling ctx stops it
// within two seconds with every server stopped; what was measured is kept. The
// run is nil only if it could not begin; the error says why it did not end
// as planned: ctx's, or a sentence of the catalogue.
func Execute(ctx context.Context, o Options) (*result.Run, error) {
	p := o.Plan.Clone()
	p.Complete()
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := CheckLoad(p); err != nil {
		return nil, err
	}
	if p.Seed == 0 {
		p.Seed = rand.Uint64()>>11 | 1 // 53 bits: JSON readers keep it exact
	}
	topology := host.ReadTopology()
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Placement == plan.Pinned && v.CPUs == "" {
			v.CPUs = strconv.Itoa(host.ChooseServer(topology))
		}
	}
	if err := available(ctx, p.Variants); err != nil {
		return nil, err
	}
	if err := CheckExisting(ctx, p); err != nil {
		return nil, err
	}
	id := NewID(p)
	path := filepath.Join(Folder(), id, result.LogName)
	log, err := result.Create(append([]string{path}, o.Logs...)...)
	if err != nil {
		return nil, err
	}
	s := newSession(ctx, p, o, log, &result.Run{Path: path})
	s.emit(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: id, Berth: assets.Version, Plan: p}})
	return s.execute(topology, 1, p.Rounds)
}

// Continue adds rounds to the run whose log is at path, and to the log in
// Folder() if it is a copy. Passwords of existing
// servers, which no log has, are taken from o.Plan's variants of the same label; the
// rest of o.Plan and o.Logs are not used.
func Continue(ctx context.Context, path string, rounds int, o Options) (*result.Run, error) {
	if rounds < 1 || rounds > plan.MaxRounds {
		return nil, text.Err("plan.out-of-range", text.Args{"Value": rounds, "Low": 1, "High": plan.MaxRounds}, nil)
	}
	r, err := result.Open(path)
	if err != nil {
		return nil, err
	}
	if err := Continuable(r); err != nil {
		return nil, err
	}
	log, r, err := result.Resume(r.Path, filepath.Join(Folder(), r.ID, result.LogName))
	if err != nil {
		return nil, err
	}
	p := r.Plan
	p.Variants = append([]plan.Variant(nil), p.Variants...)
	for i := range p.Variants {
		for _, given := range o.Plan.Variants {
			if given.Label == p.Variants[i].Label {
				p.Variants[i].Password = given.Password
			}
		}
	}
	if err := available(ctx, p.Variants); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	first := 1
	for _, round := range r.Rounds {
		first = max(first, round.Round+1)
	}
	return newSession(ctx, p, o, log, r).execute(host.ReadTopology(), first, rounds)
}

// Continuable says of a run whose figures other tools reported that no rounds can be added to it.
func Continuable(r *result.Run) error {
	if len(r.Imported) > 0 {
		return text.Err("run.imported", text.Args{"Files": strings.Join(r.Imported, ", ")}, nil)
	}
	return nil
}

// CheckHere says what keeps a checked plan from being started on this machine that can be known without asking
// any server: its port is taken or not allowed, its load is more than can be sent, nothing can be kept.
func CheckHere(p plan.Plan) error {
	if err := server.CheckPort(p.Host, p.Port); err != nil {
		return err
	}
	if err := server.CheckContainerPort(p.Port, p.Variants); err != nil {
		return err
	}
	if err := CheckLoad(p); err != nil {
		return err
	}
	return CheckFolder()
}

// CheckLoad says of a checked plan's first workload that this machine cannot
// send why not: too little memory, too few files.
func CheckLoad(p plan.Plan) error {
	s := session{plan: p}
	for _, v := range p.Variants {
		if v.Service != plan.Redis {
			continue
		}
		for _, w := range p.Workloads(v) {
			// Of the server, Check only reads how its address is written.
			err := redisload.Check(*s.requests(server.Endpoint{Network: "tcp", Address: "127.0.0.1:6379"}, w, p.Seed))
			var told *text.Error
			if errors.As(err, &told) && told.Args["Address"] != nil {
				delete(told.Args, "Address") // no server of the run is there
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckExisting says of the first existing server that does not do for a checked plan why not.
func CheckExisting(ctx context.Context, p plan.Plan) error {
	s := session{plan: p, prefix: server.KeyPrefix}
	clients := 0
	for _, w := range p.Workloads(plan.Variant{Service: plan.Redis}) {
		clients = max(clients, w.Clients)
	}
	for _, v := range p.Variants {
		if err := server.CheckExisting(ctx, v, len(s.keys()) > 0, clients); err != nil {
			return text.Err("run.unavailable", text.Args{"Variant": v.Label, "Reason": err}, nil)
		}
	}
	return nil
}

// available says of the first variant that cannot run here why not.
func available(ctx context.Context, variants []plan.Variant) error {
	for _, v := range variants {
		if a := server.Check(ctx, v); !a.OK {
			return text.Err("run.unavailable", text.Args{"Variant": v.Label, "Reason": a.Why()}, nil)
		}
	}
	return nil
}

// A session is one execution, from its start or its continuation to its end.
type session struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	plan     plan.Plan
	options  Options
	log      *result.Log
	run      *result.Run
	cpus     int // of the machine
	agent    result.Agent
	prefix   string // of every key
	launcher *server.Launcher
	clock    clock
	beside   bool // another Berth runs, or did when the sample began
	warned   bool // of another Berth
}

func newSession(ctx context.Context, p plan.Plan, o Options, log *result.Log, r *result.Run) *session {
	s := &session{plan: p, options: o, log: log, run: r}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// execute measures rounds first … first+rounds-1 and ends the session.
func (s *session) execute(topology host.Topology, first, rounds int) (*result.Run, error) {
	defer s.cancel(nil)
	s.place(topology)
	s.emit(result.Event{Type: result.TypeSession, Session: &result.SessionEvent{
		Berth: assets.Version, Rounds: rounds, Agent: s.agent, Facts: host.Read(s.ctx),
	}})
	s.clock.begin(s.plan, rounds)
	err := s.rounds(first, rounds)
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	s.emit(result.Event{Type: result.TypeEnd, End: ending(err)})
	if cause := context.Cause(s.ctx); err == nil && cause != nil {
		err = cause // the log could not be closed off
	}
	if len(s.run.Samples) == 0 {
		s.log.Discard() // nothing to open, nothing to stand in a second try's way
		s.run.Path = ""
		return s.run, err
	}
	return s.run, errors.Join(err, s.log.Close())
}

func ending(err error) *result.EndEvent {
	switch {
	case err == nil:
		return &result.EndEvent{Reason: result.EndDone}
	case errors.Is(err, context.Canceled):
		return &result.EndEvent{Reason: result.EndStopped}
	}
	return &result.EndEvent{Reason: result.EndFailed, Text: err.Error()}
}

// place chooses the agent's CPUs and the keys' prefix, the same for every
// variant.
func (s *session) place(topology host.Topology) {
	s.cpus = len(topology)
	if m, err := host.ReadMeter(); err == nil {
		s.cpus = m.CPUs()
	}
	var servers host.Servers
	for _, v := range s.plan.Variants {
		if v.Placement == plan.Existing {
			s.prefix = server.KeyPrefix + s.run.ID + ":"
		}
		cpus, err := host.ParseCPUs(v.CPUs)
		if v.CPUs != "" && err == nil {
			servers.Bound = append(servers.Bound, cpus...)
		}
		bound := server.BoundCPUs(v)
		servers.Bound = append(servers.Bound, bound...)
		// docker-proxy runs where it likes, also when its server does not.
		if v.CPUs == "" && bound == nil || v.Placement == plan.DockerNAT {
			servers.Free = true
		}
	}
	threads := 0
	if len(s.plan.Loads) > 0 {
		threads = s.plan.Loads[0].Threads // which all have
	}
	place := host.ChooseAgent(topology, servers, threads)
	s.agent = result.Agent{CPUs: place.CPUs, Threads: place.Threads}
	if place.Shared {
		s.agent.Flags = []string{result.FlagCPUsShared}
	}
}

// rounds starts the launcher, measures, and leaves nothing running.
func (s *session) rounds(first, rounds int) (err error) {
	s.launcher, err = server.NewLauncher(s.ctx, server.Options{
		RunID: s.run.ID, Host: s.plan.Host, Port: s.plan.Port, Lang: s.options.Lang,
		Variants: s.plan.Variants, Keys: s.keys(), MySQL: s.mysql(),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.launcher.Close()) }()
	if left := s.launcher.Uncleaned(); left != nil {
		s.notice(left)
	}
	s.lookBeside()
	s.phase(result.PhaseEvent{Phase: result.PhasePreparing})
	say := func(what string) { s.phase(result.PhaseEvent{Phase: result.PhasePreparing, Text: what}) }
	if err := s.launcher.Prepare(s.ctx, s.plan.Variants, say); err != nil {
		return err
	}
	for round := first; round < first+rounds; round++ {
		if err := s.round(round, round == first); err != nil {
			return err
		}
	}
	if n := len(s.run.Failures); n > 0 {
		return text.Err("run.failures", text.Args{"Failures": n, "First": s.run.Failures[0].Text}, nil)
	}
	return nil
}

// keys are all that the run writes to existing servers; none if it has none.
func (s *session) keys() []server.Keys {
	var keys []server.Keys
	if s.prefix == "" {
		return nil
	}
	for _, w := range s.plan.Workloads(plan.Variant{Service: plan.Redis}) {
		test, err := redisload.Lookup(s.plan.Load(w.Load).Suite, w.Test)
		if err != nil {
			continue // the plan was checked: its tests are there
		}
		name, numbers := test.Key(s.prefix, w.Keyspace)
		if k := (server.Keys{Name: name, Numbers: numbers}); name != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// notice tells what does not keep the run from going on, but should be known.
func (s *session) notice(err error) {
	s.emit(result.Event{Type: result.TypeNotice, Notice: &result.NoticeEvent{Text: err.Error()}})
}

// lookBeside looks for other Berths, and tells of the first.
func (s *session) lookBeside() {
	others := s.launcher.Others()
	s.beside = s.beside || len(others) > 0
	if len(others) > 0 && !s.warned {
		s.warned = true
		s.notice(text.Err("run.another-berth", text.Args{"PID": others[0]}, nil))
	}
}

// emit writes e to the log and shows it. A log that cannot be written ends the run.
func (s *session) emit(e result.Event) {
	e.At = time.Now()
	s.run.Add(e)
	if err := s.log.Append(e); err != nil {
		s.cancel(err)
	}
	if s.options.Observe != nil {
		s.options.Observe(e)
	}
}

// phase says what is done now, with what is done and left of the session.
func (s *session) phase(p result.PhaseEvent) {
	p.Done, p.Total, p.Left = s.clock.done, s.clock.total, s.clock.left()
	s.emit(result.Event{Type: result.TypePhase, Phase: &p})
}
