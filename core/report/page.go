package report

import (
	"cmp"
	"fmt"
	"maps"
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

// A page is the report's content in one language, before it is HTML or Markdown.
// Nothing in it is escaped.
type page struct {
	Lang, Title, Caption, Note, Made string
	Findings, Warnings, Failures     []string
	Figures                          []drawing
	Summary, Comparisons             table
	Machine                          []pair // facts
	Differing                        table  // facts that are not the same for every variant
	Servers                          []pair // facts that are
	Durability                       []string
	Commands                         []commands
	Method                           []string
	Flags                            []pair // each flag that occurs, explained
	c                                *text.Catalogue
}

// T is a heading or a label of the report, for the template.
func (p *page) T(id string) string { return p.c.T("report." + id) }

type pair struct{ Key, Value string }

// A table's cells are text; Numbers says which columns hold figures.
type table struct {
	Head    []string
	Numbers []bool
	Rows    [][]string
}

// commands that would start a variant's server by hand.
type commands struct {
	Variant string
	Lines   []string
}

func newPage(r *result.Run, c *text.Catalogue) *page {
	summary, comparisons := stats.Summarize(r, ""), stats.Comparisons(r, "")
	rows := make([]result.ComparisonRow, len(comparisons))
	for i, x := range comparisons {
		rows[i] = x.ComparisonRow
	}
	f := finderOf(r, "", summary, rows)
	p := &page{Lang: c.Lang(), c: c, Title: title(r, c), Caption: r.Edits["caption"], Note: r.Edits["note"]}
	if r.ID != "" {
		p.Made = c.T("report.made", text.Args{"Run": r.ID, "Date": began(r), "Version": r.Berth})
	}
	for _, x := range f.all() {
		p.Findings = append(p.Findings, x.Text(c))
	}
	name := func(label string) string { return result.Name(r, label, c) }
	for _, w := range f.warnings {
		p.Warnings = append(p.Warnings, w.Text(c, name))
	}
	for _, x := range r.Failures {
		p.Failures = append(p.Failures, failure(x, c, name))
	}
	p.Summary = summaryTable(summary, c, name)
	p.Comparisons = comparisonTable(comparisons, f.names, c, name)
	p.environment(r, name)
	p.Durability = durability(r, c, name)
	p.Method = method(r, c)
	p.Flags = flags(summary, comparisons, c)
	return p
}

func title(r *result.Run, c *text.Catalogue) string {
	for _, s := range []string{r.Edits["title"], r.Plan.Title} {
		if s != "" {
			return s
		}
	}
	return c.T("report.title", text.Args{"Plan": cmp.Or(r.Plan.Name, r.ID)})
}

// began is when the run's first event was emitted; "" if nothing says it.
func began(r *result.Run) string {
	if len(r.Events) == 0 {
		return ""
	}
	return r.Events[0].At.UTC().Format(time.RFC3339)
}

func failure(f result.FailureEvent, c *text.Catalogue, name func(string) string) string {
	args := text.Args{"Round": f.Round, "Variant": "", "Test": "", "Text": f.Text}
	if f.Variant != "" {
		args["Variant"] = name(f.Variant)
	}
	if f.Workload != nil {
		args["Test"] = f.Workload.Test
	}
	return c.T("report.failure", args)
}

// environment fills in facts and commands. Each variant is described by its last server.
func (p *page) environment(r *result.Run, name func(string) string) {
	p.Machine = pairs(r.Facts())
	servers := map[string]result.ServerEvent{}
	labels := result.Order(r)
	for _, s := range r.Servers {
		if !slices.Contains(labels, s.Variant) {
			labels = append(labels, s.Variant)
		}
		servers[s.Variant] = s
	}
	labels = slices.DeleteFunc(labels, func(l string) bool { _, ok := servers[l]; return !ok })
	p.Differing.Head = []string{p.T("fact")}
	values := map[string]map[string]bool{}
	for _, l := range labels {
		p.Differing.Head = append(p.Differing.Head, name(l))
		p.Commands = append(p.Commands, commands{name(l), servers[l].Commands})
		for k, v := range servers[l].Facts {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	p.Differing.Numbers = make([]bool, len(p.Differing.Head))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if len(values[key]) == 1 {
			for v := range values[key] {
				p.Servers = append(p.Servers, pair{key, v})
			}
			continue
		}
		row := []string{key}
		for _, l := range labels {
			row = append(row, servers[l].Facts[key])
		}
		p.Differing.Rows = append(p.Differing.Rows, row)
	}
}

func pairs(facts map[string]string) []pair {
	var out []pair
	for _, k := range slices.Sorted(maps.Keys(facts)) {
		out = append(out, pair{k, facts[k]})
	}
	return out
}

// durability says for each persistence setting what a crash would lose; what a
// server told of itself goes before what the plan asked for.
func durability(r *result.Run, c *text.Catalogue, name func(string) string) []string {
	var order []string
	by := map[string][]string{}
	for _, v := range r.Plan.Variants {
		setting := cmp.Or(v.Persistence, plan.PersistenceNone)
		if v.Placement == plan.Existing {
			setting = "unknown"
		}
		for _, s := range r.Servers {
			if s.Variant == v.Label && s.Facts["redis.persistence"] != "" {
				setting = s.Facts["redis.persistence"]
			}
		}
		if by[setting] == nil {
			order = append(order, setting)
		}
		by[setting] = append(by[setting], name(v.Label))
	}
	var out []string
	for _, setting := range order {
		args := text.Args{"Variants": strings.Join(by[setting], c.T("stats.and")), "Setting": setting}
		id := "report.durability-" + setting
		if c.T(id, args) == id { // a setting in the server's own words
			id = "report.durability-other"
		}
		out = append(out, c.T(id, args))
	}
	return out
}

// method tells how the run was measured and what its figures mean.
func method(r *result.Run, c *text.Catalogue) []string {
	var out []string
	if l := r.Plan.Load; len(l.Tests) > 0 { // an imported run has no load of Berth's
		out = append(out, c.T("report.method-rounds", text.Args{"Rounds": len(r.Rounds), "Seed": r.Plan.Seed}),
			c.T("report.method-load", text.Args{"Suite": l.Suite, "Clients": join(l.Clients), "Payloads": join(l.PayloadBytes), "Pipelines": join(l.Pipelines),
				"Seconds": l.Seconds, "Requests": l.Requests, "WarmUp": l.WarmUpSeconds, "Keyspace": l.Keyspace}))
	}
	if n := len(r.Sessions); n > 0 {
		a := r.Sessions[n-1].Agent
		out = append(out, c.T("report.method-agent", text.Args{"Threads": a.Threads, "CPUs": join(a.CPUs)}))
	}
	for _, id := range []string{"ratio", "family", "smallest", "median", "errors"} {
		out = append(out, c.T("report.method-"+id))
	}
	return out
}

func join(xs []int) string {
	s := make([]string, len(xs))
	for i, x := range xs {
		s[i] = strconv.Itoa(x)
	}
	return strings.Join(s, ", ")
}

// flags explains every flag that a row has.
func flags(summary []result.SummaryRow, comparisons []stats.Comparison, c *text.Catalogue) []pair {
	seen := map[string]bool{}
	for _, s := range summary {
		for _, f := range s.Flags {
			seen[f] = true
		}
	}
	for _, x := range comparisons {
		for _, f := range x.Flags {
			seen[f] = true
		}
	}
	var out []pair
	for _, f := range slices.Sorted(maps.Keys(seen)) {
		id := "report.flag-" + f
		explained := c.T(id)
		if explained == id { // of a newer Berth's run
			explained = ""
		}
		out = append(out, pair{f, explained})
	}
	return out
}

// A column of a table, left out where show is false.
type column[T any] struct {
	head   string
	number bool
	show   bool
	cell   func(T) string
}

func tableOf[T any](rows []T, c *text.Catalogue, columns []column[T]) table {
	var t table
	for _, col := range columns {
		if col.show {
			t.Head, t.Numbers = append(t.Head, c.T("report.col-"+col.head)), append(t.Numbers, col.number)
		}
	}
	for _, row := range rows {
		var cells []string
		for _, col := range columns {
			if col.show {
				cells = append(cells, col.cell(row))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func summaryTable(rows []result.SummaryRow, c *text.Catalogue, name func(string) string) table {
	n := namesOf(rows)
	return tableOf(rows, c, []column[result.SummaryRow]{
		{"variant", false, true, func(s result.SummaryRow) string { return name(s.Variant) }},
		{"test", false, true, func(s result.SummaryRow) string { return s.Test }},
		{"payload", true, n.payload, func(s result.SummaryRow) string { return strconv.Itoa(s.PayloadBytes) }},
		{"pipeline", true, n.pipeline, func(s result.SummaryRow) string { return strconv.Itoa(s.Pipeline) }},
		{"clients", true, n.clients, func(s result.SummaryRow) string { return strconv.Itoa(s.Clients) }},
		{"rounds", true, true, func(s result.SummaryRow) string { return strconv.Itoa(s.Samples) }},
		{"rps", true, true, func(s result.SummaryRow) string { return withInterval(s.RPS, s.RPSLow, s.RPSHigh, grouped) }},
		{"ratio", true, true, func(s result.SummaryRow) string { return withInterval(s.Ratio, s.RatioLow, s.RatioHigh, ratioText) }},
		{"verdict", false, true, func(s result.SummaryRow) string { return verdict(s.Verdict, c) }},
		{"p50", true, true, func(s result.SummaryRow) string { return milliseconds(s.P50) }},
		{"p95", true, true, func(s result.SummaryRow) string { return milliseconds(s.P95) }},
		{"p99", true, true, func(s result.SummaryRow) string { return milliseconds(s.P99) }},
		{"flags", false, true, func(s result.SummaryRow) string { return strings.Join(s.Flags, ", ") }},
	})
}

func comparisonTable(rows []stats.Comparison, n workloadNames, c *text.Catalogue, name func(string) string) table {
	return tableOf(rows, c, []column[stats.Comparison]{
		{"a", false, true, func(x stats.Comparison) string { return name(x.A) }},
		{"b", false, true, func(x stats.Comparison) string { return name(x.B) }},
		{"test", false, true, func(x stats.Comparison) string {
			if x.Test == "" {
				return c.T("report.all-tests")
			}
			return n.of(x.ComparisonRow)
		}},
		{"rounds", true, true, func(x stats.Comparison) string { return strconv.Itoa(x.Rounds) }},
		{"ratio", true, true, func(x stats.Comparison) string { return withInterval(x.Ratio, x.RatioLow, x.RatioHigh, ratioText) }},
		{"p", true, true, func(x stats.Comparison) string { return probability(x.PValue) }},
		{"permutation", true, true, func(x stats.Comparison) string {
			if p, ok := x.Permutation(); ok {
				return probability(&p)
			}
			return ""
		}},
		{"smallest", true, true, func(x stats.Comparison) string {
			if x.SmallestDetectable == nil {
				return ""
			}
			return percentText(100**x.SmallestDetectable) + "%"
		}},
		{"verdict", false, true, func(x stats.Comparison) string { return verdict(x.Verdict, c) }},
		{"flags", false, true, func(x stats.Comparison) string { return strings.Join(x.Flags, ", ") }},
	})
}

func verdict(v string, c *text.Catalogue) string {
	if v == "" {
		return ""
	}
	return c.T("report.verdict-" + v)
}

// withInterval is "0.46 (0.43–0.48)", without the interval where it is not known.
func withInterval(x, low, high *float64, format func(float64) string) string {
	switch {
	case x == nil:
		return ""
	case low == nil || high == nil:
		return format(*x)
	}
	return fmt.Sprintf("%s (%s–%s)", format(*x), format(*low), format(*high))
}

func ratioText(x float64) string {
	if x < 0.0995 {
		return digits(x, 3)
	}
	return digits(x, 2)
}

func milliseconds(x *float64) string {
	if x == nil {
		return ""
	}
	return digits(*x, 3)
}

// probability is a p value to three decimals; one that they cannot show is "<0.001".
func probability(p *float64) string {
	switch {
	case p == nil || math.IsNaN(*p):
		return ""
	case *p < 0.001:
		return "<0.001"
	}
	return digits(*p, 3)
}
