package stats

import (
	"cmp"
	"math"
	"slices"

	"berth/core/plan"
	"berth/core/result"
)

// A table is a run's samples by variant, workload and round.
type table struct {
	run       *result.Run
	variants  []string    // in the user's order, or the plan's; others, of imported runs, after
	workloads []plan.Cell // in the plan's order; others, of imported runs, after, in the order measured
	rounds    []int       // ascending
	cells     map[string]map[plan.Cell]*cell
	fullest   int             // most samples that a cell has
	critical  map[int]float64 // an outlier's studentised residual, by the number of rounds
	// level is what ratios within rounds are of; more of it is better, and none is 0.
	level func(*result.Sample) float64
}

// A cell is one variant under one workload.
type cell struct {
	samples []*result.Sample       // usable ones, by round
	byRound map[int]*result.Sample // the same
	flags   []string               // of all samples, usable or not
	engines []string
	sample  *result.Sample // any, for service and placement
}

func newTable(r *result.Run) *table {
	t := &table{run: r, cells: map[string]map[plan.Cell]*cell{}, critical: map[int]float64{}, level: (*result.Sample).RPS}
	t.variants = result.Order(r)
	knownVariant, knownWorkload, knownRound := map[string]bool{}, map[plan.Cell]bool{}, map[int]bool{}
	for _, v := range t.variants {
		knownVariant[v] = true
	}
	for i := range r.Samples {
		s := &r.Samples[i]
		w := s.Workload.Cell()
		if !knownVariant[s.Variant] {
			knownVariant[s.Variant] = true
			t.variants = append(t.variants, s.Variant)
		}
		if !knownWorkload[w] {
			knownWorkload[w] = true
			t.workloads = append(t.workloads, w)
		}
		if !knownRound[s.Round] {
			knownRound[s.Round] = true
			t.rounds = append(t.rounds, s.Round)
		}
		if t.cells[s.Variant] == nil {
			t.cells[s.Variant] = map[plan.Cell]*cell{}
		}
		c := t.cells[s.Variant][w]
		if c == nil {
			c = &cell{byRound: map[int]*result.Sample{}, sample: s}
			t.cells[s.Variant][w] = c
		}
		c.add(s)
	}
	place := r.Plan.Place()
	slices.SortStableFunc(t.workloads, func(a, b plan.Cell) int { return cmp.Compare(place(a), place(b)) })
	slices.Sort(t.rounds)
	for _, byWorkload := range t.cells {
		for _, c := range byWorkload {
			t.finish(c)
			t.fullest = max(t.fullest, len(c.samples))
		}
	}
	return t
}

func (c *cell) add(s *result.Sample) {
	c.flags = append(c.flags, s.Flags...)
	if !usable(s) {
		return
	}
	c.byRound[s.Round] = s // a sample that was taken again replaces the one before
	if !slices.Contains(c.engines, s.Engine) {
		c.engines = append(c.engines, s.Engine)
	}
}

// finish puts c's samples in order and sums its flags up.
func (t *table) finish(c *cell) {
	for _, round := range t.rounds {
		if s := c.byRound[round]; s != nil {
			c.samples = append(c.samples, s)
		}
	}
	if len(t.outliersOf(c.samples)) > 0 {
		c.flags = append(c.flags, FlagOutlier)
	}
	c.flags = union(c.flags)
	slices.Sort(c.engines)
}

// mostErrors is the largest share of error replies that a figure may hold: a server refuses
// faster than it serves, so that a sample of more would win by its refusals.
const mostErrors = 0.01

// usable says whether s is a figure: measured to its end, with a rate that is a
// number above zero, and not of refusals.
func usable(s *result.Sample) bool {
	rps := s.RPS()
	return rps > 0 && !math.IsInf(rps, 0) && !math.IsNaN(rps) && !Refused(s) && !slices.Contains(s.Flags, result.FlagCut)
}

// Refused says whether too many of s's replies were errors for it to be a figure. Errors of MySQL
// are no replies but transactions that were begun again, which are in no rate.
func Refused(s *result.Sample) bool {
	return s.Service != plan.MySQL && float64(s.Errors) > mostErrors*float64(s.Requests)
}

func (t *table) cell(variant string, w plan.Cell) *cell { return t.cells[variant][w] }

// placement of the variant labelled so; "" if nothing says it.
func (t *table) placement(label string) string {
	for _, v := range t.run.Plan.Variants {
		if v.Label == label {
			return v.Placement
		}
	}
	for _, c := range t.cells[label] {
		return c.sample.Placement
	}
	return ""
}

// Differs lists the facts that say another thing of a's servers than of b's,
// sorted. A fact that only one side has is no difference: it may not apply to the other.
func Differs(r *result.Run, a, b string) []string {
	return factsThatDiffer(serverFacts(r, a), serverFacts(r, b))
}

func factsThatDiffer(a, b map[string]string) []string {
	var out []string
	for k, v := range a {
		if w, ok := b[k]; ok && v != w {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// serverFacts of the variant's last server.
func serverFacts(r *result.Run, label string) map[string]string {
	for i := len(r.Servers) - 1; i >= 0; i-- {
		if r.Servers[i].Variant == label {
			return r.Servers[i].Facts
		}
	}
	return nil
}

// versionKeys are the facts that tell one server program from another. The version alone
// does not: an image and this machine's own program may call themselves the same and be built otherwise.
var versionKeys = []string{
	"redis.name", // Valkey beside Redis: their numbers count different things
	"redis.version", "redis.build_id", "program.sha256", "redis.allocator",
	"mysql.version", "server.version", "image.digest",
}

// versionsDiffer says whether the servers with these facts, of one service, are of
// different programs, versions or builds.
func versionsDiffer(a, b map[string]string) bool {
	return slices.ContainsFunc(factsThatDiffer(a, b), func(key string) bool { return slices.Contains(versionKeys, key) })
}

// filesystemsDiffer says whether the servers with these facts kept their data on
// filesystems of different types.
func filesystemsDiffer(a, b map[string]string) bool {
	return slices.Contains(factsThatDiffer(a, b), "data.filesystem")
}

// union is flags sorted, each once; nil if there are none.
func union(flags []string) []string {
	if len(flags) == 0 {
		return nil
	}
	out := slices.Clone(flags)
	slices.Sort(out)
	return slices.Compact(out)
}
