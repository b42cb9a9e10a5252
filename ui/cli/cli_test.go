package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
	"berth/core/text"
)

var update = flag.Bool("update", false, "write the golden files")

// said is what one command wrote, and its exit code.
type said struct {
	out, err string
	code     int
}

// berth carries out a command in English on a core of the test's own.
func berth(t *testing.T, c core, args ...string) said {
	t.Helper()
	return berthIn(t, "en", c, args...)
}

func berthIn(t *testing.T, lang string, c core, args ...string) said {
	t.Helper()
	var out, errw bytes.Buffer
	term := &terminal{in: strings.NewReader(""), out: &out, err: &errw, words: text.For(lang), core: c}
	code := term.main(context.Background(), args)
	return said{out.String(), errw.String(), code}
}

// golden compares got with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// withoutTimes takes the expected times out of s: they are package plan's.
func withoutTimes(s string) string {
	return regexp.MustCompile(`about \d+:\d\d`).ReplaceAllString(s, "about M:SS")
}

// A fakeCore has a machine where some modes are missing, and runs that take no time.
type fakeCore struct {
	folder  string
	missing map[string]server.Availability // by placement
	removed []string
	started *plan.Plan // the plan of the last Execute
	rps     func(variant, test string, round int) float64
	facts   host.Facts
	stopAt  int // samples after which the run is as if the user stopped it; 0 never
}

func (f *fakeCore) CheckStart(context.Context, plan.Plan) error { return nil }

func (f *fakeCore) Available(_ context.Context, v plan.Variant) server.Availability {
	if a, ok := f.missing[v.Placement]; ok {
		return a
	}
	return server.Availability{OK: true}
}

func (f *fakeCore) Clean(context.Context, server.Ask) ([]string, error) { return f.removed, nil }

func (f *fakeCore) Folder() string { return f.folder }

func (f *fakeCore) Execute(_ context.Context, o run.Options) (*result.Run, error) {
	f.started = &o.Plan
	log, err := result.Create(append([]string{filepath.Join(f.folder, "20261130-200000-quick-0001", result.LogName)}, o.Logs...)...)
	if err != nil {
		return nil, err
	}
	r := &result.Run{Path: filepath.Join(f.folder, "20261130-200000-quick-0001", result.LogName)}
	emit := f.emitter(r, log, o.Observe)
	emit(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: "20261130-200000-quick-0001", Berth: "0.1.0", Plan: o.Plan}})
	return r, errors.Join(f.measure(r, emit, 1, o.Plan.Rounds), log.Close())
}

func (f *fakeCore) Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (*run.Checked, error) {
	return machine{}.Check(ctx, r, variant, w, lang, say)
}

func (f *fakeCore) Continue(_ context.Context, path string, rounds int, o run.Options) (*result.Run, error) {
	log, r, err := result.Resume(path)
	if err != nil {
		return nil, err
	}
	return r, errors.Join(f.measure(r, f.emitter(r, log, o.Observe), len(r.Rounds)+1, rounds), log.Close())
}

func (f *fakeCore) emitter(r *result.Run, log *result.Log, observe func(result.Event)) func(result.Event) {
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	return func(e result.Event) {
		at = at.Add(time.Second)
		e.At = at
		r.Add(e)
		if err := log.Append(e); err != nil {
			panic(err)
		}
		observe(e)
	}
}

func (f *fakeCore) measure(r *result.Run, emit func(result.Event), first, rounds int) error {
	emit(result.Event{Type: result.TypeSession, Session: &result.SessionEvent{Berth: "0.1.0", Rounds: rounds, Facts: f.facts}})
	p := r.Plan
	total := len(p.Variants) * len(p.EveryWorkload()) * rounds
	done := 0
	for round := first; round < first+rounds; round++ {
		var order []string
		for _, v := range p.Variants {
			order = append(order, v.Label)
		}
		emit(result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round, Order: order}})
		for _, v := range p.Variants {
			for _, w := range p.EveryWorkload() {
				emit(result.Event{Type: result.TypePhase, Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring,
					Round: round, Variant: v.Label, Workload: &w, Done: done, Total: total, Left: time.Minute}})
				emit(result.Event{Type: result.TypeSample, Sample: f.sample(v, w, round)})
				if done++; done == f.stopAt {
					emit(result.Event{Type: result.TypeEnd, End: &result.EndEvent{Reason: result.EndStopped}})
					return context.Canceled
				}
			}
		}
	}
	emit(result.Event{Type: result.TypeEnd, End: &result.EndEvent{Reason: result.EndDone}})
	return nil
}

func (f *fakeCore) sample(v plan.Variant, w plan.Workload, round int) *result.Sample {
	h := result.NewHistogram()
	for us := int64(100); us <= 1000; us += 100 {
		if err := h.RecordValue(us); err != nil {
			panic(err)
		}
	}
	latency, err := result.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	s := &result.Sample{Round: round, Variant: v.Label, Service: v.Service, Placement: v.Placement, Workload: w,
		Requests: int64(f.rps(v.Label, w.Test, round)), Elapsed: time.Second, Latency: latency, Engine: "epoll", AgentThreads: 1}
	if v.Placement == plan.DockerHost && w.Test == "SET" {
		s.Flags = []string{result.FlagClientBound}
	}
	return s
}

// newCore is a machine that has every mode; docker-nat serves less than half of native.
func newCore(t *testing.T) *fakeCore {
	share := map[string]float64{"native": 1, "pinned": 1.01, "docker-nat": 0.45, "docker-direct": 0.92, "docker-host": 0.96}
	return &fakeCore{folder: t.TempDir(), rps: func(variant, test string, round int) float64 {
		wobble := 1 + 0.004*float64((round*7+len(test)*3+len(variant))%5)
		return 120_000 * share[variant] * wobble
	}}
}

// withoutDocker takes the Docker modes from a machine.
func (f *fakeCore) withoutDocker() *fakeCore {
	f.missing = map[string]server.Availability{}
	for _, placement := range []string{plan.DockerNAT, plan.DockerDirect, plan.DockerHost} {
		f.missing[placement] = server.Availability{Err: errors.New("Docker answers, but not to you"), AdviceErr: errors.New("add yourself to its group"), Command: "sudo usermod -aG docker $USER"}
	}
	return f
}
