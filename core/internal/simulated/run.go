// Package simulated makes runs for tests of what is computed from runs: whole
// event streams with known effects and the noise that real runs had, from a seed. It starts
// nothing. Only tests use it.
package simulated

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
)

// A Variant of a simulated run.
type Variant struct {
	Label, Placement string
	Service          string // plan.Redis if empty
	// Speed is its throughput as a share of the base rate, by test; "" is for every other test.
	Speed map[string]float64
	// StartNoise is the standard deviation of the logarithm of throughput
	// between server starts: all samples of a round share its draw.
	StartNoise float64
	Facts      host.Facts
}

// Options of a simulated run. Standard deviations are of the logarithm of throughput.
type Options struct {
	Seed         uint64
	Rounds       int
	Variants     []Variant
	Tests        []string // SET alone if empty
	PayloadBytes []int    // 100 alone if empty
	Pipelines    []int    // 1 alone if empty
	SampleNoise  float64  // between samples of one start
	Drift        float64  // change of the machine from the run's first sample to its last
	HeavyTails   float64  // share of starts and of samples that lose up to 30%
	Histograms   bool     // fill Latency
}

// Five are the placements of a full run, with the losses and the noise between starts
// that were measured on a two-core machine.
func Five() []Variant {
	return []Variant{
		{Label: "native", Placement: plan.Native, StartNoise: 0.03},
		{Label: "pinned", Placement: plan.Pinned, StartNoise: 0.03},
		{Label: "docker-nat", Placement: plan.DockerNAT, StartNoise: 0.12, Speed: map[string]float64{"": 0.46}},
		{Label: "docker-direct", Placement: plan.DockerDirect, StartNoise: 0.03, Speed: map[string]float64{"": 0.88}},
		{Label: "docker-host", Placement: plan.DockerHost, StartNoise: 0.03},
	}
}

const (
	baseRate    = 120_000 // requests a second
	mysqlCost   = 10      // how many requests take as long as a query of MySQL
	queriesEach = 20      // of a transaction of oltp_read_write
)

// Run makes the run that o describes.
func Run(o Options) *result.Run {
	o = filled(o)
	source := rand.New(rand.NewPCG(o.Seed, 7))
	p := planOf(o)
	started := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	r := &result.Run{}
	add := func(e result.Event) {
		started = started.Add(time.Second)
		e.At = started
		r.Add(e)
	}
	add(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: "20261130-200000-simulated-0001", Berth: "test", Plan: p}})
	add(result.Event{Type: result.TypeSession, Session: &result.SessionEvent{Berth: "test", Rounds: o.Rounds,
		Agent: result.Agent{CPUs: []int{1}, Threads: 1},
		Facts: host.Facts{"cpu.model": "Simulated CPU", "cpu.count": "8", "kernel": "6.1.0"}}})
	workloads := workloadsOf(o)
	total, done := float64(o.Rounds*len(o.Variants)*len(workloads)), 0.0
	for round := 1; round <= o.Rounds; round++ {
		order := source.Perm(len(o.Variants))
		labels := make([]string, len(order))
		for i, v := range order {
			labels[i] = o.Variants[v].Label
		}
		add(result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round, Order: labels}})
		for _, i := range order {
			v := o.Variants[i]
			add(result.Event{Type: result.TypeServer, Server: &result.ServerEvent{Round: round, Variant: v.Label, Address: "127.0.0.1:6379",
				Ready: 100 * time.Millisecond, Facts: v.Facts, Commands: []string{"redis-server --port 6379 # " + v.Placement}}})
			start := v.StartNoise*source.NormFloat64() + o.tail(source)
			own := workloads
			if v.Service == plan.MySQL {
				own = p.Workloads(plan.Variant{Service: plan.MySQL})
			}
			for _, w := range own {
				speed, ok := v.Speed[w.Test]
				if !ok {
					speed, ok = v.Speed[""]
				}
				if !ok {
					speed = 1
				}
				log := math.Log(baseRate*speed/weight(w.Test)) + start + o.SampleNoise*source.NormFloat64() + o.tail(source) + o.Drift*done/total
				done++
				if v.Service == plan.MySQL {
					log -= math.Log(mysqlCost)
				}
				s := sample(round, v, w, math.Exp(log))
				if o.Histograms {
					s.Latency = latency(source, math.Exp(log))
				}
				add(result.Event{Type: result.TypeSample, Sample: &s})
			}
		}
	}
	add(result.Event{Type: result.TypeEnd, End: &result.EndEvent{Reason: result.EndDone}})
	return r
}

func filled(o Options) Options {
	if len(o.Tests) == 0 {
		o.Tests = []string{"SET"}
	}
	if len(o.PayloadBytes) == 0 {
		o.PayloadBytes = []int{100}
	}
	if len(o.Pipelines) == 0 {
		o.Pipelines = []int{1}
	}
	return o
}

func (o Options) tail(source *rand.Rand) float64 {
	if source.Float64() >= o.HeavyTails {
		return 0
	}
	return math.Log1p(-0.3 * source.Float64())
}

