package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"berth/core/plan"
	"berth/core/result"
)

// Flags of comparisons between runs, beside those that samples have.
const (
	FlagMachines = "machines-differ" // CPU, kernel, or another fact that speed hangs on
	FlagLoads    = "loads-differ"    // a suite, a stop rule, a warm-up, a keyspace, or the agent's threads
)

// RunLabel is what r's variant label is called among those of several runs.
func RunLabel(r *result.Run, label string) string { return label + "@" + r.ID }

// CompareRuns gives every comparison of a later run with the first: variants of one label
// with each other, and where no label is in both, the only variant of each. Like Compare
// it has two families, over all the runs: the geometric mean over the tests that both
// have, then each test. Rounds of different runs have no machine, hour or order in common,
// so they are no pairs: the difference is that of the mean logarithms of throughput, with
// Welch's t. Rounds is the smaller of both numbers; the verdict's rules are Compare's.
func CompareRuns(runs []*result.Run) []result.ComparisonRow {
	var first, second []member
	for _, p := range runPairs(runs) {
		single := p.singles()
		if len(single) > 0 {
			first = append(first, p.overall(single))
			second = append(second, single...)
		}
	}
	judge(first)
	judge(second)
	var rows []result.ComparisonRow
	for _, m := range append(first, second...) {
		rows = append(rows, *m.row)
	}
	return rows
}

// A runPair is one variant in two runs.
type runPair struct {
	a, b           *table // b is of the first run
	labelA, labelB string
	flags          []string // what differs between the runs themselves
}

// runPairs are what CompareRuns compares, in the order of the runs and of their plans.
func runPairs(runs []*result.Run) []runPair {
	if len(runs) < 2 {
		return nil
	}
	var pairs []runPair
	b := newTable(runs[0])
	for _, r := range runs[1:] {
		a := newTable(r)
		var flags []string
		for _, d := range RunDifferences([]*result.Run{runs[0], r}) {
			if d.Flag != "" && d.known() {
				flags = append(flags, d.Flag)
			}
		}
		before := len(pairs)
		for _, label := range a.variants {
			if slices.Contains(b.variants, label) {
				pairs = append(pairs, runPair{a, b, label, label, flags})
			}
		}
		if len(pairs) == before && len(a.variants) == 1 && len(b.variants) == 1 {
			pairs = append(pairs, runPair{a, b, a.variants[0], b.variants[0], flags})
		}
	}
	return pairs
}

// singles compares each workload that both runs have samples of.
func (p runPair) singles() []member {
	var out []member
	for _, w := range p.b.workloads {
		ca, cb := p.a.cell(p.labelA, w), p.b.cell(p.labelB, w)
		if ca == nil || cb == nil {
			continue
		}
		m := p.member([]plan.Cell{w}, union(slices.Concat(ca.flags, cb.flags, p.differs(ca, cb))))
		m.row.Cell = w
		out = append(out, m)
	}
	return out
}

// overall is the geometric mean over the tests of single. A test that either run
// measured in fewer than half of its rounds is left out, and then rounds that lack a test.
func (p runPair) overall(single []member) member {
	var all, kept []plan.Cell
	var flags []string
	for _, m := range single {
		all = append(all, m.row.Cell)
		flags = append(flags, m.row.Flags...)
	}
	for _, w := range all {
		if p.a.mostly(p.labelA, w, all) && p.b.mostly(p.labelB, w, all) {
			kept = append(kept, w)
		}
	}
	m := p.member(kept, union(flags))
	m.row.Over = kept
	return m
}

func (p runPair) member(ws []plan.Cell, flags []string) member {
	a, b := p.a.levels(p.labelA, ws), p.b.levels(p.labelB, ws)
	m := member{row: &result.ComparisonRow{A: RunLabel(p.a.run, p.labelA), B: RunLabel(p.b.run, p.labelB), Metric: MetricRPS,
		Rounds: min(len(a), len(b)), Flags: flags}}
	if m.row.Rounds > 0 {
		m.estimate = estimateDifference(a, b)
	}
	return m
}

// levels are the mean logarithms of requests a second over ws, of each round that
// has all of them.
func (t *table) levels(label string, ws []plan.Cell) []float64 {
	var out []float64
	for _, round := range t.rounds {
		logs := make([]float64, 0, len(ws))
		for _, w := range ws {
			if s := t.cell(label, w).byRound[round]; s != nil {
				logs = append(logs, math.Log(s.RPS()))
			}
		}
		if len(ws) > 0 && len(logs) == len(ws) {
			out = append(out, stat.Mean(logs, nil))
		}
	}
	return out
}

// mostly says whether w was measured in at least half as many rounds as the best of all.
func (t *table) mostly(label string, w plan.Cell, all []plan.Cell) bool {
	most := 0
	for _, other := range all {
		most = max(most, len(t.cell(label, other).samples))
	}
	n := len(t.cell(label, w).samples)
	return n > 0 && 2*n >= most
}

// differs has the flags that the pair has by itself, whatever its samples are.
func (p runPair) differs(ca, cb *cell) []string {
	out := slices.Clone(p.flags)
	if otherEngines(ca, cb) {
		out = append(out, result.FlagEngines)
	}
	fa, fb := serverFacts(p.a.run, p.labelA), serverFacts(p.b.run, p.labelB)
	if versionsDiffer(fa, fb) {
		out = append(out, result.FlagVersions)
	}
	if filesystemsDiffer(fa, fb) {
		out = append(out, result.FlagFilesystems)
	}
	if p.a.placement(p.labelA) == plan.StandIn || p.b.placement(p.labelB) == plan.StandIn {
		out = append(out, result.FlagStandIn)
	}
	return out
}
