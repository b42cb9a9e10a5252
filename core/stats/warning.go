package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// FlagOutlier marks rows that have a sample far from its other rounds.
// Such a sample stays in the figures.
const FlagOutlier = "outlier"

// Kinds of warnings beside the flags of package result, which are kinds too.
const (
	WarnDrift    = "drift"         // throughput moved from the first round to the last
	WarnFailures = "failures"      // servers or samples failed
	WarnStopped  = "stopped-early" // fewer rounds than planned
	// WarnConntrack is connection tracking on loopback, which Docker's rules bring
	// and which costs a native server too.
	WarnConntrack = "loopback-conntrack"
)

const (
	driftRounds   = 4    // for a line through rounds
	driftP        = 0.01 // of the line's slope
	driftShare    = 0.05 // change from first to last that is worth a word
	outlierRounds = 5    // below it the spread of the others is not known
	outlierP      = 2e-4 // of a sample, were it drawn like the others
	outlierShare  = 0.10 // from the others' mean, below which an outlier does no harm
)

// A Warning is something that weakens what a run says. It travels with the
// results and changes none of them.
type Warning struct {
	Kind     string   // a Warn constant, or a flag of package result
	Variants []string // labels that it holds for, in the plan's order
	Samples  int      // how many; 0 where samples are not counted
	Args     text.Args
}

// Text is the warning's sentence; name turns a variant's label into what a reader sees.
func (w Warning) Text(c *text.Catalogue, name func(label string) string) string {
	names := make([]string, len(w.Variants))
	for i, v := range w.Variants {
		names[i] = name(v)
	}
	args := text.Args{"Variants": strings.Join(names, c.T("stats.and"))}
	for k, v := range w.Args {
		args[k] = v
	}
	return c.N("stats.warn-"+w.Kind, w.Samples, args)
}

// flagKinds are the flags that have a warning, the gravest first.
var flagKinds = []string{
	result.FlagStandIn, result.FlagErrors, result.FlagClientBound, result.FlagVersions, result.FlagEngines, result.FlagFilesystems,
	result.FlagUserNetwork, result.FlagOther, result.FlagSteal, result.FlagBusy, result.FlagCPUsShared, result.FlagTooShort, result.FlagNotFresh,
	result.FlagUnsettled, result.FlagReconnects, result.FlagMisses, result.FlagCut, FlagOutlier,
}

// Warnings of r, the gravest first.
func Warnings(r *result.Run) []Warning {
	t := newTable(r)
	var out []Warning
	if len(r.Failures) > 0 {
		out = append(out, t.failures())
	}
	if done, planned := t.completeRounds(), plannedRounds(r); done < planned {
		out = append(out, Warning{Kind: WarnStopped, Args: text.Args{"Done": done, "Planned": planned}})
	}
	for _, kind := range flagKinds {
		if w, ok := t.flagged(kind); ok {
			out = append(out, w)
		}
	}
	if w, ok := t.drift(); ok {
		out = append(out, w)
	}
	if r.Facts()["net.loopback_conntrack"] == "yes" && len(r.Samples) > 0 {
		out = append(out, Warning{Kind: WarnConntrack})
	}
	return out
}

func (t *table) failures() Warning {
	w := Warning{Kind: WarnFailures, Samples: len(t.run.Failures)}
	for _, v := range t.variants {
		if slices.ContainsFunc(t.run.Failures, func(f result.FailureEvent) bool { return f.Variant == v }) {
			w.Variants = append(w.Variants, v)
		}
	}
	return w
}

// plannedRounds of all sessions together.
func plannedRounds(r *result.Run) int {
	if len(r.Sessions) == 0 {
		return r.Plan.Rounds
	}
	n := 0
	for _, s := range r.Sessions {
		n += s.Rounds
	}
	return n
}

// completeRounds counts rounds in which every variant that was measured at all
// has a usable sample.
func (t *table) completeRounds() int {
	count := 0
	for _, round := range t.rounds {
		complete := true
		for _, v := range t.variants {
			if len(t.cells[v]) == 0 {
				continue
			}
			has := false
			for _, c := range t.cells[v] {
				has = has || c.byRound[round] != nil
			}
			complete = complete && has
		}
		if complete {
			count++
		}
	}
	return count
}

