package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// alone is a plan of native alone.
func alone(tests ...string) plan.Plan {
	p := short(1)
	p.Loads[0].Tests = tests
	p.Variants = p.Variants[:1]
	p.Variants[0].Label = plan.Native
	return p
}

// checkRun is a short run of native alone.
func checkRun(t *testing.T, tests ...string) *result.Run {
	t.Helper()
	p := alone(tests...)
	r, err := Execute(t.Context(), Options{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestACheckMeasuresBothToolsOnOneServerAndLeavesNothing(t *testing.T) {
	need.Redis(t)
	need.RedisBenchmark(t)
	r := checkRun(t, "PING_INLINE", "GET", "LRANGE_100")
	if n := len(Checkable(r, plan.Native)); n != 3 {
		t.Fatalf("%d tests can be checked, want 3", n)
	}
	for _, w := range Checkable(r, plan.Native) {
		var said []string
		c, err := Check(t.Context(), r, plan.Native, w, "en", func(s string) { said = append(said, s) })
		if err != nil {
			t.Fatal(err)
		}
		for name, tool := range map[string]Tool{"Berth": c.Berth, "redis-benchmark": c.Benchmark} {
			if tool.RPS < 500 || tool.ClientCPU == nil || *tool.ClientCPU <= 0 || *tool.ClientCPU > 400 || tool.ServerCPU == nil || tool.PerRequest <= 0 || tool.PerRequest > time.Millisecond {
				t.Errorf("%s, %s: %+v", w.Test, name, tool)
			}
		}
		t.Logf("%s: Berth %.0f/s, %v of client CPU each; redis-benchmark %.0f/s, %v: %s", w.Test, c.Berth.RPS, c.Berth.PerRequest, c.Benchmark.RPS, c.Benchmark.PerRequest, c.Text(text.For("en"), "Native"))
		if !strings.Contains(strings.Join(said, "\n"), "redis-benchmark") {
			t.Errorf("said %q", said)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "berth", "work", "*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestACheckThatIsStoppedEndsSoonAndLeavesNothing(t *testing.T) {
	need.Redis(t)
	need.RedisBenchmark(t)
	r := checkRun(t, "SET")
	ctx, cancel := context.WithCancel(t.Context())
	var stopped time.Time
	_, err := Check(ctx, r, plan.Native, Checkable(r, plan.Native)[0], "en", func(s string) {
		if strings.HasPrefix(s, "redis-benchmark") {
			stopped = time.Now()
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || time.Since(stopped) > 4*time.Second {
		t.Errorf("%v after %v", err, time.Since(stopped))
	}
}

func TestWhatRedisBenchmarkWouldNotSendAlikeIsNotChecked(t *testing.T) {
	r := &result.Run{}
	r.Plan = alone("LPUSH", "LPOP", "SPOP", "GET")
	existing := plan.Variant{Label: "theirs", Service: plan.Redis, Placement: plan.Existing}
	r.Plan.Variants = append(r.Plan.Variants, existing)
	for _, v := range r.Plan.Variants {
		for _, w := range r.Plan.Workloads(v) {
			r.Samples = append(r.Samples, result.Sample{Variant: v.Label, Workload: w, Requests: 1, Elapsed: time.Second})
		}
	}
	var tests []string
	for _, w := range Checkable(r, plan.Native) {
		tests = append(tests, w.Test)
	}
	if strings.Join(tests, " ") != "LPUSH GET" || Checkable(r, "theirs") != nil {
		t.Errorf("checked: %v; on somebody's server: %v", tests, Checkable(r, "theirs"))
	}
	r.Samples[3].Bottleneck = result.BottleneckClient // GET
	if v, w, n, ok := ToCheck(r); !ok || v != plan.Native || w.Test != "GET" || n != 1 {
		t.Errorf("%s, %s, %d, %t; want what the client limited", v, w.Test, n, ok)
	}
}

func TestTheLimitIsToldFromBothBottlenecks(t *testing.T) {
	client, server := Tool{Bottleneck: result.BottleneckClient, RPS: 100}, Tool{Bottleneck: result.BottleneckServer, RPS: 150}
	for _, c := range []struct {
		berth, benchmark Tool
		want, says       string
	}{
		{server, client, CheckBenchmark, "redis-benchmark is itself the limit here"},
		{client, client, CheckBoth, "both"},
		{client, server, CheckBerth, "Berth"},
		{server, server, CheckNeither, "the server"},
	} {
		got := Checked{Berth: c.berth, Benchmark: c.benchmark, Workload: plan.Workload{Test: "SET"}}
		if got.Limit() != c.want || !strings.Contains(got.Text(text.For("en"), "Native"), c.says) {
			t.Errorf("%s: %s", got.Limit(), got.Text(text.For("en"), "Native"))
		}
	}
	busy := Checked{Turns: 3, Busy: 2, Berth: server, Benchmark: client}
	if s := busy.Text(text.For("en"), "Native"); !strings.Contains(s, "(50% more requests)") || !strings.HasSuffix(s, "in 2 of 6 turns: repeat the check on a quiet machine.") {
		t.Errorf("with other work: %s", s)
	}
	if tool := toolOf([]result.Sample{{Requests: 10, Elapsed: 1e9}, {Requests: 30, Elapsed: 1e9}, {Requests: 20, Elapsed: 1e9}}); tool.RPS != 20 || tool.Least != 10 || tool.Most != 30 {
		t.Errorf("%+v", tool)
	}
}

func TestTheRateIsReadFromBothFormsOfCSV(t *testing.T) {
	for out, want := range map[string]float64{
		"\"SET\",\"1234.50\"\n": 1234.5,
		"\"test\",\"rps\",\"avg_latency_ms\"\n\"LRANGE mylist 0 99\",\"99.10\",\"0.3\"\n": 99.1,
		"Error: no\n": 0,
		"":            0,
	} {
		if got, ok := benchmarkRate(out); got != want || ok != (want > 0) {
			t.Errorf("%q: %v, %t", out, got, ok)
		}
	}
}
