package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// Findings says what r shows, in order of weight, compared with reference ("" is
// the plan's): a stand-in before all, then differences by size, each with what explains it,
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
	out = append(out, f.reliability(result.FlagStandIn)...)
	judged, found := f.overall(), 0
	for _, c := range judged {
		if c.Verdict == result.Slower || c.Verdict == result.Faster {
			out = append(out, f.difference(c)...)
			found++
		}
	}
	out = append(out, f.reliability(result.FlagErrors, result.FlagClientBound, result.FlagVersions, result.FlagEngines,
		result.FlagFilesystems, result.FlagUserNetwork, result.FlagOther)...)
	out = append(out, f.disturbed()...)
	for _, c := range judged[found:] {
		out = append(out, f.undecided(c)...)
	}
	if len(judged) == 0 {
		out = append(out, f.alone()...)
	}
	return append(out, f.reliability(stats.WarnConntrack)...)
}

// A finder holds what findings are made from.
type finder struct {
	run         *result.Run
	reference   string
	summary     []result.SummaryRow
	comparisons []result.ComparisonRow
	shares      []stats.PathShare
	warnings    []stats.Warning
	names       workloadNames
}

func newFinder(r *result.Run, reference string) *finder {
	return finderOf(r, reference, stats.Summarize(r, reference), stats.Compare(r, reference))
}

// finderOf takes tables that were computed already.
func finderOf(r *result.Run, reference string, summary []result.SummaryRow, comparisons []result.ComparisonRow) *finder {
	return &finder{run: r, reference: stats.Reference(r, reference), summary: summary, comparisons: comparisons,
		shares: stats.PathShares(r), warnings: stats.Warnings(r), names: namesOf(summary)}
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
			out[0].Kind = KindSlowerProxy
			// A container's address may come out faster than native: then all of it.
			out[0].Args["Share"] = whole(100 * min(max(s.Share, 0), 1))
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
	return text.Args{"Variant": c.A, "Reference": c.B, "Rounds": c.Rounds}
}

// scope is args with what was counted: the requests of one test, or of several.
func (f *finder) scope(c result.ComparisonRow, tests []result.ComparisonRow) text.Args {
	args := f.args(c)
	args["Test"], args["Tests"] = "", len(tests)
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
	setRange(args, 100*s.Share, 100*s.Low, 100*s.High)
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
	if !opposed && !apart {
		return Finding{}, false
	}
	args := f.args(c)
	args["LeastTest"], args["MostTest"] = f.names.of(least), f.names.of(most)
	d := f.finding(KindDisagree, args, least, most)
	d.phrases = map[string]phrase{"Least": change(least), "Most": change(most)}
	return d, true
}

// change is a single test's ratio in words, with its verdict.
func change(c result.ComparisonRow) phrase {
	switch {
	case c.Verdict == result.NoDifference:
		return phrase{"report.change-none", nil}
	case *c.Ratio < 1:
		return phrase{"report.change-fewer", text.Args{"Percent": percentText(lossPercent(*c.Ratio))}}
	case *c.Ratio >= 2:
		return phrase{"report.change-times", text.Args{"Times": digits(*c.Ratio, 1)}}
	}
	return phrase{"report.change-more", text.Args{"Percent": percentText(-lossPercent(*c.Ratio))}}
}

// undecided is the finding of a comparison without a difference, and of its
// tests where those disagree.
func (f *finder) undecided(c result.ComparisonRow) []Finding {
	tests := f.tests(c.A)
	out := f.finding(KindTooFew, f.scope(c, tests), append([]result.ComparisonRow{c}, tests...)...)
	switch c.Verdict {
	case result.NoDifference:
		out.Kind = KindNone
		out.Args["Percent"] = percentText(100 * *c.SmallestDetectable)
	case "":
		out.Kind = KindUnjudged
		fallthrough
	default:
		out.phrases = map[string]phrase{"Change": change(c)}
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

// alone gives the figures of a run that has nothing to compare.
func (f *finder) alone() []Finding {
	var out []Finding
	for _, s := range f.summary {
		if s.RPS != nil {
			out = append(out, f.finding(KindAlone, text.Args{"Variant": s.Variant, "Test": f.names.ofSummary(s), "RPS": grouped(*s.RPS), "Rounds": s.Samples}))
		}
	}
	return out
}
