package stats

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"berth/core/host"
	"berth/core/result"
	"berth/core/text"
)

// A Difference is something that is not the same in all of several runs.
type Difference struct {
	Key    string   // "kernel.version" of the machine, "load.seconds" of the plan, "native: redis.version" of a server
	Values []string // in the runs' order; empty where a run does not say
	// Flag is what it does to a comparison: FlagMachines, FlagLoads, or nothing.
	Flag string
}

// known says whether every run tells its value: what is not known is not known to differ.
func (d Difference) known() bool { return !slices.Contains(d.Values, "") }

// moments are facts of the minute in which a run was started: they always differ,
// and what another load did to a run is in the flags of its samples.
var moments = []string{"load.average", "memory.available", "swap.used"}

// weighty are the facts of a machine without which two runs are not of the same one.
var weighty = []string{"cpu.model", "cpu.count", "cpu.cores", "cpu.allowed", "cpu.governor", "cpu.turbo", "cpu.smt", "cgroup.cpu_limit",
	"memory.total", "host.hypervisor", "kernel.version", "kernel.mitigations", "os.name", "os.arch", "power.source", "net.loopback_conntrack"}

// RunDifferences lists what the runs do not have in common: the machine's weighty facts
// first, then the load, then its other facts, then what differs between servers of
// variants that are in all runs.
func RunDifferences(runs []*result.Run) []Difference {
	machines, loads := make([]map[string]string, len(runs)), make([]map[string]string, len(runs))
	for i, r := range runs {
		machines[i] = maps.Clone(map[string]string(r.Facts()))
		for _, key := range moments {
			delete(machines[i], key)
		}
		loads[i] = loadFacts(r)
	}
	var heavy, light []Difference
	for _, d := range differences("", machines) {
		if slices.Contains(weighty, d.Key) {
			d.Flag = FlagMachines
			heavy = append(heavy, d)
		} else {
			light = append(light, d)
		}
	}
	out := heavy
	for _, d := range differences("", loads) {
		if d.Key != "berth" && d.Key != "rounds" {
			d.Flag = FlagLoads
		}
		out = append(out, d)
	}
	out = append(out, light...)
	for _, label := range labelsInAll(runs) {
		servers := make([]map[string]string, len(runs))
		for i, r := range runs {
			servers[i] = maps.Clone(serverFacts(r, label))
			if strings.HasPrefix(servers[i]["image.name"], "none") {
				delete(servers[i], "image.id") // of an image with nothing in it, made anew for each run
			}
		}
		out = append(out, differences(label+": ", servers)...)
	}
	return out
}

// loadFacts are what a run's plan and agent say of the load, beside the workloads,
// of which only those that the runs share are compared.
func loadFacts(r *result.Run) map[string]string {
	facts := map[string]string{"berth": r.Berth, "rounds": fmt.Sprint(len(r.Rounds))}
	for _, l := range r.Plan.Loads {
		if len(l.Tests) == 0 { // an imported run has no load of Berth's
			continue
		}
		of := keysOf("load", l.Name)
		facts[of+"suite"] = l.Suite
		facts[of+"seconds"] = fmt.Sprint(l.Seconds)
		facts[of+"requests"] = fmt.Sprint(l.Requests)
		facts[of+"warmup_seconds"] = fmt.Sprint(l.WarmUpSeconds)
		facts[of+"keyspace"] = fmt.Sprint(l.Keyspace)
	}
	for _, o := range r.Plan.OLTPs {
		if len(o.Scripts) == 0 {
			continue
		}
		of := keysOf("oltp", o.Name)
		facts[of+"seconds"] = fmt.Sprint(o.Seconds)
		facts[of+"warmup_seconds"] = fmt.Sprint(o.WarmUpSeconds)
		facts[of+"tables"] = fmt.Sprint(o.Tables)
		facts[of+"table_size"] = fmt.Sprint(o.TableSize)
		facts[of+"rand_type"] = o.Draw
	}
	if n := len(r.Sessions); n > 0 {
		a := r.Sessions[n-1].Agent
		facts["agent.threads"], facts["agent.cpus"] = fmt.Sprint(a.Threads), host.FormatCPUs(a.CPUs)
	}
	return facts
}

// keysOf is what the keys of a load begin with: "load." or "load.NAME.".
func keysOf(table, name string) string {
	if name == "" {
		return table + "."
	}
	return table + "." + name + "."
}

// differences between facts by run, sorted by key.
func differences(prefix string, runs []map[string]string) []Difference {
	keys := map[string]bool{}
	for _, facts := range runs {
		for k := range facts {
			keys[k] = true
		}
	}
	var out []Difference
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		values := make([]string, len(runs))
		for i, facts := range runs {
			values[i] = facts[k]
		}
		if slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
			out = append(out, Difference{Key: prefix + k, Values: values})
		}
	}
	return out
}

