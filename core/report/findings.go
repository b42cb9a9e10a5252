package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// Findings says what r shows, in order of weight, compared with reference ("" is
// the plan's): a stand-in and a run cut short before all, then differences by size, each with what explains it,
// then what weakens them, then what was not found.
func Findings(r *result.Run, reference string) []Finding {
	return newFinder(r, reference).all()
}

// all findings, in order.
func (f *finder) all() []Finding {
	if len(f.summary) == 0 || !f.measured() {
		return []Finding{f.finding(KindNoData, text.Args{})}
	}
	var out []Finding
	out = append(out, f.reliability(result.FlagStandIn, result.FlagImported, stats.WarnStopped)...)
	judged, found := f.overall(), 0
	for _, c := range judged {
		if c.Verdict == result.Slower || c.Verdict == result.Faster {
			out = append(out, f.difference(c)...)
			found++
		}
	}
	out = append(out, f.baseline()...)
	out = append(out, f.reliability(stats.WarnFailures, stats.WarnRefused, result.FlagErrors, stats.WarnRetried, result.FlagTooShort, result.FlagClientBound, result.FlagVersions, result.FlagEngines,
		result.FlagFilesystems, result.FlagUserNetwork, result.FlagNetwork, stats.WarnReplica, stats.WarnCluster, stats.WarnEvicts, stats.WarnData, result.FlagOther)...)
	out = append(out, f.disturbed()...)
	far := false
	for _, c := range judged[found:] {
		out = append(out, f.undecided(c)...)
		far = far || slices.Contains(c.Flags, stats.FlagOutlier)
	}
	if far { // one sample may be all that hides a difference
		out = append(out, f.reliability(stats.FlagOutlier)...)
	}
	out = append(out, f.alone(judged)...)
	return append(out, f.reliability(stats.WarnConntrack)...)
}

// A finder holds what findings are made from.
type finder struct {
	run         *result.Run
	reference   string
	summary     []result.SummaryRow
	comparisons []result.ComparisonRow
	shares      []stats.PathShare
	baselines   []stats.BaselineRatio
	warnings    []stats.Warning
	names       workloadNames
}

func newFinder(r *result.Run, reference string) *finder {
	return finderOf(r, reference, stats.Summarize(r, reference), stats.Compare(r, reference))
}

// finderOf takes tables that were computed already.
func finderOf(r *result.Run, reference string, summary []result.SummaryRow, comparisons []result.ComparisonRow) *finder {
	return &finder{run: r, reference: stats.Reference(r, reference), summary: summary, comparisons: comparisons,
		shares: stats.PathShares(r), baselines: stats.BaselineRatios(r, reference), warnings: stats.Warnings(r), names: namesOf(summary)}
}

func (f *finder) finding(kind string, args text.Args, rows ...result.ComparisonRow) Finding {
	return Finding{Kind: kind, Args: args, Rows: rows, run: f.run}
}

func (f *finder) measured() bool {
	return slices.ContainsFunc(f.summary, func(s result.SummaryRow) bool { return s.RPS != nil })
}

// overall is the first family in order of weight: significant differences by
// size, then the rest as planned.
func (f *finder) overall() []result.ComparisonRow {
	var out []result.ComparisonRow
	for _, c := range f.comparisons {
		if c.Test == "" && c.Ratio != nil {
			out = append(out, c)
		}
	}
	size := func(c result.ComparisonRow) float64 {
		if c.Verdict != result.Slower && c.Verdict != result.Faster {
			return -1
		}
		return math.Abs(math.Log(*c.Ratio))
	}
	slices.SortStableFunc(out, func(a, b result.ComparisonRow) int { return cmp.Compare(size(b), size(a)) })
	return out
}

// tests are the second family's rows of the variant that can be judged.
func (f *finder) tests(variant string) []result.ComparisonRow {
	var out []result.ComparisonRow
	for _, c := range f.comparisons {
		if c.A == variant && c.Test != "" && c.Ratio != nil {
			out = append(out, c)
		}
	}
	return out
}

