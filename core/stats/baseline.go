package stats

import (
	"math"
	"slices"

	"berth/core/plan"
	"berth/core/result"
)

// A BaselineRatio says how many times as many requests Redis answered in a round as
// MySQL answered queries in the same round. The two do different work: it is a ratio of
// counts, with no verdict and in no family of comparisons.
type BaselineRatio struct {
	Redis, MySQL     string // labels
	plan.Cell               // of Redis
	Script           string // of MySQL
	Threads          int    // of MySQL
	Rounds           int    // in which both were measured
	Ratio, Low, High *float64
}

// BaselineRatios sets each workload of the Redis variant that others are compared
// with beside each workload of the MySQL variant that is MySQL's reference. It is empty where
// the run has not both. The 95% interval is Student's t on the logarithms, from 3 rounds on.
func BaselineRatios(r *result.Run, reference string) []BaselineRatio {
	t := newTable(r)
	refs := t.references(reference)
	redis, mysql := refs[plan.Redis], refs[plan.MySQL]
	var out []BaselineRatio
	for _, w := range t.workloads {
		for _, script := range t.workloads {
			a, b := t.cell(redis, w), t.cell(mysql, script)
			if a == nil || b == nil {
				continue
			}
			if logs, _ := t.logRatios(a, b); len(logs) > 0 {
				row := BaselineRatio{Redis: redis, MySQL: mysql, Cell: w,
					Script: script.Test, Threads: script.Clients, Rounds: len(logs)}
				e := estimateMean(logs)
				row.Ratio = ratio(e.mean)
				if len(logs) >= minRounds {
					row.Low, row.High = ratio(e.low), ratio(e.high)
				}
				out = append(out, row)
			}
		}
	}
	return out
}

// logRatios has ln(a ÷ b) of each round that both measured, and those rounds' numbers.
func (t *table) logRatios(a, b *cell) (logs []float64, rounds []int) {
	for _, round := range t.rounds {
		if sa, sb := a.byRound[round], b.byRound[round]; sa != nil && sb != nil {
			logs, rounds = append(logs, math.Log(sa.RPS()/sb.RPS())), append(rounds, round)
		}
	}
	return logs, rounds
}

// references are the labels that variants of each service are compared with: reference
// for its own service, and for another the first that the plan has of it.
func (t *table) references(reference string) map[string]string {
	out := map[string]string{}
	first := Reference(t.run, reference)
	out[t.service(first)] = first
	for _, service := range plan.Services {
		if out[service] != "" {
			continue
		}
		if i := slices.IndexFunc(t.run.Plan.Variants, func(v plan.Variant) bool { return v.Service == service }); i >= 0 {
			out[service] = t.run.Plan.Variants[i].Label
		}
	}
	return out
}

// service of the variant labelled so: Redis where nothing says it, as in imported runs.
func (t *table) service(label string) string {
	if v, ok := t.run.Plan.Variant(label); ok && v.Service != "" {
		return v.Service
	}
	for _, c := range t.cells[label] {
		if c.sample.Service != "" {
			return c.sample.Service
		}
	}
	return plan.Redis
}
