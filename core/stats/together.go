package stats

import (
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/result"
)

// Together is one run with the variants of several, the servers and samples of each, and the
// names that users gave them, each variant labelled as RunLabel does: what a chart of several
// runs is of. Its rounds are not common to them, so that nothing may be paired in it. Of the
// load it has what all have in common.
func Together(runs []*result.Run) *result.Run {
	all := &result.Run{Edits: map[string]string{}}
	var ids []string
	for i, r := range runs {
		ids = append(ids, r.ID)
		if i == 0 {
			all.Berth, all.Plan = r.Berth, r.Plan.Clone()
			all.Plan.Variants, all.Plan.Title = nil, ""
		}
		for i := range all.Plan.Loads {
			common := &all.Plan.Loads[i]
			if l := r.Plan.Load(common.Name); l.Seconds != common.Seconds || l.Requests != common.Requests {
				common.Seconds, common.Requests = 0, 0
			}
		}
		for _, v := range r.Plan.Variants {
			v.Label = RunLabel(r, v.Label)
			all.Plan.Variants = append(all.Plan.Variants, v)
		}
		for _, s := range r.Servers {
			s.Variant = RunLabel(r, s.Variant)
			all.Servers = append(all.Servers, s)
		}
		for _, s := range r.Samples {
			s.Variant = RunLabel(r, s.Variant)
			all.Samples = append(all.Samples, s)
		}
		for key, name := range r.Edits {
			if label, ok := strings.CutPrefix(key, result.EditNameOf("")); ok && name != "" {
				all.Edits[result.EditNameOf(RunLabel(r, label))] = RunLabel(r, name)
			}
		}
	}
	// Variants of one label stand together.
	var labels []string
	for _, r := range runs {
		for _, v := range r.Plan.Variants {
			labels = append(labels, v.Label)
		}
	}
	bare := func(v plan.Variant) int {
		for i, label := range labels {
			for _, r := range runs {
				if v.Label == RunLabel(r, label) {
					return i
				}
			}
		}
		return len(labels)
	}
	slices.SortStableFunc(all.Plan.Variants, func(a, b plan.Variant) int { return bare(a) - bare(b) })
	all.ID = strings.Join(ids, ", ")
	return all
}

// SummarizeRuns has the summary of each run that is compared with others: a row for each
// workload of each variant that CompareRuns compares, labelled as RunLabel does. Rows of the first
// run are the reference of those under the same label; ratios are CompareRuns'. Variants of one
// label follow each other, as in Together.
func SummarizeRuns(runs []*result.Run) []result.SummaryRow {
	type place struct {
		variant string
		plan.Cell
	}
	compared := map[place]result.ComparisonRow{}
	met := map[string]bool{}
	for _, c := range CompareRuns(runs) {
		compared[place{c.A, c.Cell}] = c
		met[c.A], met[c.B] = true, true
	}
	var rows []result.SummaryRow
	for _, r := range runs {
		for _, row := range Summarize(r, "") {
			row.Variant, row.Reference = RunLabel(r, row.Variant), ""
			row.Ratio, row.RatioLow, row.RatioHigh, row.PValue, row.Verdict = nil, nil, nil, nil, ""
			if !met[row.Variant] {
				continue
			}
			if c, ok := compared[place{row.Variant, row.Cell}]; ok {
				row.Reference = c.B
				row.Ratio, row.RatioLow, row.RatioHigh, row.PValue, row.Verdict = c.Ratio, c.RatioLow, c.RatioHigh, c.PValue, c.Verdict
				row.Flags = union(slices.Concat(row.Flags, c.Flags))
			} else if r == runs[0] {
				row.Verdict = result.Reference
			}
			rows = append(rows, row)
		}
	}
	order := result.Order(Together(runs))
	slices.SortStableFunc(rows, func(a, b result.SummaryRow) int {
		return slices.Index(order, a.Variant) - slices.Index(order, b.Variant)
	})
	return rows
}