// difference is the finding of a significant comparison, followed by the
// Docker path that explains it and by tests that disagree.
func (f *finder) difference(c result.ComparisonRow) []Finding {
	tests := f.tests(c.A)
	main := f.finding(KindFaster, f.scope(c, tests), append([]result.ComparisonRow{c}, tests...)...)
	switch {
	case c.Verdict == result.Slower:
		main.Kind = KindSlower
		setRange(main.Args, lossPercent(*c.Ratio), lossPercent(*c.RatioHigh), lossPercent(*c.RatioLow))
	case *c.Ratio >= 2:
		main.Kind = KindTimes
		setTimes(main.Args, *c.Ratio, *c.RatioLow, *c.RatioHigh)
	default:
		setRange(main.Args, -lossPercent(*c.Ratio), -lossPercent(*c.RatioLow), -lossPercent(*c.RatioHigh))
	}
	out := []Finding{main}
	// The split is of the loss against native, whatever else is compared with.
	for _, s := range f.shares {
		if s.NAT == c.A && s.Native == c.B && s.Test == "" {
			if s.Apart() {
				out[0].Kind = KindSlowerProxy
				out[0].Args["Share"] = whole(100 * s.Within())
			}
			out = append(out, f.path(s, c))
		}
	}
	if d, ok := f.disagreement(c, tests); ok {
		out = append(out, d)
	}
	return out
}

// args that every comparison's sentence may use.
func (f *finder) args(c result.ComparisonRow) text.Args {
	return text.Args{"Variant": c.A, "Reference": c.B, "Rounds": c.Rounds, "MySQL": f.mysql(c.A)}
}

// mysql says whether the variant labelled so is MySQL, which answers queries, not requests.
func (f *finder) mysql(label string) bool { return f.service(label) == plan.MySQL }

// service of the variant labelled so; "" where the plan does not have it.
func (f *finder) service(label string) string {
	v, _ := f.run.Plan.Variant(label)
	return v.Service
}

// scope is args with what c's mean is over: the requests of one test, or of several, or of
// as many workloads where a test has more than one.
func (f *finder) scope(c result.ComparisonRow, tests []result.ComparisonRow) text.Args {
	args := f.args(c)
	tests = slices.DeleteFunc(slices.Clone(tests), func(t result.ComparisonRow) bool { return !slices.Contains(c.Over, t.Cell) })
	names := map[string]bool{}
	for _, t := range tests {
		names[t.Test] = true
	}
	args["Test"], args["Tests"], args["Workloads"] = "", len(names), 0
	if len(names) < len(tests) {
		args["Workloads"] = len(tests)
	}
	if len(tests) == 1 {
		args["Test"] = f.names.of(tests[0])
	}
	return args
}

// fewCPUs is the number below which server, proxy and client cannot have a CPU each
// with one left for the rest.
const fewCPUs = 4

func (f *finder) path(s stats.PathShare, c result.ComparisonRow) Finding {
	args := text.Args{"Variant": s.NAT, "Rounds": s.Rounds, "CPU": ""}
	if !s.Apart() {
		args["Value"], args["Low"], args["High"] = whole(100*s.Share), "", ""
		if !math.IsInf(s.Low, 0) && !math.IsInf(s.High, 0) {
			setRange(args, 100*s.Share, 100*s.Low, 100*s.High)
		}
		return f.finding(KindPathUnknown, args, c)
	}
	low, high := s.Bounds()
	setRange(args, 100*s.Within(), 100*low, 100*high)
	out := f.finding(KindPath, args, c)
	if s.ProxyCPU != nil {
		args["CPU"] = whole(*s.ProxyCPU)
	}
	if n, err := strconv.Atoi(f.run.Facts()["cpu.count"]); err == nil && n < fewCPUs {
		out.Kind, out.Args["CPUs"] = KindPathShared, n
	}
	return out
}

// disagreeing tests differ by more than this factor, beside having intervals that
// do not meet.
const disagreeing = 1.25

