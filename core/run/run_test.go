package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
)

// short is a plan of two native variants and two short tests.
func short(rounds int) plan.Plan {
	p := plan.Plan{
		Name: "short", Rounds: rounds, Seed: 11,
		Loads: []plan.Load{{Tests: []string{"SET", "LPOP"}, PayloadBytes: []int{100}, Clients: []int{10}, Seconds: 0.1, WarmUpSeconds: 0.02}},
		Variants: []plan.Variant{
			{Label: "one", Placement: plan.Native},
			{Label: "two", Placement: plan.Native},
		},
	}
	p.Complete()
	return p
}

func TestARunMeasuresEveryVariantInEveryRound(t *testing.T) {
	need.Redis(t)
	copied := filepath.Join(t.TempDir(), result.LogName)
	var seen []result.Event
	r, err := Execute(t.Context(), Options{Plan: short(3), Logs: []string{copied}, Observe: func(e result.Event) { seen = append(seen, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 2*2*3 {
		t.Fatalf("%d samples, want 12", len(r.Samples))
	}
	for i, round := range r.Rounds {
		var want []string
		for _, v := range order(r.Plan.Variants, 11, i+1) {
			want = append(want, v.Label)
		}
		if round.Round != i+1 || !slices.Equal(round.Order, want) {
			t.Errorf("round %d in the order %v, want %v", round.Round, round.Order, want)
		}
	}
	addresses := map[string]int{}
	for _, s := range r.Servers {
		addresses[s.Address]++
	}
	if len(r.Servers) != 6 {
		t.Errorf("%d servers were started, want a fresh one for each variant and round", len(r.Servers))
	}
	for _, s := range r.Samples {
		if s.Requests == 0 || s.Errors > 0 || s.Misses > 0 || s.Latency == "" || s.State == "" {
			t.Errorf("sample %+v", s)
		}
	}
	if r.End == nil || r.End.Reason != result.EndDone {
		t.Errorf("the log ends with %+v", r.End)
	}

	kept, err := os.ReadFile(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if other, err := os.ReadFile(copied); err != nil || !bytes.Equal(kept, other) {
		t.Errorf("the copy of the log differs: %v", err)
	}
	if lines := bytes.Count(kept, []byte("\n")); lines != len(seen) {
		t.Errorf("%d events were shown and %d are in the log", len(seen), lines)
	}
	if Latest() != r.Path {
		t.Errorf("the latest run is %s, want %s", Latest(), r.Path)
	}
	nothingLeft(t)
}

func TestStoppingKeepsWhatWasMeasuredAndLeavesNothing(t *testing.T) {
	need.Redis(t)
	for _, phase := range []string{result.PhaseStarting, result.PhaseLoading, result.PhaseMeasuring} {
		p := short(50)
		ctx, cancel := context.WithCancel(t.Context())
		var stopped time.Time
		samples := 0
		r, err := Execute(ctx, Options{Plan: p, Observe: func(e result.Event) {
			if e.Sample != nil && stopped.IsZero() {
				samples++
			}
			if e.Phase != nil && e.Phase.Phase == phase && samples >= 3 && stopped.IsZero() {
				stopped = time.Now()
				cancel()
			}
		}})
		cancel()
		if took := time.Since(stopped); took > 2*time.Second {
			t.Errorf("stopped while %s: took %v, at most 2 s were promised", phase, took)
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped while %s: %v", phase, err)
		}
		again, err := result.Open(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Samples) != samples || again.End == nil || again.End.Reason != result.EndStopped {
			t.Errorf("stopped while %s: %d samples kept of %d, end %+v", phase, len(again.Samples), samples, again.End)
		}
		nothingLeft(t)
	}
}

func TestContinuingAddsRoundsToTheSameLog(t *testing.T) {
	need.Redis(t)
	copied := filepath.Join(t.TempDir(), result.LogName)
	r, err := Execute(t.Context(), Options{Plan: short(1), Logs: []string{copied}})
	if err != nil {
		t.Fatal(err)
	}
	more, err := Continue(t.Context(), copied, 2, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := result.Open(r.Path)
	if err != nil {
		t.Fatal(err)
	}
	if more.ID != r.ID || len(again.Samples) != 12 || len(again.Sessions) != 2 || again.Rounds[2].Round != 3 {
		t.Errorf("%d samples in %d sessions, rounds %+v", len(again.Samples), len(again.Sessions), again.Rounds)
	}
	nothingLeft(t)
}

func TestAServerThatCannotStartEndsTheFirstRoundWithItsReason(t *testing.T) {
	need.Redis(t)
	p := short(2)
	config := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(config, []byte("no-such-directive yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Variants[1].ConfigFile = config
	r, err := Execute(t.Context(), Options{Plan: p})
	if err == nil || !strings.Contains(err.Error(), "no-such-directive") {
		t.Errorf("the end of the server's log is not told: %v", err)
	}
	if r == nil || r.End == nil || r.End.Reason != result.EndFailed || len(r.Failures) == 0 {
		t.Errorf("the log does not say that it failed: %+v", r)
	}
	if r.Path != "" || slices.ContainsFunc(Kept(), func(log string) bool { return strings.Contains(log, r.ID) }) {
		t.Errorf("a run that measured nothing is kept at %s", r.Path)
	}
	nothingLeft(t)
}

func TestErrorRepliesAreNoSuccess(t *testing.T) {
	need.Redis(t)
	p := short(1)
	config := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(config, []byte("rename-command SET \"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Variants[1].ConfigFile = config
	r, err := Execute(t.Context(), Options{Plan: p})
	if err == nil || !strings.Contains(err.Error(), "SET") {
		t.Errorf("a server that refused every SET is told as %v", err)
	}
	if r.End.Reason != result.EndFailed || len(r.Failures) != 1 || len(r.Samples) != 4 {
		t.Errorf("end %+v, failures %+v, %d samples", r.End, r.Failures, len(r.Samples))
	}
	nothingLeft(t)
}

func TestAnExistingServerKeepsItsDataAndGetsNothingOfOurs(t *testing.T) {
	need.Redis(t)
	socket := filepath.Join(t.TempDir(), "redis.sock")
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	ask := func(args ...string) string {
		out, err := exec.Command("redis-cli", append([]string{"-s", socket}, args...)...).CombinedOutput()
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(out))
	}
	for deadline := time.Now().Add(5 * time.Second); ask("PING") != "PONG"; {
		if time.Now().After(deadline) {
			t.Fatal("the server does not answer")
		}
	}
	ask("SET", "key:__rand_int__", "mine")
	ask("RPUSH", "mylist", "a", "b")
	p := short(1)
	p.Variants[1] = plan.Variant{Label: "theirs", Service: plan.Redis, Placement: plan.Existing, Socket: socket}
	r, err := Execute(t.Context(), Options{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	if got := ask("GET", "key:__rand_int__") + ask("LLEN", "mylist") + ask("DBSIZE"); got != "mine22" {
		t.Errorf("the server's own keys were disturbed, or some of ours left: %s", got)
	}
	for _, s := range r.Samples {
		if s.Variant == "theirs" && !slices.Contains(s.Flags, result.FlagNotFresh) {
			t.Errorf("a sample of a server that was not restarted has the flags %v", s.Flags)
		}
	}
}

// nothingLeft says whether processes or folders of a run are still there.
func nothingLeft(t *testing.T) {
	t.Helper()
	work := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "berth", "work")
	left, err := os.ReadDir(work)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("the folder %s is left in %s", e.Name(), work)
	}
	procs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, p := range procs {
		line, err := os.ReadFile(p)
		if err == nil && bytes.Contains(line, []byte(work)) {
			t.Errorf("still running: %s", bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
}
