package stats

import (
	"cmp"
	"math"
	"slices"

	"berth/core/plan"
	"berth/core/result"
)

// A BaselineRatio says how many times as many requests Redis answered in a round as
// MySQL answered queries in the same round. The two do different work: it is a ratio of
// counts, with no verdict and in no family of comparisons.
type BaselineRatio struct {
	Redis, MySQL     string    // labels
	plan.Cell                  // of Redis
	Pair             string    // the name of both sides' loads; "" where they have none
	Script           string    // of MySQL
	Threads          int       // of MySQL
	MySQLCell        plan.Cell // that Script and Threads are of
	Rounds           int       // in which both were measured
	Ratio, Low, High *float64
	// Without, with its interval, is the ratio to MySQL's queries less BEGIN and COMMIT; nil where
	// the script's transactions have neither.
	Without, WithoutLow, WithoutHigh *float64
	// Best says that Clients and Threads are each side's best number of connections of several:
	// the one with the highest median.
	Best bool
	// Sweep and MySQLSweep have the numbers of connections that Best was chosen from, ascending.
	Sweep, MySQLSweep []int
	// Alike says that the test and the script do work of one kind: they read, or they write.
	Alike bool
	// RedisBound and MySQLBound say whose load client was itself the limit in half of the rounds or
	// more: that server could have done more.
	RedisBound, MySQLBound bool
}

// BaselineRatios sets the Redis variant that others are compared with beside MySQL's reference, and
// any other two that promise the same of what is written (see promise). A load of Redis is
// set beside the MySQL load of its name; a test that only reads, or only writes, beside the scripts that
// do, where there are such; equal numbers of connections beside each other, where both sides have some in common; and
// then each side's best. It is empty where the run has not both services. The 95% interval is
// Student's t on the logarithms, from 3 rounds on.
func BaselineRatios(r *result.Run, reference string) []BaselineRatio {
	t := newTable(r)
	var out []BaselineRatio
	for _, pair := range t.baselinePairs(reference) {
		for _, load := range t.loadsOf(pair[0]) {
			out = append(out, t.baselinesOf(pair[0], pair[1], load)...)
		}
	}
	return out
}

// baselinePairs are the labels of Redis and MySQL that are set beside each other, the references first.
func (t *table) baselinePairs(reference string) [][2]string {
	refs := t.references(reference)
	first := [2]string{refs[plan.Redis], refs[plan.MySQL]}
	if first[0] == "" || first[1] == "" {
		return nil
	}
	pairs := [][2]string{first}
	for _, a := range t.variants {
		for _, b := range t.variants {
			if t.service(a) != plan.Redis || t.service(b) != plan.MySQL || [2]string{a, b} == first {
				continue
			}
			level, known := t.promise(a)
			other, also := t.promise(b)
			if known && also && level == other && t.hasLevels() {
				pairs = append(pairs, [2]string{a, b})
			}
		}
	}
	return pairs
}

// What a server promises of a write that it acknowledged.
const (
	promiseNothing = iota // it may be lost with the process: Redis without a log; flush at commit 0
	promiseSecond         // the process may die, and a second's writes are lost with the machine: everysec; 2
	promiseSynced         // it is on disk: always; 1
)

// promise of the variant labelled so, as its server told it, or else as the plan says; false where
// neither is known.
func (t *table) promise(label string) (level int, known bool) {
	facts := serverFacts(t.run, label)
	v, _ := t.run.Plan.Variant(label)
	if t.service(label) == plan.MySQL {
		levels := map[string]int{"0": promiseNothing, "1": promiseSynced, "2": promiseSecond}
		level, known = levels[facts["mysql.innodb_flush_log_at_trx_commit"]]
		return level, known
	}
	switch cmp.Or(facts["redis.persistence"], v.Persistence, plan.PersistenceNone) {
	case plan.PersistenceNone:
		return promiseNothing, true
	case plan.PersistenceSecond:
		return promiseSecond, true
	case plan.PersistenceAlways:
		return promiseSynced, true
	}
	return 0, false
}