// disagreement tells of a variant whose tests do not say the same: some faster
// and some slower, or losses of clearly different size.
func (f *finder) disagreement(c result.ComparisonRow, tests []result.ComparisonRow) (Finding, bool) {
	var judged []result.ComparisonRow
	for _, t := range tests {
		if t.RatioLow != nil && t.RatioHigh != nil {
			judged = append(judged, t)
		}
	}
	if len(judged) < 2 {
		return Finding{}, false
	}
	byRatio := func(a, b result.ComparisonRow) int { return cmp.Compare(*a.Ratio, *b.Ratio) }
	least, most := slices.MinFunc(judged, byRatio), slices.MaxFunc(judged, byRatio)
	opposed := least.Verdict == result.Slower && most.Verdict == result.Faster
	apart := *least.RatioHigh < *most.RatioLow && *most.Ratio > disagreeing**least.Ratio
	undecided := least.Verdict == result.NoDifference && most.Verdict == result.NoDifference
	if !opposed && !apart || undecided {
		return Finding{}, false
	}
	args := f.args(c)
	args["LeastTest"], args["MostTest"] = f.names.of(least), f.names.of(most)
	d := f.finding(KindDisagree, args, least, most)
	d.phrases = map[string]phrase{"Least": f.change(least), "Most": f.change(most)}
	return d, true
}

// change is a single test's ratio in words, with its verdict.
func (f *finder) change(c result.ComparisonRow) phrase {
	mysql := f.mysql(c.A)
	switch {
	case c.Verdict == result.NoDifference:
		return phrase{"report.change-none", nil}
	case *c.Ratio < 1:
		return phrase{"report.change-fewer", text.Args{"Percent": percentText(lossPercent(*c.Ratio)), "MySQL": mysql}}
	case *c.Ratio >= 2:
		return phrase{"report.change-times", text.Args{"Times": digits(*c.Ratio, 1), "MySQL": mysql}}
	}
	return phrase{"report.change-more", text.Args{"Percent": percentText(-lossPercent(*c.Ratio)), "MySQL": mysql}}
}

// undecided is the finding of a comparison without a difference, and of its
// tests where those disagree.
func (f *finder) undecided(c result.ComparisonRow) []Finding {
	tests := f.tests(c.A)
	out := f.finding(KindTooFew, f.scope(c, tests), append([]result.ComparisonRow{c}, tests...)...)
	switch c.Verdict {
	case result.NoDifference:
		out.Kind = KindNone
		percent, all := strings.CutPrefix(percentText(100**c.SmallestDetectable), ">")
		out.Args["Percent"], out.Args["Alone"] = percent, all
		out.Args["Corrected"] = f.corrected(c)
	case "":
		out.Kind = KindUnjudged
		out.Args["Imported"] = slices.Contains(c.Flags, result.FlagImported)
		fallthrough
	default:
		out.phrases = map[string]phrase{"Change": f.change(c)}
	}
	if d, ok := f.disagreement(c, tests); ok && c.Verdict == result.NoDifference {
		return []Finding{out, d}
	}
	return []Finding{out}
}

// reliability are the warnings of these kinds as findings, in this order.
func (f *finder) reliability(kinds ...string) []Finding {
	var out []Finding
	for _, kind := range kinds {
		for i := range f.warnings {
			if w := &f.warnings[i]; w.Kind == kind {
				out = append(out, Finding{Kind: "stats.warn-" + kind, Args: w.Args, run: f.run, warning: w})
			}
		}
	}
	return out
}

// disturbedShare of the samples makes other load on the machine a finding, not
// a warning alone.
const disturbedShare = 0.25

func (f *finder) disturbed() []Finding {
	return slices.DeleteFunc(f.reliability(result.FlagBusy, result.FlagSteal), func(x Finding) bool {
		return float64(x.warning.Samples) < disturbedShare*float64(len(f.run.Samples))
	})
}

// corrected is the number of comparisons that c was corrected for, where that is why an
// interval that leaves out 1 gives no verdict; else 0.
func (f *finder) corrected(c result.ComparisonRow) int {
	if c.RatioLow == nil || c.RatioHigh == nil || *c.RatioLow <= 1 && *c.RatioHigh >= 1 {
		return 0
	}
	n := 0
	for _, other := range f.comparisons {
		if (other.Test == "") == (c.Test == "") && other.PValue != nil {
			n++
		}
	}
	return n
}

