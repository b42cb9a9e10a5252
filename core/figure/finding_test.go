package figure

import (
	"testing"

	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

// halved is a run of SET and GET in which docker-nat answers share of what native does, over the settings of load.
func halved(load plan.Load, share func(w plan.Workload, round int) float64) *result.Run {
	load.Tests, load.Seconds = []string{"SET", "GET"}, 1
	p := plan.Plan{Name: "halved", Rounds: 6, Loads: []plan.Load{load}, Variants: []plan.Variant{
		{Label: "native", Service: plan.Redis, Placement: plan.Native}, {Label: "docker-nat", Service: plan.Redis, Placement: plan.DockerNAT}}}
	p.Complete()
	return simulated.Of(p, func(v plan.Variant, w plan.Workload, round int) float64 {
		rate := 100_000 + 100*float64(round)
		if v.Placement == plan.DockerNAT {
			rate *= share(w, round)
		}
		if w.Rate > 0 {
			return min(rate, float64(w.Rate))
		}
		return rate
	}, nil)
}

func TestEveryFiguresTitleIsItsFinding(t *testing.T) {
	half := func(plan.Workload, int) float64 { return 0.5 }
	bySize := func(w plan.Workload, _ int) float64 {
		return map[int]float64{10: 0.4, 100: 0.5, 1000: 0.8}[w.PayloadBytes]
	}
	byDepth := func(w plan.Workload, _ int) float64 { return map[int]float64{1: 0.4, 16: 0.6, 64: 0.9}[w.Pipeline] }
	byClients := func(w plan.Workload, _ int) float64 { return map[int]float64{1: 0.25, 16: 0.5, 64: 0.75}[w.Clients] }
	// In one test of one round the slower one is the faster.
	once := func(w plan.Workload, round int) float64 {
		if round == 3 && w.Test == "GET" {
			return 1.01
		}
		return 0.5
	}
	for _, c := range []struct {
		figure string
		run    *result.Run
		want   string
	}{
		{"relative", halved(plan.Load{}, half), "Docker -p serves 50% fewer requests than Native process"},
		{"rounds", halved(plan.Load{}, half), "Docker -p serves fewer requests than Native process in each test of each round"},
		{"rounds", halved(plan.Load{}, once), "Docker -p serves 47% fewer requests than Native process"},
		{"time", halved(plan.Load{}, half), "No drift of throughput from the first round to the last detectable"},
		{"time", halved(plan.Load{}, func(_ plan.Workload, round int) float64 { return 0.9 - 0.1*float64(round) }), "Throughput fell by up to 62% from the first round to the last"},
		{"sweep-payload", halved(plan.Load{PayloadBytes: []int{10, 100, 1000}}, bySize), "Docker -p serves 40% of what Native process does at 10 bytes, 80% at 1,000"},
		{"sweep-pipeline", halved(plan.Load{Pipelines: []int{1, 16, 64}}, byDepth), "Docker -p serves 40% of what Native process does at pipeline 1, 90% at 64"},
		{"sweep-clients", halved(plan.Load{Clients: []int{1, 16, 64}}, byClients), "Docker -p serves 25% of what Native process does at 1 client, 75% at 64"},
		{"sweep-rate", halved(plan.Load{Rates: []int{20_000, 40_000, 80_000}}, half), "Docker -p keeps up with 40,000 requests/s, Native process with 80,000"},
		{"sweep-rate", halved(plan.Load{Rates: []int{10_000, 20_000, 40_000}}, half), "Every mode keeps up with 40,000 requests/s"},
		{"sweep-rate", halved(plan.Load{Rates: []int{60_000, 70_000, 80_000}}, half), "Docker -p keeps up with none of the rates, Native process with 80,000 requests/s"},
		{"sweep-payload", halved(plan.Load{PayloadBytes: []int{10, 100, 1000}}, func(plan.Workload, int) float64 { return 1 }), "Throughput by payload"},
	} {
		f, err := New(c.figure, c.run, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.figure, err)
			continue
		}
		if f.title != c.want {
			t.Errorf("%s is titled %q, want %q", c.figure, f.title, c.want)
		}
	}
}
