//go:build !headless

package window

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"berth/core/host"
	"berth/core/ingest"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
)

// fakeCore is a machine on which everything is as the test says.
type fakeCore struct {
	off     map[string]server.Availability // by placement; what is not in it can run
	badCPUs string                         // a CPU list that this machine has not
	port    error
	kept    []string
	runs    map[string]*result.Run // by log
	// execute is what a run does; added are the rounds that Continue was asked for.
	execute func(ctx context.Context, o run.Options) (*result.Run, error)
	added   int
	planned plan.Plan // of the last run
	connect func(server.Endpoint) (host.Facts, error)
	// clean is what cleaning up after earlier Berths does; nil: nothing is left.
	clean func(server.Ask) ([]string, error)
	edits []result.EditEvent // that were kept
	check func(variant string, w plan.Workload) (*run.Checked, error)
}

func (c *fakeCore) Available(_ context.Context, v plan.Variant) server.Availability {
	if v.CPUs != "" && v.CPUs == c.badCPUs {
		return server.Availability{Err: errors.New("CPU " + v.CPUs + " is not there.")}
	}
	if a, off := c.off[v.Placement]; off {
		return a
	}
	return server.Availability{OK: true}
}

func (c *fakeCore) CheckHere(p plan.Plan) error {
	if p.Port == 0 {
		return nil
	}
	return c.port
}

func (c *fakeCore) TestConnection(_ context.Context, e server.Endpoint) (host.Facts, error) {
	return c.connect(e)
}

func (c *fakeCore) Execute(ctx context.Context, o run.Options) (*result.Run, error) {
	c.planned = o.Plan
	return c.execute(ctx, o)
}

func (c *fakeCore) Continue(ctx context.Context, _ string, rounds int, o run.Options) (*result.Run, error) {
	c.added, c.planned = rounds, o.Plan
	return c.execute(ctx, o)
}

func (c *fakeCore) Check(_ context.Context, _ *result.Run, variant string, w plan.Workload, _ string, say func(string)) (*run.Checked, error) {
	say("redis-benchmark, turn 1")
	return c.check(variant, w)
}

func (c *fakeCore) Edit(r *result.Run, edits []result.EditEvent) (*result.Run, error) {
	if err := result.CheckEdits(r, edits); err != nil {
		return nil, err
	}
	c.edits = append(c.edits, edits...)
	again := &result.Run{Path: r.Path}
	for _, e := range r.Events {
		again.Add(e)
	}
	for i := range edits {
		again.Add(result.Event{Type: result.TypeEdit, Edit: &edits[i]})
	}
	return again, nil
}

func (c *fakeCore) Clean(_ context.Context, ask server.Ask) ([]string, error) {
	if c.clean == nil {
		return nil, nil
	}
	return c.clean(ask)
}

func (c *fakeCore) Import(files []ingest.File, given ingest.Given) (*result.Run, error) {
	events, err := ingest.Events("20261201-120000-import-0001", "test", files, given, time.Unix(1_800_000_000, 0))
	if err != nil {
		return nil, err
	}
	r := &result.Run{}
	for _, e := range events {
		r.Add(e)
	}
	return r, nil
}

func (c *fakeCore) Open(path string) (*result.Run, error) { return c.runs[path], nil }

func (c *fakeCore) Kept() []string { return c.kept }

func (c *fakeCore) Outline(path string) (result.Outline, error) {
	r := c.runs[path]
	if r == nil {
		return result.Outline{}, errors.New("there is no such run")
	}
	title := r.Edits[result.EditTitle]
	if title == "" {
		title = r.Plan.Title
	}
	return result.Outline{ID: r.ID, Title: title, Plan: r.Plan, Samples: len(r.Samples)}, nil
}

// A testWindow is a window whose only goroutine is the test's: what others
// hand over waits in inbox until the test takes it.
type testWindow struct {
	*window
	inbox *inbox
}

// rest returns when nothing goes on any more and all that was handed over is shown.
func (w *testWindow) rest() {
	for more := true; more; {
		w.work.Wait()
		more = w.inbox.take()
	}
}

// An inbox holds what other goroutines hand over to the window.
type inbox struct {
	mu      sync.Mutex
	waiting []func()
}

func (b *inbox) put(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, f)
}

// take does all that waits, and says whether there was anything.
func (b *inbox) take() bool {
	b.mu.Lock()
	waiting := b.waiting
	b.waiting = nil
	b.mu.Unlock()
	for _, f := range waiting {
		f()
	}
	return len(waiting) > 0
}