// alone gives the figures of what no comparison speaks of: a service's variant that
// is the only one of it.
func (f *finder) alone(judged []result.ComparisonRow) []Finding {
	var out []Finding
	for _, s := range f.summary {
		if s.RPS == nil || s.Load != "" && f.besides(s) || slices.ContainsFunc(judged, func(c result.ComparisonRow) bool { return c.A == s.Variant || c.B == s.Variant }) {
			continue
		}
		args := text.Args{"Variant": s.Variant, "Test": f.names.ofSummary(s), "RPS": grouped(*s.RPS), "Rounds": s.Samples, "MySQL": f.mysql(s.Variant),
			"TPS": "", "Threads": s.Clients, "Beside": len(f.baselines) > 0, "Short": ""}
		if s.TPS != nil {
			args["TPS"], args["Test"] = grouped(*s.TPS), s.Test
		}
		if slices.Contains(s.Flags, result.FlagTooShort) {
			args["Short"] = f.shortest(s)
		}
		out = append(out, f.finding(KindAlone, args))
	}
	return out
}

// besides says whether a row is one side of a ratio between Redis and MySQL, which tells more of it.
func (f *finder) besides(s result.SummaryRow) bool {
	return slices.ContainsFunc(f.baselines, func(b stats.BaselineRatio) bool {
		return b.Redis == s.Variant && b.Load == s.Load || b.MySQL == s.Variant && b.MySQLCell.Load == s.Load
	})
}

// shortest is how long the shortest sample of a row took: "8ms".
func (f *finder) shortest(row result.SummaryRow) string {
	least := time.Duration(math.MaxInt64)
	for _, s := range f.run.Samples {
		if s.Variant == row.Variant && s.Workload.Cell() == row.Cell {
			least = min(least, s.Elapsed)
		}
	}
	return least.Round(time.Millisecond).String()
}

// mostBaselines are told one by one; more are told as a range, and stand in the
// report's table.
const mostBaselines = 4

// The loads of the preset that sets Redis beside MySQL.
const (
	loadArticle = "as-the-article"
	loadLike    = "like-for-like"
)

// baseline says how many times as many requests Redis answers as MySQL queries, of each pair of
// variants and of each pair of loads by itself: different questions have different answers.
func (f *finder) baseline() []Finding {
	known := slices.DeleteFunc(slices.Clone(f.baselines), func(b stats.BaselineRatio) bool { return b.Ratio == nil })
	var out []Finding
	for len(known) > 0 {
		pair := func(b stats.BaselineRatio) bool { return b.Redis == known[0].Redis && b.MySQL == known[0].MySQL }
		end := slices.IndexFunc(known, func(b stats.BaselineRatio) bool { return !pair(b) })
		if end < 0 {
			end = len(known)
		}
		rows := known[:end]
		known = known[end:]
		answers := f.answers(rows)
		out = append(out, answers...)
		if len(answers) > 0 && (rows[0].Redis != f.baselines[0].Redis || rows[0].MySQL != f.baselines[0].MySQL) {
			out = append(out, f.promise(rows[0])) // the rest of the other pairs stands in the report's table
			continue
		}
		var loads []string
		for _, b := range rows {
			if !slices.Contains(loads, b.Pair) {
				loads = append(loads, b.Pair)
			}
		}
		for _, load := range loads {
			out = append(out, f.baselineOf(slices.DeleteFunc(slices.Clone(rows), func(b stats.BaselineRatio) bool { return b.Pair != load }))...)
		}
		if loads[0] != "" {
			out = append(out, f.promise(rows[0]))
		}
	}
	return out
}

// answers are both answers of the preset in one sentence, where there are both.
func (f *finder) answers(rows []stats.BaselineRatio) []Finding {
	args := text.Args{"Variant": rows[0].Redis, "Reference": rows[0].MySQL}
	for _, load := range []struct {
		name, arg string
		best      bool
	}{{loadArticle, "Article", false}, {loadLike, "Like", true}} {
		var of []stats.BaselineRatio
		for _, b := range rows {
			if b.Pair == load.name && b.Best == load.best {
				of = append(of, b)
			}
		}
		if len(of) == 0 {
			return nil
		}
		least, most := extremes(of)
		args[load.arg], args[load.arg+"Most"] = timesText(*least.Ratio), ""
		if timesText(*most.Ratio) != timesText(*least.Ratio) {
			args[load.arg+"Most"] = timesText(*most.Ratio)
		}
		args["Rounds"] = most.Rounds
	}
	return []Finding{f.finding(KindAnswers, args)}
}