// labelsInAll are the labels of variants that every run has samples or a plan of.
func labelsInAll(runs []*result.Run) []string {
	var labels []string
	for i, r := range runs {
		variants := newTable(r).variants
		if i == 0 {
			labels = variants
			continue
		}
		labels = slices.DeleteFunc(labels, func(l string) bool { return !slices.Contains(variants, l) })
	}
	return labels
}

// Kinds of warnings about comparisons between runs.
const (
	WarnRunsMachines  = "runs-machines"  // not one machine, or not set up alike
	WarnRunsLoads     = "runs-loads"     // not loaded alike
	WarnRunsBerth     = "runs-berth"     // loaded by different versions of Berth
	WarnRunsEngines   = "runs-engines"   // loaded by different engines
	WarnRunsVersions  = "runs-versions"  // servers of different versions
	WarnRunsPlacement = "runs-placement" // one label, two placements
	WarnRunsBusy      = "runs-busy"      // one with more other load on the machine than another
	WarnRunsLeftOut   = "runs-left-out"  // variants without a counterpart
	WarnRunsImported  = "runs-imported"  // reported by other tools, with no word of the machine
)

// busyApart is how far the shares of disturbed samples of two runs are apart for
// one to count as run beside other load.
const busyApart = 0.25

// RunWarnings say why a comparison of these runs may not hold, the gravest first.
func RunWarnings(runs []*result.Run) []Warning {
	var out []Warning
	by := map[string][]string{}
	for _, d := range RunDifferences(runs) {
		if d.known() {
			by[d.Flag] = append(by[d.Flag], d.Key)
			by[d.Key] = d.Values
		}
	}
	add := func(kind string, facts []string, variants ...string) {
		if len(facts) > 0 || len(variants) > 0 {
			out = append(out, Warning{Kind: kind, Variants: variants, Args: text.Args{"Facts": strings.Join(facts, ", ")}})
		}
	}
	var imported []string
	for _, r := range runs {
		if len(r.Imported) > 0 {
			imported = append(imported, r.ID)
		}
	}
	add(WarnRunsImported, imported)
	add(WarnRunsMachines, by[FlagMachines])
	add(WarnRunsLoads, by[FlagLoads])
	add(WarnRunsBerth, by["berth"])
	pairs := runPairs(runs)
	for _, x := range []struct {
		kind string
		of   func(p runPair) bool
	}{
		{WarnRunsEngines, func(p runPair) bool { return p.flagged(result.FlagEngines) }},
		{WarnRunsVersions, func(p runPair) bool { return p.flagged(result.FlagVersions) }},
		{WarnRunsPlacement, func(p runPair) bool { return p.a.placement(p.labelA) != p.b.placement(p.labelB) }},
	} {
		var variants []string
		for _, p := range pairs {
			if x.of(p) && !slices.Contains(variants, p.labelA) {
				variants = append(variants, p.labelA)
			}
		}
		add(x.kind, nil, variants...)
	}
	add(WarnRunsBusy, disturbed(runs))
	return append(out, leftOut(runs, pairs)...)
}

func (p runPair) flagged(flag string) bool {
	return slices.ContainsFunc(p.singles(), func(m member) bool { return slices.Contains(m.row.Flags, flag) })
}

// disturbed are the IDs of runs of which clearly more samples had other load beside
// them than of the calmest.
func disturbed(runs []*result.Run) []string {
	shares := make([]float64, len(runs))
	least := math.Inf(1)
	for i, r := range runs {
		n := 0
		for _, s := range r.Samples {
			if slices.ContainsFunc(s.Flags, func(f string) bool { return f == result.FlagBusy || f == result.FlagSteal || f == result.FlagOther }) {
				n++
			}
		}
		shares[i] = float64(n) / float64(max(1, len(r.Samples)))
		least = min(least, shares[i])
	}
	var out []string
	for i, r := range runs {
		if shares[i]-least >= busyApart {
			out = append(out, r.ID)
		}
	}
	return out
}

// leftOut tells of variants, of any run, that are compared with nothing.
func leftOut(runs []*result.Run, pairs []runPair) []Warning {
	w := Warning{Kind: WarnRunsLeftOut}
	for i, r := range runs {
		for _, label := range newTable(r).variants {
			met := slices.ContainsFunc(pairs, func(p runPair) bool {
				return i == 0 && p.labelB == label || i > 0 && p.a.run == r && p.labelA == label
			})
			if !met {
				w.Variants = append(w.Variants, RunLabel(r, label))
			}
		}
	}
	if len(w.Variants) == 0 {
		return nil
	}
	return []Warning{w}
}