// open starts a window over c, as at the program's start, in English.
func open(t *testing.T, c *fakeCore) *testWindow {
	t.Helper()
	a := test.NewTempApp(t)
	a.Preferences().SetString(keyLanguage, "en")
	return reopen(t, a, c)
}

// reopen starts another window of the same app: what was remembered is there.
func reopen(t *testing.T, a fyne.App, c *fakeCore) *testWindow {
	t.Helper()
	w := &testWindow{newWindow(a, c, "0.0.0"), &inbox{}}
	w.do = w.inbox.put
	w.settle, w.pace = 0, time.Hour // the test draws; nothing else touches the window
	w.win.Resize(fyne.NewSize(1280, 800))
	w.open("")
	w.rest()
	t.Cleanup(func() {
		w.cancel()
		w.rest()
	})
	return w
}

// measured is a kept run of two modes, two tests and four rounds, in a folder of the test's.
func measured(t *testing.T) *result.Run {
	t.Helper()
	p := plan.Plan{Name: "quick", Rounds: 4, Seed: 7, Host: "127.0.0.1",
		Loads: []plan.Load{{Suite: "classic", Tests: []string{"SET", "GET"}, PayloadBytes: []int{100, 500},
			Pipelines: []int{1}, Clients: []int{50}, Seconds: 0.5, WarmUpSeconds: 0.1}},
		Variants: []plan.Variant{
			{Label: plan.Native, Service: plan.Redis, Placement: plan.Native},
			{Label: plan.DockerNAT, Service: plan.Redis, Placement: plan.DockerNAT},
		}}
	r := &result.Run{Path: filepath.Join(t.TempDir(), result.LogName)}
	for _, e := range events(t, p) {
		r.Add(e)
	}
	return r
}

// events are what a run of p emits; docker-nat serves half of what native does.
func events(t *testing.T, p plan.Plan) []result.Event {
	t.Helper()
	at := time.Date(2026, 11, 30, 20, 25, 51, 0, time.UTC)
	var all []result.Event
	add := func(e result.Event) {
		at = at.Add(100 * time.Millisecond)
		e.At = at
		all = append(all, e)
	}
	add(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: "20261130-202551-quick-1f3a", Berth: "0.0.0", Plan: p}})
	add(result.Event{Type: result.TypeSession, Session: &result.SessionEvent{Berth: "0.0.0", Rounds: p.Rounds, Facts: host.Facts{"cpu.model": "Test CPU"}}})
	var order []string
	for _, v := range p.Variants {
		order = append(order, v.Label)
	}
	total, n := p.Samples(), 0
	for round := 1; round <= p.Rounds; round++ {
		add(result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round, Order: order}})
		for i, v := range p.Variants {
			add(result.Event{Type: result.TypePhase, Phase: &result.PhaseEvent{Phase: result.PhaseStarting, Round: round, Variant: v.Label, Done: n, Total: total, Left: time.Minute}})
			add(result.Event{Type: result.TypeServer, Server: &result.ServerEvent{Round: round, Variant: v.Label, Address: "127.0.0.1:4000", Ready: 120 * time.Millisecond,
				Facts: host.Facts{"redis.name": "redis", "redis.version": "7.0.15", "redis.persistence": "none"}, Commands: []string{"redis-server --port 4000"}}})
			for _, l := range p.Workloads(v) {
				add(result.Event{Type: result.TypePhase, Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring, Round: round, Variant: v.Label, Workload: &l, Done: n, Total: total, Left: 52 * time.Second}})
				n++
				s := sample(t, round, v, l, int64(60000/(i+1)+round*100))
				add(result.Event{Type: result.TypeSample, Sample: &s})
			}
		}
	}
	add(result.Event{Type: result.TypeEnd, End: &result.EndEvent{Reason: result.EndDone}})
	return all
}

func sample(t *testing.T, round int, v plan.Variant, l plan.Workload, requests int64) result.Sample {
	t.Helper()
	h := result.NewHistogram()
	if err := h.RecordValues(400, requests); err != nil {
		t.Fatal(err)
	}
	latency, err := result.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return result.Sample{Round: round, Variant: v.Label, Service: v.Service, Placement: v.Placement, Workload: l,
		Requests: requests, Elapsed: 500 * time.Millisecond, Latency: latency, AgentThreads: 1, Engine: "epoll"}
}