// baselineOf one pair of loads: each row, or where they are many, their range and the best of each side.
func (f *finder) baselineOf(rows []stats.BaselineRatio) []Finding {
	var single, best []Finding
	var equal []stats.BaselineRatio
	for _, b := range rows {
		if b.Best {
			best = append(best, f.bestOf(b))
		} else {
			equal = append(equal, b)
			single = append(single, f.baselineRow(KindBaseline, b))
		}
	}
	if len(equal) <= mostBaselines && len(best) == 0 {
		return single
	}
	least, most := extremes(equal)
	args := text.Args{"Imported": len(f.run.Imported) > 0, "Variant": least.Redis, "Reference": least.MySQL, "Script": least.Script, "Load": least.Pair,
		"Least": timesText(*least.Ratio), "LeastTest": f.names.name(least.Cell), "Most": timesText(*most.Ratio), "MostTest": f.names.name(most.Cell), "Rounds": most.Rounds}
	kind := KindBaselines
	if len(best) > 0 && !slices.ContainsFunc(equal, func(b stats.BaselineRatio) bool { return !b.Alike }) {
		kind = KindEqual
	}
	return append(best, f.finding(kind, args))
}

func extremes(rows []stats.BaselineRatio) (least, most stats.BaselineRatio) {
	byRatio := func(a, b stats.BaselineRatio) int { return cmp.Compare(*a.Ratio, *b.Ratio) }
	return slices.MinFunc(rows, byRatio), slices.MaxFunc(rows, byRatio)
}

// baselineRow is one ratio, with that of the queries but BEGIN and COMMIT where it has one, and whose
// client was the limit.
func (f *finder) baselineRow(kind string, b stats.BaselineRatio) Finding {
	args := text.Args{"Imported": len(f.run.Imported) > 0, "Variant": b.Redis, "Reference": b.MySQL, "Test": f.names.name(b.Cell), "Load": b.Pair, "Alike": b.Alike,
		"Script": b.Script, "Threads": b.Threads, "Clients": b.Clients, "Rounds": b.Rounds, "Value": timesText(*b.Ratio), "Low": "", "High": "", "Without": "", "Bound": ""}
	if b.Low != nil && b.High != nil {
		args["Low"], args["High"] = timesText(*b.Low), timesText(*b.High)
	}
	if b.Without != nil {
		args["Without"] = timesText(*b.Without)
	}
	args["Bound"] = oneOrBoth(b.RedisBound, b.MySQLBound)
	return f.finding(kind, args)
}

// bestOf says at how many connections each side was best, and whether more might have been better.
func (f *finder) bestOf(b stats.BaselineRatio) Finding {
	out := f.baselineRow(KindBest, b)
	out.Args["Test"] = b.Test
	last := func(sweep []int, n int) bool { return len(sweep) > 1 && n == sweep[len(sweep)-1] }
	out.Args["Beyond"] = oneOrBoth(last(b.Sweep, b.Clients), last(b.MySQLSweep, b.Threads))
	return out
}

// oneOrBoth says for which service something holds; "" for neither.
func oneOrBoth(redis, mysql bool) string {
	switch {
	case redis && mysql:
		return both
	case redis:
		return redisOnly
	case mysql:
		return mysqlOnly
	}
	return ""
}

// promise says what each side of a ratio keeps of what is written.
func (f *finder) promise(b stats.BaselineRatio) Finding {
	out := f.finding(KindPromise, text.Args{"Variant": b.Redis, "Reference": b.MySQL})
	of := func(label string) phrase {
		v, _ := f.run.Plan.Variant(label)
		return keeps(f.run, v)
	}
	out.phrases = map[string]phrase{"Ours": of(b.Redis), "Theirs": of(b.MySQL)}
	return out
}

// timesText is a multiple with as many decimals as its size asks for.
func timesText(x float64) string {
	switch {
	case x >= 9.95:
		return digits(x, 0)
	case x >= 0.95:
		return digits(x, 1)
	}
	return digits(x, 2)
}
