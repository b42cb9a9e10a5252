package report

import (
	"io"
	"slices"

	"berth/core/figure"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// A View is the part of a run that is looked at, and so exported. It chooses what is
// shown and leaves the statistics those of the whole run: no verdict changes with what is
// looked at, and no correction for many comparisons is got around by looking at few.
type View struct {
	Reference    string   // label of the variant that others are compared with; "" is the plan's
	Variants     []string // labels; empty: all
	Tests        []string // empty: all
	PayloadBytes []int    // empty: all
}

// Formats that a run is exported as, but for figures.
const (
	FormatSamples     = "csv"
	FormatSummary     = "summary-csv"
	FormatComparisons = "comparisons-csv"
	FormatJSON        = "json"
	FormatHTML        = "html"
	FormatMarkdown    = "md"
)

// Document writes what v shows of r in one of the formats.
func (v View) Document(w io.Writer, format string, r *result.Run, c *text.Catalogue) error {
	switch format {
	case FormatSamples:
		return result.WriteSamples(w, Named(v.samples(r)))
	case FormatSummary:
		return v.named(r).writeSummary(w)
	case FormatComparisons:
		return v.named(r).writeComparisons(w)
	case FormatJSON:
		return v.named(r).writeJSON(w)
	case FormatHTML:
		p := v.page(r, c)
		p.Figures = drawings(v.of(r), c, v.Options())
		return writeHTML(w, p)
	}
	p := v.page(r, c)
	p.Figures = drawings(v.of(r), c, v.Options())
	return writeMarkdown(w, p)
}

// Options draw what v shows.
func (v View) Options() figure.Options {
	return figure.Options{Reference: v.Reference, Variants: v.Variants, Tests: v.Tests, PayloadBytes: v.PayloadBytes}
}

// Findings of r that speak of what v shows.
func (v View) Findings(r *result.Run) []Finding { return v.only(Findings(r, v.Reference)) }

// Summary has the rows that v shows.
func (v View) Summary(r *result.Run) []result.SummaryRow {
	return v.summary(stats.Summarize(r, v.Reference))
}

// of is r compared with v's reference.
func (v View) of(r *result.Run) *result.Run {
	if v.Reference == "" {
		return r
	}
	out := *r
	out.Plan.Reference = v.Reference
	return &out
}

// samples is r with no other samples than v shows.
func (v View) samples(r *result.Run) *result.Run {
	out := *r
	out.Samples = slices.DeleteFunc(slices.Clone(r.Samples), func(s result.Sample) bool {
		return !v.variant(s.Variant) || !v.workload(s.Workload.Test, s.Workload.PayloadBytes)
	})
	return &out
}

// variants is r with no other variants than v shows: their servers too.
func (v View) variants(r *result.Run) *result.Run {
	out := *r
	out.Plan.Variants = nil
	for _, variant := range r.Plan.Variants {
		if v.variant(variant.Label) {
			out.Plan.Variants = append(out.Plan.Variants, variant)
		}
	}
	out.Servers = slices.DeleteFunc(slices.Clone(r.Servers), func(s result.ServerEvent) bool { return !v.variant(s.Variant) })
	return &out
}

func (v View) variant(label string) bool {
	return len(v.Variants) == 0 || slices.Contains(v.Variants, label)
}

func (v View) workload(test string, payloadBytes int) bool {
	return (len(v.Tests) == 0 || slices.Contains(v.Tests, test)) &&
		(len(v.PayloadBytes) == 0 || payloadBytes == 0 || slices.Contains(v.PayloadBytes, payloadBytes))
}

func (v View) summary(rows []result.SummaryRow) []result.SummaryRow {
	return slices.DeleteFunc(rows, func(s result.SummaryRow) bool { return !v.variant(s.Variant) || !v.workload(s.Test, s.PayloadBytes) })
}

// comparison says whether v shows c: the geometric mean over all tests is shown whatever
// tests are chosen.
func (v View) comparison(c result.ComparisonRow) bool {
	return v.variant(c.A) && (c.Test == "" || v.workload(c.Test, c.PayloadBytes))
}

func (v View) only(all []Finding) []Finding {
	return slices.DeleteFunc(all, func(f Finding) bool {
		if f.warning != nil {
			return len(f.warning.Variants) > 0 && !slices.ContainsFunc(f.warning.Variants, v.variant)
		}
		if label, ok := f.Args["Variant"].(string); ok && !v.variant(label) {
			return true
		}
		of := f.Rows // a comparison, then what it was set against; of a disagreement both count
		if f.Kind != KindDisagree {
			of = of[:min(1, len(of))]
		}
		return slices.ContainsFunc(of, func(c result.ComparisonRow) bool { return !v.comparison(c) })
	})
}

// A namedView is a view of a run whose variants have the user's names for labels.
type namedView struct {
	View
	run *result.Run // compared with the view's reference
}

func (v View) named(r *result.Run) namedView {
	r = v.of(r)
	names := namesFor(r)
	name := func(label string) string {
		if n, ok := names[label]; ok {
			return n
		}
		return label
	}
	v.Reference = ""
	shown := make([]string, len(v.Variants))
	for i, label := range v.Variants {
		shown[i] = name(label)
	}
	v.Variants = shown
	return namedView{v, Named(r)}
}

func (n namedView) writeSummary(w io.Writer) error {
	return result.WriteSummary(w, n.Summary(n.run))
}

func (n namedView) writeComparisons(w io.Writer) error {
	return result.WriteComparisons(w, slices.DeleteFunc(stats.Compare(n.run, ""), func(c result.ComparisonRow) bool { return !n.comparison(c) }))
}

func (n namedView) writeJSON(w io.Writer) error {
	return writeJSON(w, n.run, []func(io.Writer) error{
		func(w io.Writer) error { return result.WriteSamples(w, n.samples(n.run)) },
		n.writeSummary,
		n.writeComparisons,
	})
}