// flagged collects what carries the flag called kind.
func (t *table) flagged(kind string) (Warning, bool) {
	w := Warning{Kind: kind}
	for _, v := range t.variants {
		n := 0
		switch kind {
		case FlagOutlier:
			n = t.outliers(v)
		case result.FlagVersions:
			if b := Reference(t.run, ""); b != v && versionsDiffer(serverFacts(t.run, v), serverFacts(t.run, b)) {
				n = 1
			}
		case result.FlagFilesystems:
			if b := Reference(t.run, ""); b != v && filesystemsDiffer(serverFacts(t.run, v), serverFacts(t.run, b)) {
				n = 1
			}
		case result.FlagEngines:
			n = t.otherEngine(v)
		case result.FlagStandIn:
			if t.placement(v) == plan.StandIn {
				n = 1
			}
		default:
			for i := range t.run.Samples {
				s := &t.run.Samples[i]
				if s.Variant == v && slices.Contains(s.Flags, kind) {
					n++
				}
			}
		}
		if n > 0 {
			w.Variants = append(w.Variants, v)
			w.Samples += n
		}
	}
	return w, w.Samples > 0
}

// otherEngine counts workloads in which variant was loaded by another engine
// than the reference.
func (t *table) otherEngine(variant string) int {
	n, reference := 0, Reference(t.run, "")
	for w, c := range t.cells[variant] {
		if b := t.cell(reference, w); b != nil && !slices.Equal(c.engines, b.engines) {
			n++
		}
	}
	return n
}

func (t *table) outliers(variant string) int {
	n := 0
	for _, c := range t.cells[variant] {
		n += len(t.outliersOf(c.samples))
	}
	return n
}

// outliersOf are the samples whose logarithm of requests a second is far from that of the
// variant's other rounds: by the externally studentised residual, which measures each
// against the rest (R. D. Cook and S. Weisberg, "Residuals and influence in regression", 1982).
func (t *table) outliersOf(samples []*result.Sample) []*result.Sample {
	n := len(samples)
	if n < outlierRounds {
		return nil
	}
	logs := make([]float64, n)
	for i, s := range samples {
		logs[i] = math.Log(s.RPS())
	}
	mean, squares := stat.Mean(logs, nil), 0.0
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	critical, ok := t.critical[n]
	if !ok {
		critical = tQuantile(1-outlierP/2, float64(n-2))
		t.critical[n] = critical
	}
	var out []*result.Sample
	for i, s := range samples {
		// away is from the mean of the others; leaving x out takes (x-mean)·away from the squares.
		away := (logs[i] - mean) * float64(n) / float64(n-1)
		rest := squares - (logs[i]-mean)*away
		deviation := math.Sqrt(max(rest, 0) / float64(n-2) * float64(n) / float64(n-1))
		if math.Abs(away) > max(critical*deviation, math.Log1p(outlierShare)) {
			out = append(out, s)
		}
	}
	return out
}

// drift fits a line through the rounds of each variant and tells of those that moved.
func (t *table) drift() (Warning, bool) {
	w := Warning{Kind: WarnDrift}
	largest := 0.0
	for _, v := range t.variants {
		change, ok := t.driftOf(v)
		if !ok {
			continue
		}
		w.Variants = append(w.Variants, v)
		if math.Abs(change) > math.Abs(largest) {
			largest = change
		}
	}
	w.Args = text.Args{"Percent": fmt.Sprintf("%+.0f", 100*math.Expm1(largest))}
	return w, len(w.Variants) > 0
}

// driftOf is the logarithm of last ÷ first along the line through the variant's
// rounds, where its slope is significant and the change large enough to matter. Each
// test is centred on its own mean over the rounds that have all tests.
func (t *table) driftOf(variant string) (change float64, ok bool) {
	var rounds, levels []float64
	cells := t.cells[variant]
	for i, round := range t.rounds {
		sum := 0.0
		whole := len(cells) > 0
		for _, w := range t.workloads { // in a fixed order: sums must not depend on a map's
			c := cells[w]
			if c == nil {
				continue
			}
			if s := c.byRound[round]; s != nil {
				sum += math.Log(s.RPS())
			} else {
				whole = false
			}
		}
		if whole {
			rounds, levels = append(rounds, float64(i)), append(levels, sum/float64(len(cells)))
		}
	}
	n := len(rounds)
	if n < driftRounds {
		return 0, false
	}
	intercept, slope := stat.LinearRegression(rounds, levels, nil, false)
	rest := 0.0
	for i := range rounds {
		d := levels[i] - intercept - slope*rounds[i]
		rest += d * d
	}
	spread := stat.Variance(rounds, nil) * float64(n-1)
	deviation := math.Sqrt(rest / float64(n-2) / spread)
	change = slope * (rounds[n-1] - rounds[0])
	if math.Abs(change) < driftShare {
		return 0, false
	}
	return change, math.Abs(slope) > tQuantile(1-driftP/2, float64(n-2))*deviation
}