// weight makes tests differ in cost, by a fixed rule of their names.
func weight(test string) float64 { return 1 + float64(len(test)%5)/4 }

func planOf(o Options) plan.Plan {
	p := plan.Plan{Name: "simulated", Rounds: o.Rounds, Seed: o.Seed, Host: "127.0.0.1",
		Loads: []plan.Load{{Suite: "classic", Tests: o.Tests, PayloadBytes: o.PayloadBytes, Pipelines: o.Pipelines, Clients: []int{50}, Seconds: 1}}}
	for _, v := range o.Variants {
		p.Variants = append(p.Variants, plan.Variant{Label: v.Label, Service: cmp.Or(v.Service, plan.Redis), Placement: v.Placement, Persistence: plan.PersistenceNone})
		if v.Service == plan.MySQL {
			p.OLTPs = []plan.OLTP{{Scripts: []string{"oltp_read_write"}, Tables: 1, TableSize: 10_000, Threads: []int{4}, Draw: "special", Seconds: 20, WarmUpSeconds: 10}}
		}
	}
	return p
}

func workloadsOf(o Options) []plan.Workload {
	var out []plan.Workload
	for _, payload := range o.PayloadBytes {
		for _, pipeline := range o.Pipelines {
			for _, test := range o.Tests {
				out = append(out, plan.Workload{Test: test, PayloadBytes: payload, Pipeline: pipeline, Clients: 50, Duration: time.Second})
			}
		}
	}
	return out
}

func sample(round int, v Variant, w plan.Workload, rps float64) result.Sample {
	client, server := 60.0, 99.0
	s := result.Sample{Round: round, Variant: v.Label, Service: plan.Redis, Placement: v.Placement, Workload: w,
		Requests: int64(math.Round(rps)), Elapsed: time.Second, ClientCPU: &client, ServerCPU: &server,
		AgentThreads: 1, Engine: "epoll", Bottleneck: result.BottleneckServer}
	if v.Service == plan.MySQL {
		s.Service, s.Engine, s.AgentThreads = plan.MySQL, "threads", w.Clients
		s.Elapsed, s.Requests = w.Duration, int64(math.Round(rps*w.Duration.Seconds()))
		s.Transactions = s.Requests / queriesEach
	}
	if v.Placement == plan.DockerNAT {
		proxy := 130.0
		s.ProxyCPU, s.Bottleneck = &proxy, result.BottleneckProxy
	}
	return s
}

// latency is a histogram of a thousand replies around what 50 clients see at rps.
func latency(source *rand.Rand, rps float64) string {
	h := result.NewHistogram()
	for range 1000 {
		us := int64(50 / rps * 1e6 * math.Exp(0.3*source.NormFloat64()))
		if err := h.RecordValue(max(us, 1)); err != nil {
			panic(fmt.Sprintf("simulated latency of %d µs: %v", us, err))
		}
	}
	s, err := result.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	return s
}

// Of makes a run of p in which each sample has the rate that rps gives it, and of MySQL the
// queries of a transaction that the script has.
func Of(p plan.Plan, rps func(v plan.Variant, w plan.Workload, round int) float64, facts map[string]host.Facts) *result.Run {
	started := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	r := &result.Run{}
	add := func(e result.Event) {
		started = started.Add(time.Second)
		e.At = started
		r.Add(e)
	}
	add(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: "20261130-200000-" + p.Name + "-0001", Berth: "test", Plan: p}})
	add(result.Event{Type: result.TypeSession, Session: &result.SessionEvent{Berth: "test", Rounds: p.Rounds, Agent: result.Agent{CPUs: []int{1}, Threads: 1},
		Facts: host.Facts{"cpu.model": "Simulated CPU", "cpu.count": "8"}}})
	for round := 1; round <= p.Rounds; round++ {
		var labels []string
		for _, v := range p.Variants {
			labels = append(labels, v.Label)
		}
		add(result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round, Order: labels}})
		for _, v := range p.Variants {
			add(result.Event{Type: result.TypeServer, Server: &result.ServerEvent{Round: round, Variant: v.Label, Facts: facts[v.Label]}})
			for _, w := range p.Workloads(v) {
				s := result.Sample{Round: round, Variant: v.Label, Service: v.Service, Placement: v.Placement, Workload: w,
					Requests: int64(math.Round(rps(v, w, round))), Elapsed: time.Second, AgentThreads: 1, Engine: "epoll", Bottleneck: result.BottleneckServer}
				if v.Service == plan.MySQL {
					s.Engine, s.AgentThreads, s.Transactions = "blocking", w.Clients, s.Requests
					if w.Test == "oltp_read_write" {
						s.Transactions /= queriesEach
					}
				}
				add(result.Event{Type: result.TypeSample, Sample: &s})
			}
		}
	}
	add(result.Event{Type: result.TypeEnd, End: &result.EndEvent{Reason: result.EndDone}})
	return r
}
