package plan

import (
	"math"
	"slices"
	"time"

	"berth/core/oltp"
)

// Workloads are what v is put under in each round, in the order in which they
// are measured: every test of one payload, pipeline, number of clients and rate
// before the next, and every load before the next.
func (p Plan) Workloads(v Variant) []Workload {
	var all []Workload
	if v.Service == MySQL {
		for _, o := range p.OLTPs {
			all = append(all, o.workloads()...)
		}
		return all
	}
	for _, l := range p.Loads {
		all = append(all, l.workloads()...)
	}
	return all
}

// A Cell is what tells a variant's workloads apart, whatever their stop rules.
type Cell struct {
	Load, Test                            string
	PayloadBytes, Pipeline, Clients, Rate int
}

// Cell of w.
func (w Workload) Cell() Cell {
	return Cell{w.Load, w.Test, w.PayloadBytes, w.Pipeline, w.Clients, w.Rate}
}

// Variant is the variant called label.
func (p Plan) Variant(label string) (v Variant, ok bool) {
	i := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.Label == label })
	if i < 0 {
		return v, false
	}
	return p.Variants[i], true
}

// EveryWorkload is each workload that some variant is put under, once.
func (p Plan) EveryWorkload() []Workload {
	var all []Workload
	for _, service := range Services {
		if p.has(service) {
			all = append(all, p.Workloads(Variant{Service: service})...)
		}
	}
	return all
}

// Place gives a cell its place in the plan's order; one that the plan does not have comes after all.
func (p Plan) Place() func(Cell) int {
	places := map[Cell]int{}
	for i, w := range p.EveryWorkload() {
		if _, there := places[w.Cell()]; !there {
			places[w.Cell()] = i
		}
	}
	return func(c Cell) int {
		if i, there := places[c]; there {
			return i
		}
		return math.MaxInt
	}
}

func (l Load) workloads() []Workload {
	var all []Workload
	rates := l.Rates
	if len(rates) == 0 {
		rates = []int{0}
	}
	for _, payload := range l.PayloadBytes {
		for _, pipeline := range l.Pipelines {
			for _, clients := range l.Clients {
				for _, rate := range rates {
					for _, test := range l.Tests {
						all = append(all, Workload{
							Load: l.Name, Test: test, PayloadBytes: payload, Pipeline: pipeline, Clients: clients, Rate: rate, Keyspace: l.Keyspace,
							Duration: seconds(l.Seconds), Requests: l.Requests, WarmUp: seconds(l.WarmUpSeconds),
						})
					}
				}
			}
		}
	}
	return all
}

func (o OLTP) workloads() []Workload {
	var all []Workload
	for _, threads := range o.Threads {
		for _, script := range o.Scripts {
			all = append(all, Workload{
				Load: o.Name, Test: script, Pipeline: 1, Clients: threads, Keyspace: int64(o.Tables) * int64(o.TableSize),
				Duration: seconds(o.Seconds), WarmUp: seconds(o.WarmUpSeconds),
			})
		}
	}
	return all
}

// Samples is how many samples the plan takes: each variant's workloads, times
// the rounds.
func (p Plan) Samples() int {
	n := 0
	for _, v := range p.Variants {
		n += len(p.Workloads(v))
	}
	return n * p.Rounds
}

// What a plan's parts take beside the measuring itself, as measured on the two-core
// machine of the README: they only foretell a plan's duration.
const (
	sampleOverhead = 90 * time.Millisecond // the agent's start, loading, reading CPU
	nativeStart    = 250 * time.Millisecond
	dockerStart    = 1500 * time.Millisecond
	mysqlStart     = 3 * time.Second // more than Redis takes in the same placement
	rowsASecond    = 100_000         // made when the tables are loaded, once in a run
	guessedRPS     = 60_000          // requests a second, where the stop rule is a count
	logBytes       = 128 << 20       // of a MySQL server
	guessedGain    = 10              // how many times that, at most, a pipeline makes it
)

// Expected is about how long the plan takes.
func (p Plan) Expected() time.Duration {
	var round, once time.Duration
	for _, v := range p.Variants {
		if v.Service == MySQL && once == 0 {
			tables, rows := p.Tables()
			once = seconds(float64(tables) * float64(rows) / rowsASecond)
		}
		round += v.Expected(p.Workloads(v))
	}
	return once + round*time.Duration(p.Rounds)
}

// LongPlan is what a plan takes that is asked about before it is carried out.
const LongPlan = time.Hour

// DiskBytes is about what the tables of p's MySQL servers take on disk: those that are made once and
// the copy that a server starts with, with their logs. It is 0 where Berth starts no MySQL.
func (p Plan) DiskBytes() int64 {
	made := map[string]bool{}
	for _, v := range p.Variants {
		if v.Service == MySQL && v.Placement != Existing {
			made[v.Program] = true
		}
	}
	if len(made) == 0 {
		return 0
	}
	tables, rows := p.Tables()
	one := oltp.Schema{Tables: tables, TableSize: rows}.DataBytes() + logBytes
	return int64(len(made)+1) * one
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
	if v.Service == MySQL {
		total += mysqlStart
	}
	for _, w := range workloads {
		total += w.Expected()
	}
	return total
}

// Expected is about how long one sample of w takes.
func (w Workload) Expected() time.Duration {
	if w.Requests > 0 {
		rate := float64(guessedRPS * min(max(1, w.Pipeline), guessedGain))
		if w.Rate > 0 {
			rate = min(rate, float64(w.Rate))
		}
		return sampleOverhead + w.WarmUp + seconds(float64(w.Requests)/rate)
	}
	return sampleOverhead + w.WarmUp + w.Duration
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