// hasLevels says whether some service has variants of different promises: levels are then
// what the run compares.
func (t *table) hasLevels() bool {
	levels := map[string]map[int]bool{}
	for _, label := range t.variants {
		if level, known := t.promise(label); known {
			service := t.service(label)
			if levels[service] == nil {
				levels[service] = map[int]bool{}
			}
			levels[service][level] = true
			if len(levels[service]) > 1 {
				return true
			}
		}
	}
	return false
}

// loadsOf are the names of the loads that the variant was measured under, in the plan's order.
func (t *table) loadsOf(label string) []string {
	var names []string
	for _, w := range t.workloads {
		if t.cell(label, w) != nil && !slices.Contains(names, w.Load) {
			names = append(names, w.Load)
		}
	}
	return names
}

// workloadsOf are the variant's workloads that ok takes and that have samples.
func (t *table) workloadsOf(label string, ok func(plan.Cell) bool) []plan.Cell {
	return slices.DeleteFunc(slices.Clone(t.workloads), func(w plan.Cell) bool {
		c := t.cell(label, w)
		return c == nil || len(c.samples) == 0 || !ok(w)
	})
}

// baselinesOf one load of redis: every pair, and the best of each test and script.
func (t *table) baselinesOf(redis, mysql, load string) []BaselineRatio {
	ours := t.workloadsOf(redis, func(w plan.Cell) bool { return w.Load == load && w.Rate == 0 })
	theirs := t.workloadsOf(mysql, func(w plan.Cell) bool { return plan.Paired(load, w.Load) })
	common := commonClients(ours, theirs)
	var out []BaselineRatio
	for _, w := range ours {
		for _, script := range theirs {
			if len(common) > 0 && (w.Clients != script.Clients || !slices.Contains(common, w.Clients)) || !t.alike(w, script, ours, theirs) {
				continue
			}
			if row, ok := t.baseline(redis, mysql, w, script); ok {
				out = append(out, row)
			}
		}
	}
	if len(common) > 1 {
		out = append(out, t.bests(redis, mysql, ours, theirs)...)
	}
	return out
}

// bests sets each side's best number of connections beside the other's, for each test and
// script that are alike.
func (t *table) bests(redis, mysql string, ours, theirs []plan.Cell) []BaselineRatio {
	var out []BaselineRatio
	best := func(label string, all []plan.Cell) (chosen []plan.Cell, clients map[plan.Cell][]int) {
		byTest := map[plan.Cell]plan.Cell{} // but for the clients
		clients = map[plan.Cell][]int{}
		for _, w := range all {
			key := w
			key.Clients = 0
			clients[key] = append(clients[key], w.Clients)
			if with, ok := byTest[key]; !ok || t.medianRate(label, w) > t.medianRate(label, with) {
				byTest[key] = w
			}
		}
		for _, w := range all {
			key := w
			key.Clients = 0
			if byTest[key] == w {
				chosen = append(chosen, w)
			}
			slices.Sort(clients[key])
		}
		return chosen, clients
	}
	bestOurs, clients := best(redis, ours)
	bestTheirs, threads := best(mysql, theirs)
	for _, w := range bestOurs {
		for _, script := range bestTheirs {
			if !t.alike(w, script, ours, theirs) {
				continue
			}
			if row, ok := t.baseline(redis, mysql, w, script); ok {
				key, other := w, script
				key.Clients, other.Clients = 0, 0
				row.Best, row.Sweep, row.MySQLSweep = true, clients[key], threads[other]
				out = append(out, row)
			}
		}
	}
	return out
}

func (t *table) medianRate(label string, w plan.Cell) float64 {
	m, _, _ := median(t.cell(label, w).samples)
	if m == nil {
		return 0
	}
	return *m
}

