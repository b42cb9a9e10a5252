package stats

import (
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// FlagOutlier marks rows that have a sample far from its other rounds.
// Such a sample stays in the figures.
const FlagOutlier = "outlier"

// FlagFewer marks rows that have fewer rounds than the fullest row, because a
// run was stopped or something failed: their medians are not of the same rounds.
const FlagFewer = "fewer-rounds"

// Kinds of warnings beside the flags of package result, which are kinds too.
const (
	WarnDrift    = "drift"         // throughput moved from the first round to the last
	WarnFailures = "failures"      // servers or samples failed
	WarnSessions = "sessions"      // the run's rounds were not all measured under the same conditions
	WarnStopped  = "stopped-early" // fewer whole rounds than planned
	// WarnRetried is FlagErrors of MySQL: not replies, but transactions begun again.
	WarnRetried = "begun-again"
	// WarnRefused is FlagErrors of samples that are in no figure for that.
	WarnRefused = "refused"
	// WarnConntrack is connection tracking on loopback, which Docker's rules bring
	// and which costs every server that is reached there, in Docker or not.
	WarnConntrack = "loopback-conntrack"
	// What an existing server is, beside being somebody's.
	WarnReplica = "existing-replica"
	WarnData    = "existing-data" // it holds some
	WarnEvicts  = "existing-evicts"
	WarnCluster = "existing-cluster"
)

// existingFacts are the facts of a server that make the warnings about existing ones.
var existingFacts = []struct{ kind, fact string }{
	{WarnReplica, "existing.replica"}, {WarnCluster, "existing.cluster"}, {WarnEvicts, "existing.evicts"}, {WarnData, "existing.holds_data"},
}

// DriftRounds is how many rounds it takes to say whether throughput moved over a run.
const DriftRounds = 4

const (
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
	result.FlagStandIn, result.FlagImported, WarnRefused, result.FlagErrors, WarnRetried, result.FlagClientBound, result.FlagVersions, result.FlagEngines, result.FlagFilesystems,
	result.FlagUserNetwork, result.FlagNetwork, result.FlagOther, result.FlagSteal, result.FlagBusy, result.FlagCPUsShared, result.FlagTooShort, result.FlagNotFresh, result.FlagCarried, result.FlagPool,
	result.FlagUnsettled, result.FlagReconnects, result.FlagMisses, result.FlagCut, FlagOutlier, FlagFewer,
}

// Warnings of r, the gravest first.
func Warnings(r *result.Run) []Warning {
	t := newTable(r)
	var out []Warning
	if len(r.Failures) > 0 {
		out = append(out, t.failures())
	}
	if w, ok := t.stopped(); ok {
		out = append(out, w)
	}
	if facts := sessionsDiffer(r); len(facts) > 0 {
		out = append(out, Warning{Kind: WarnSessions, Args: text.Args{"Facts": strings.Join(facts, ", ")}})
	}
	for _, kind := range flagKinds {
		if w, ok := t.flagged(kind); ok {
			out = append(out, w)
		}
	}
	for _, e := range existingFacts {
		w := Warning{Kind: e.kind}
		for _, v := range t.variants {
			if serverFacts(r, v)[e.fact] == "yes" {
				w.Variants = append(w.Variants, v)
			}
		}
		if len(w.Variants) > 0 {
			out = append(out, w)
		}
	}
	if w, ok := t.drift(); ok {
		out = append(out, w)
	}
	if r.Facts()["net.loopback_conntrack"] == "yes" {
		if vs := slices.DeleteFunc(slices.Clone(t.variants), func(v string) bool { return len(t.cells[v]) == 0 || !t.onLoopback(v) }); len(vs) > 0 {
			out = append(out, Warning{Kind: WarnConntrack, Variants: vs})
		}
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

// Progress is how much of what was planned a run has.
type Progress struct {
	Stopped         bool // by the user, before its end
	Done, Begun     int  // rounds: whole, and whole or in part
	Planned         int  // rounds of all sessions together
	Samples, Wanted int  // taken, and planned
}

// ProgressOf r. A round is whole where nothing in it is missing that other rounds have.
func ProgressOf(r *result.Run) Progress { return newTable(r).progress() }

func (t *table) progress() Progress {
	r := t.run
	p := Progress{Stopped: r.End != nil && r.End.Reason == result.EndStopped, Done: t.completeRounds(), Begun: max(len(r.Rounds), len(t.rounds)),
		Planned: plannedRounds(r), Samples: len(r.Samples)}
	if r.Plan.Rounds > 0 {
		p.Wanted = r.Plan.Samples() / r.Plan.Rounds * p.Planned
	}
	return p
}

// stopped tells of a run that has fewer whole rounds than planned, whyever.
func (t *table) stopped() (Warning, bool) {
	p := t.progress()
	short := p.Done < p.Planned || p.Stopped && p.Samples < p.Wanted
	return Warning{Kind: WarnStopped, Args: text.Args{"Stopped": p.Stopped, "Done": p.Done, "Begun": p.Begun, "Planned": p.Planned,
		"Taken": p.Samples, "Wanted": p.Wanted}}, short
}

// onLoopback says whether the variant's clients reach it over this machine's loopback,
// with nothing of Docker's network between.
func (t *table) onLoopback(label string) bool {
	switch t.placement(label) {
	case plan.Native, plan.Pinned, plan.DockerHost, plan.StandIn:
		return true
	case plan.Existing:
		v, _ := t.run.Plan.Variant(label)
		ip := net.ParseIP(v.Host)
		return v.Socket == "" && (v.Host == "localhost" || ip != nil && ip.IsLoopback())
	}
	return false
}

// completeRounds counts rounds that lack nothing that other rounds have.
func (t *table) completeRounds() int {
	count := 0
	for _, round := range t.rounds {
		complete := true
		for _, v := range t.variants {
			for _, c := range t.cells[v] {
				complete = complete && (len(c.samples) == 0 || c.byRound[round] != nil)
			}
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
	references := t.references("")
	share, first := 0.0, "" // the largest of error replies, and the text of one
	var where text.Args     // the first outlier
	for _, v := range t.variants {
		n := 0
		switch kind {
		case WarnRetried:
			if t.service(v) == plan.MySQL {
				n = t.count(v, result.FlagErrors)
			}
		case result.FlagErrors, WarnRefused:
			for i := range t.run.Samples {
				s := &t.run.Samples[i]
				if s.Variant != v || t.service(v) == plan.MySQL || !slices.Contains(s.Flags, result.FlagErrors) || Refused(s) != (kind == WarnRefused) {
					continue
				}
				n++
				if s.Errors > 0 && errorShare(s) > share {
					share, first = errorShare(s), firstError(s)
				}
			}
		case FlagFewer:
			for _, c := range t.cells[v] {
				if t.fewer(c) {
					n++
				}
			}
		case FlagOutlier:
			far := t.outliers(v)
			if n = len(far); n > 0 && w.Samples == 0 {
				where = text.Args{"Test": far[0].Workload.Test, "Round": far[0].Round}
			}
		case result.FlagVersions:
			if b := references[t.service(v)]; b != v && versionsDiffer(serverFacts(t.run, v), serverFacts(t.run, b)) {
				n = 1
			}
		case result.FlagFilesystems:
			if b := references[t.service(v)]; b != v && filesystemsDiffer(serverFacts(t.run, v), serverFacts(t.run, b)) {
				n = 1
			}
		case result.FlagEngines:
			n = t.otherEngine(v)
		case result.FlagStandIn:
			if t.placement(v) == plan.StandIn {
				n = 1
			}
		default:
			n = t.count(v, kind)
		}
		if n > 0 {
			w.Variants = append(w.Variants, v)
			w.Samples += n
		}
	}
	w.Args = text.Args{"All": w.Samples == len(t.run.Samples)}
	maps.Copy(w.Args, where)
	if kind == result.FlagErrors || kind == WarnRefused {
		w.Args["Share"], w.Args["First"] = sharePercent(share), first
	}
	return w, w.Samples > 0
}

// errorShare is the share of s's replies that were errors; s has replies if it has errors.
func errorShare(s *result.Sample) float64 { return float64(s.Errors) / float64(max(s.Requests, 1)) }

// firstError is one text of s's error replies, always the same; "" where none was kept.
func firstError(s *result.Sample) string {
	for _, word := range slices.Sorted(maps.Keys(s.FirstErrors)) {
		return text.Line(s.FirstErrors[word], 100)
	}
	return ""
}

// sharePercent is a share as a reader sees it: 0% only if it is nothing, 100% only if it is all.
func sharePercent(share float64) string {
	percent := 100 * share
	switch {
	case share == 0:
		return "0%"
	case percent < 0.1:
		return "<0.1%"
	case share < 1 && percent > 99.9:
		return ">99.9%"
	case percent < 10 || share < 1 && percent > 99:
		return strconv.FormatFloat(percent, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(percent, 'f', 0, 64) + "%"
}

// fewer says whether c has fewer rounds than the fullest cell. While a run goes on that
// is so of most, and says nothing.
func (t *table) fewer(c *cell) bool {
	return t.run.End != nil && len(c.samples) > 0 && len(c.samples) < t.fullest
}

// count of the variant's samples that carry the flag called kind.
func (t *table) count(variant, kind string) int {
	n := 0
	for i := range t.run.Samples {
		if s := &t.run.Samples[i]; s.Variant == variant && slices.Contains(s.Flags, kind) {
			n++
		}
	}
	return n
}

// otherEngine counts workloads in which variant was loaded by another engine
// than the reference.
func (t *table) otherEngine(variant string) int {
	n, reference := 0, t.references("")[t.service(variant)]
	for w, c := range t.cells[variant] {
		if b := t.cell(reference, w); b != nil && otherEngines(c, b) {
			n++
		}
	}
	return n
}

// outliers of a variant, by workload and round.
func (t *table) outliers(variant string) []*result.Sample {
	var out []*result.Sample
	for _, w := range t.workloads {
		if c := t.cell(variant, w); c != nil {
			out = append(out, t.outliersOf(c.samples)...)
		}
	}
	return out
}

// Outliers are r's samples that are far from their other rounds.
func Outliers(r *result.Run) []*result.Sample {
	t := newTable(r)
	var out []*result.Sample
	for _, v := range t.variants {
		for _, w := range t.workloads {
			if c := t.cell(v, w); c != nil {
				out = append(out, t.outliersOf(c.samples)...)
			}
		}
	}
	return out
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
	rose, fell := false, false
	for _, v := range t.variants {
		change, ok := t.driftOf(v)
		if !ok {
			continue
		}
		w.Variants = append(w.Variants, v)
		rose, fell = rose || change > 0, fell || change < 0
		if math.Abs(change) > math.Abs(largest) {
			largest = change
		}
	}
	way := "moved"
	switch {
	case !fell:
		way = "rose"
	case !rose:
		way = "fell"
	}
	w.Args = text.Args{"Way": way, "Percent": fmt.Sprintf("%.0f", 100*math.Abs(math.Expm1(largest)))}
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
	if n < DriftRounds {
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
