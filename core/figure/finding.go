package figure

import (
	"cmp"
	"math"
	"slices"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// What figures say in their titles: the finding that is seen in them, where there
// is one about exactly what they show.

// finding is the largest difference in throughput that has a verdict, as a sentence; ""
// where there is none to tell of what is shown.
func (v *view) finding() string {
	best, none := v.largest(v.comparisons)
	if none {
		return v.text.T("figure.title.none", text.Args{"B": v.name(v.reference)})
	}
	if best == nil {
		return ""
	}
	id, change := "figure.title.slower", 1-*best.Ratio
	if best.Verdict == result.Faster {
		id, change = "figure.title.faster", *best.Ratio-1
	}
	if best.Test != "" {
		id += "-test"
	}
	return v.text.T(id, text.Args{"A": v.name(best.A), "B": v.name(best.B), "Percent": percent(change), "Test": best.Test, "MySQL": v.mysql()})
}

// found is the finding in throughput, or what the figure shows.
func (v *view) found(titleID string, args ...text.Args) string {
	return cmp.Or(v.finding(), v.text.T(titleID, args...))
}

// tailFinding is the finding in the 99th percentile of latency, or what the figure shows.
func (v *view) tailFinding(titleID string) string {
	best, none := v.largest(stats.Tails(v.run, v.reference))
	switch {
	case none:
		return v.text.T("figure.title.tail-none", text.Args{"B": v.name(v.reference)})
	case best == nil:
		return v.text.T(titleID)
	}
	return v.text.T("figure.title.tail", text.Args{"A": v.name(best.A), "B": v.name(best.B), "Times": short(*best.Ratio)})
}

// largest is the comparison with the largest difference that has a verdict, of those that speak of
// what is shown; none says that there are some and no difference is detectable in any.
func (v *view) largest(comparisons []result.ComparisonRow) (best *result.ComparisonRow, none bool) {
	without := 0
	rows := v.shownComparisons(comparisons)
	for i, row := range rows {
		switch {
		case row.Verdict == result.NoDifference:
			without++
		case row.Verdict != result.Slower && row.Verdict != result.Faster, known(row.Ratio) == nil, *row.Ratio <= 0:
		case best == nil || math.Abs(math.Log(*row.Ratio)) > math.Abs(math.Log(*best.Ratio)):
			best = &rows[i]
		}
	}
	return best, best == nil && without > 0 && without == len(rows)
}

// shownComparisons are the comparisons that speak of exactly what is shown: the first
// family when all is shown, a single test's when that is all there is.
func (v *view) shownComparisons(comparisons []result.ComparisonRow) []result.ComparisonRow {
	all := len(v.options.Tests) == 0 && len(v.options.PayloadBytes) == 0
	one := len(v.tests) == 1 && len(v.settings) == 1
	var out []result.ComparisonRow
	for _, row := range comparisons {
		shown := slices.ContainsFunc(v.variants, func(w variant) bool { return w.label == row.A })
		switch {
		case !shown:
		case one && row.Test == v.tests[0] && settingOf(row.Cell) == v.settings[0],
			!one && all && row.Test == "":
			out = append(out, row)
		}
	}
	return out
}

// everyRound says that the variant of the finding was on the same side of the reference in
// each test of each round; "" where it was not.
func (v *view) everyRound() string {
	best, _ := v.largest(v.comparisons)
	if best == nil {
		return ""
	}
	type at struct {
		round int
		key   rowKey
	}
	levels := map[at]float64{}
	for i := range v.run.Samples {
		s := &v.run.Samples[i]
		if !slices.Contains(s.Flags, result.FlagCut) {
			levels[at{s.Round, rowKey{s.Variant, s.Workload.Test, settingOf(s.Workload.Cell())}}] = s.RPS()
		}
	}
	seen := 0
	for place, level := range levels {
		if place.key.variant != best.A {
			continue
		}
		place.key.variant = best.B
		other, there := levels[place]
		if !there {
			continue
		}
		if seen++; (level < other) != (best.Verdict == result.Slower) || level == other {
			return ""
		}
	}
	id := "figure.title.every-round-slower"
	if best.Verdict == result.Faster {
		id = "figure.title.every-round-faster"
	}
	if seen == 0 {
		return ""
	}
	return v.text.T(id, text.Args{"A": v.name(best.A), "B": v.name(best.B), "MySQL": v.mysql()})
}

// proxyFinding says what docker-proxy took at most, as a mean over what is shown of a variant, of a core.
func (v *view) proxyFinding() string {
	most, of := 0.0, ""
	for _, w := range v.variants {
		var m mean
		for _, row := range v.rows {
			if row.Variant != w.label {
				continue
			}
			for _, s := range v.samples(row) {
				m.add(known(s.ProxyCPU))
			}
		}
		if m.value() > most {
			most, of = m.value(), w.label
		}
	}
	if of == "" || most < 0.5 {
		return ""
	}
	return v.text.T("figure.title.proxy", text.Args{"Name": v.name(of), "Percent": percent(most / 100)})
}

// drifted says how far throughput moved over the run, or that it did not; "" where
// there are too few rounds to say.
func (v *view) drifted() string {
	if len(v.options.Tests)+len(v.options.PayloadBytes)+len(v.options.Variants) > 0 {
		return "" // it is of the whole run
	}
	warnings := stats.Warnings(v.run)
	if i := slices.IndexFunc(warnings, func(w stats.Warning) bool { return w.Kind == stats.WarnDrift }); i >= 0 {
		return v.text.T("figure.title.drift", warnings[i].Args)
	}
	if v.rounds() < stats.DriftRounds {
		return ""
	}
	return v.text.T("figure.title.no-drift")
}

// finding says what share of the reference's throughput the variant that differs most has at
// both ends of what is swept, over the tests that were measured at both; for rates, up to where
// each of the two keeps up. "" where no difference was found.
func (w sweep) finding(v *view) string {
	if w.name == sweepRate {
		return w.keepsUp(v)
	}
	best, _ := v.largest(v.comparisons)
	bases := w.bases(v)
	if best == nil || len(bases) != 1 {
		return ""
	}
	var values []int
	for _, s := range v.settings {
		values = append(values, w.get(s))
	}
	least, most := slices.Min(values), slices.Max(values)
	var first, last mean // of logarithms
	for _, test := range v.tests {
		var ends [2]*float64
		for _, row := range w.rows(v, variant{label: best.A}, test, bases[0]) {
			switch n := w.get(settingOf(row.Cell)); {
			case known(row.Ratio) == nil || *row.Ratio <= 0:
			case n == least:
				ends[0] = row.Ratio
			case n == most:
				ends[1] = row.Ratio
			}
		}
		if ends[0] != nil && ends[1] != nil {
			first.sum, first.count = first.sum+math.Log(*ends[0]), first.count+1
			last.sum, last.count = last.sum+math.Log(*ends[1]), last.count+1
		}
	}
	if first.count == 0 {
		return ""
	}
	return v.text.T("figure.title.sweep", text.Args{"A": v.name(best.A), "B": v.name(best.B), "MySQL": v.mysql(),
		"First": percent(math.Exp(first.value())), "From": grouped(float64(least), 0),
		"Last": percent(math.Exp(last.value())), "To": grouped(float64(most), 0), "What": w.name})
}

// keptUp is the share of a rate that was asked for from which on a server keeps up with it:
// the last requests of a sample are under way when it ends.
const keptUp = 0.98

// keepsUp says up to which of the rates the reference, and of the others the one that
// gives up first, reach what was asked for in every test.
func (w sweep) keepsUp(v *view) string {
	reached := func(label string) int {
		highest := 0
		for _, s := range v.settings {
			rate := w.get(s)
			kept := rate > highest
			for _, test := range v.tests {
				row, ok := v.row(variant{label: label}, test, s)
				kept = kept && ok && known(row.RPS) != nil && *row.RPS >= keptUp*float64(rate)
			}
			if kept {
				highest = rate
			}
		}
		return highest
	}
	reference := reached(v.reference)
	worst, label := reference, ""
	for _, other := range v.variants {
		if r := reached(other.label); r < worst {
			worst, label = r, other.label
		}
	}
	switch {
	case reference == 0:
		return ""
	case label == "":
		return v.text.T("figure.title.keeps-up-all", text.Args{"Rate": grouped(float64(reference), 0)})
	case worst == 0:
		return v.text.T("figure.title.keeps-up-none", text.Args{"A": v.name(label), "B": v.name(v.reference), "Rate": grouped(float64(reference), 0)})
	}
	return v.text.T("figure.title.keeps-up", text.Args{"A": v.name(label), "RateA": grouped(float64(worst), 0), "B": v.name(v.reference), "RateB": grouped(float64(reference), 0)})
}