func (t *table) baseline(redis, mysql string, w, script plan.Cell) (row BaselineRatio, ok bool) {
	a, b := t.cell(redis, w), t.cell(mysql, script)
	logs, rounds := t.logRatios(a, b)
	if len(logs) == 0 {
		return row, false
	}
	row = BaselineRatio{Redis: redis, MySQL: mysql, Cell: w, Script: script.Test, Threads: script.Clients, MySQLCell: script,
		Pair: cmp.Or(w.Load, script.Load), Rounds: len(logs), RedisBound: a.clientBound(), MySQLBound: b.clientBound(),
		Alike: works[w.Test] == works[script.Test] && works[w.Test] != worksOther}
	row.Ratio, row.Low, row.High = ratioOf(logs)
	if begins(script.Test) {
		without := slices.Clone(logs)
		for i, round := range rounds {
			s := b.byRound[round]
			// Each transaction has a BEGIN and a COMMIT; what is left counts as it did.
			without[i] -= math.Log(float64(s.Requests-2*s.Transactions) / float64(s.Requests))
		}
		row.Without, row.WithoutLow, row.WithoutHigh = ratioOf(without)
	}
	return row, true
}

// ratioOf is exp of the mean of logs, with its interval where there are rounds enough.
func ratioOf(logs []float64) (center, low, high *float64) {
	e := estimateMean(logs)
	if len(logs) < minRounds {
		return ratio(e.mean), nil, nil
	}
	return ratio(e.mean), ratio(e.low), ratio(e.high)
}

// clientBound says whether the load client was the limit in half of the rounds or more.
func (c *cell) clientBound() bool {
	n := 0
	for _, s := range c.samples {
		if slices.Contains(s.Flags, result.FlagClientBound) {
			n++
		}
	}
	return n > 0 && 2*n >= len(c.samples)
}

// commonClients are the numbers of connections that both sides were measured with.
func commonClients(ours, theirs []plan.Cell) []int {
	var common []int
	for _, w := range ours {
		if !slices.Contains(common, w.Clients) && slices.ContainsFunc(theirs, func(s plan.Cell) bool { return s.Clients == w.Clients }) {
			common = append(common, w.Clients)
		}
	}
	return common
}

// Kinds of work, as Redis's tests and sysbench's scripts do it.
const (
	worksOther  = iota // neither alone: PING, or a transaction of reads and writes
	worksReads         // nothing is changed
	worksWrites        // nothing is asked
)

var works = map[string]int{
	"GET": worksReads, "LRANGE_100": worksReads, "LRANGE_300": worksReads, "LRANGE_500": worksReads, "LRANGE_600": worksReads,
	"SET": worksWrites, "INCR": worksWrites, "LPUSH": worksWrites, "RPUSH": worksWrites, "SADD": worksWrites, "HSET": worksWrites, "ZADD": worksWrites,
	"XADD": worksWrites, "MSET": worksWrites,
	"oltp_point_select": worksReads, "oltp_read_only": worksReads,
	"oltp_write_only": worksWrites, "oltp_update_index": worksWrites, "oltp_update_non_index": worksWrites, "oltp_insert": worksWrites, "oltp_delete": worksWrites,
}

// begins says whether a script's transactions open with BEGIN and end with COMMIT.
func begins(script string) bool {
	return script == "oltp_read_write" || script == "oltp_read_only" || script == "oltp_write_only"
}

// alike says whether w is to be set beside script: where one has a counterpart of its own kind
// on the other side, only that is its like.
func (t *table) alike(w, script plan.Cell, ours, theirs []plan.Cell) bool {
	a, b := works[w.Test], works[script.Test]
	if a == b || a == worksOther || b == worksOther {
		return true
	}
	counterpart := func(kind int, among []plan.Cell) bool {
		return slices.ContainsFunc(among, func(c plan.Cell) bool { return works[c.Test] == kind })
	}
	return !counterpart(a, theirs) && !counterpart(b, ours)
}

// logRatios has ln(a ÷ b) of each round that both measured, and those rounds' numbers.
func (t *table) logRatios(a, b *cell) (logs []float64, rounds []int) {
	for _, round := range t.rounds {
		sa, sb := a.byRound[round], b.byRound[round]
		if sa == nil || sb == nil {
			continue
		}
		if la, lb := t.level(sa), t.level(sb); la > 0 && lb > 0 {
			logs, rounds = append(logs, math.Log(la/lb)), append(rounds, round)
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
