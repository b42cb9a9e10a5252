package plan

import (
	"time"
)

// Workloads are what each variant is put under in each round, in the order in which
// they are measured: every test of one payload, pipeline and number of clients
// before the next.
func (p Plan) Workloads() []Workload {
	var all []Workload
	l := p.Load
	for _, payload := range l.PayloadBytes {
		for _, pipeline := range l.Pipelines {
			for _, clients := range l.Clients {
				for _, test := range l.Tests {
					all = append(all, Workload{
						Test: test, PayloadBytes: payload, Pipeline: pipeline, Clients: clients, Keyspace: l.Keyspace,
						Duration: seconds(l.Seconds), Requests: l.Requests, WarmUp: seconds(l.WarmUpSeconds),
					})
				}
			}
		}
	}
	return all
}

// Samples is how many samples the plan takes: variants × workloads × rounds.
func (p Plan) Samples() int {
	return len(p.Variants) * len(p.Load.Tests) * len(p.Load.PayloadBytes) * len(p.Load.Pipelines) * len(p.Load.Clients) * p.Rounds
}

// What a plan's parts take beside the measuring itself, as measured on the two-core
// machine of the README: they only foretell a plan's duration.
const (
	sampleOverhead = 90 * time.Millisecond // the agent's start, loading, reading CPU
	nativeStart    = 250 * time.Millisecond
	dockerStart    = 1500 * time.Millisecond
	guessedRPS     = 60_000 // requests a second, where the stop rule is a count
)

// Expected is about how long the plan takes.
func (p Plan) Expected() time.Duration {
	var round time.Duration
	for _, v := range p.Variants {
		round += v.Expected(p.Workloads())
	}
	return round * time.Duration(p.Rounds)
}

// Expected is about how long v takes in one round: a start and each workload.
func (v Variant) Expected(workloads []Workload) time.Duration {
	total := nativeStart
	switch {
	case v.InDocker():
		total = dockerStart
	case v.Placement == Existing:
		total = 0
	}
	for _, w := range workloads {
		total += w.Expected()
	}
	return total
}

// Expected is about how long one sample of w takes.
func (w Workload) Expected() time.Duration {
	if w.Requests > 0 {
		return sampleOverhead + w.WarmUp + seconds(float64(w.Requests)/guessedRPS)
	}
	return sampleOverhead + w.WarmUp + w.Duration
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
