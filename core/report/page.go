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
	Summary, Comparisons, Baseline   table
	Machine                          []pair // facts
	Differing                        table  // facts that are not the same for every variant
	Servers                          []pair // facts that are
	Durability                       []string
	Commands                         []commands
	Anywhere                         []string // commands for another machine: the same program, not the same placement
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

func newPage(r *result.Run, c *text.Catalogue) *page { return View{}.page(r, c) }

// page is what v shows of r.
func (v View) page(r *result.Run, c *text.Catalogue) *page {
	r = v.of(r)
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
	for _, x := range v.only(f.all()) {
		p.Findings = append(p.Findings, x.Text(c))
	}
	name := func(label string) string { return result.Name(r, label, c) }
	for _, w := range f.warnings {
		p.Warnings = append(p.Warnings, w.Text(c, name))
	}
	for _, x := range r.Failures {
		p.Failures = append(p.Failures, failure(x, c, name))
	}
	summary = byWorkload(v.summary(summary))
	comparisons = slices.DeleteFunc(comparisons, func(x stats.Comparison) bool { return !v.comparison(x.ComparisonRow) })
	p.Summary = summaryTable(summary, c, name)
	p.Comparisons = comparisonTable(comparisons, f.names, c, name)
	permutations := slices.ContainsFunc(comparisons, func(x stats.Comparison) bool { _, ok := x.Permutation(); return ok })
	p.Baseline = baselineTable(f.baselines, f.names, c, name)
	p.environment(v.variants(r), name)
	p.Durability = durability(v.variants(r), c, name)
	p.Method = method(r, permutations, c)
	p.Flags = flags(summary, comparisons, c)
	return p
}

func title(r *result.Run, c *text.Catalogue) string {
	for _, s := range []string{r.Edits["title"], r.Plan.Title} {
		if s != "" {
			return s
		}
	}
	return c.T("report.title", text.Args{"Plan": cmp.Or(r.Plan.Name, r.ID), "Services": services(r)})
}

// The services that a run is of.
const (
	redisOnly = "redis"
	mysqlOnly = "mysql"
	both      = "both"
)

func services(r *result.Run) string {
	mysql := func(v plan.Variant) bool { return v.Service == plan.MySQL }
	switch vs := r.Plan.Variants; {
	case !slices.ContainsFunc(vs, mysql):
		return redisOnly
	case slices.ContainsFunc(vs, func(v plan.Variant) bool { return !mysql(v) }):
		return both
	}
	return mysqlOnly
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
	keys := map[string]bool{}
	for _, l := range labels {
		p.Differing.Head = append(p.Differing.Head, name(l))
		lines, elsewhere := splitCommands(servers[l].Commands)
		p.Commands = append(p.Commands, commands{name(l), lines})
		if elsewhere != "" && !slices.Contains(p.Anywhere, elsewhere) {
			p.Anywhere = append(p.Anywhere, elsewhere)
		}
		for k := range servers[l].Facts {
			keys[k] = true
		}
	}
	p.Differing.Numbers = make([]bool, len(p.Differing.Head))
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		row := []string{key}
		for _, l := range labels {
			row = append(row, servers[l].Facts[key])
		}
		// Facts of one service are the same where all servers of that service say so.
		of := map[string]bool{}
		for _, l := range labels {
			if servers[l].Facts[key] != "" {
				of[serviceOf(r, l)] = true
			}
		}
		values := map[string]bool{}
		for _, l := range labels {
			if of[serviceOf(r, l)] {
				values[servers[l].Facts[key]] = true
			}
		}
		if len(values) == 1 {
			p.Servers = append(p.Servers, pair{key, slices.Collect(maps.Keys(values))[0]})
		} else {
			p.Differing.Rows = append(p.Differing.Rows, row)
		}
	}
}

// byWorkload puts the modes of one workload together, as charts do, in the order in which
// workloads come.
func byWorkload(rows []result.SummaryRow) []result.SummaryRow {
	place := map[plan.Cell]int{}
	of := func(s result.SummaryRow) int {
		if _, ok := place[s.Cell]; !ok {
			place[s.Cell] = len(place)
		}
		return place[s.Cell]
	}
	for _, s := range rows {
		of(s)
	}
	slices.SortStableFunc(rows, func(a, b result.SummaryRow) int { return of(a) - of(b) })
	return rows
}

func serviceOf(r *result.Run, label string) string {
	v, _ := r.Plan.Variant(label)
	return v.Service
}

// anywhere is how a server's last command begins, which starts the same version on
// a machine that has nothing but Docker. The commands of Docker placements begin otherwise.
const anywhere = "docker run --rm -p "

// splitCommands takes that last command from those that start the server as it was placed.
func splitCommands(lines []string) (placed []string, elsewhere string) {
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], anywhere) {
		return lines[:n-1], lines[n-1]
	}
	return lines, ""
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
	if len(r.Imported) > 0 {
		return nil // no benchmark prints it
	}
	var order []string
	by := map[string][]string{}
	for _, v := range r.Plan.Variants {
		sentence := keeps(r, v)
		key := c.T(sentence.id, sentence.args)
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], name(v.Label))
	}
	var out []string
	for _, said := range order {
		out = append(out, c.T("report.durability", text.Args{"Variants": strings.Join(by[said], c.T("stats.and")), "What": said}))
	}
	return out
}

// keeps is what v's server keeps of what is written, as its last server told it.
func keeps(r *result.Run, v plan.Variant) phrase {
	facts := map[string]string{}
	for _, s := range r.Servers {
		if s.Variant == v.Label {
			facts = s.Facts
		}
	}
	if v.Service == plan.MySQL {
		return mysqlKeeps(facts)
	}
	setting := cmp.Or(v.Persistence, plan.PersistenceNone)
	if v.Placement == plan.Existing {
		setting = "unknown"
	}
	setting = cmp.Or(facts["redis.persistence"], setting)
	switch setting {
	case plan.PersistenceNone, plan.PersistenceDefault, plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo, "snapshots", "unknown":
		return phrase{"report.durability-" + setting, nil}
	}
	return phrase{"report.durability-other", text.Args{"Setting": setting}} // in the server's own words
}

// mysqlKeeps reads InnoDB's own settings.
// https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html#sysvar_innodb_flush_log_at_trx_commit
func mysqlKeeps(facts map[string]string) phrase {
	flush := facts["mysql.innodb_flush_log_at_trx_commit"]
	if !slices.Contains([]string{"0", "1", "2"}, flush) {
		return phrase{"report.durability-unknown", nil}
	}
	args := text.Args{"Flush": flush, "Binlog": strings.EqualFold(facts["mysql.log_bin"], "ON"), "Sync": facts["mysql.sync_binlog"]}
	return phrase{"report.durability-mysql-" + flush, args}
}

// method tells how the run was measured and what its figures mean.
func method(r *result.Run, permutations bool, c *text.Catalogue) []string {
	var out []string
	say := func(id string, args text.Args) { out = append(out, c.T("report.method-"+id, args)) }
	of := services(r)
	if len(r.Imported) > 0 {
		say("imported", text.Args{"Files": strings.Join(r.Imported, ", ")})
	}
	loads := slices.DeleteFunc(slices.Clone(r.Plan.Loads), func(l plan.Load) bool { return len(l.Tests) == 0 || of == mysqlOnly })
	oltps := slices.DeleteFunc(slices.Clone(r.Plan.OLTPs), func(o plan.OLTP) bool { return len(o.Scripts) == 0 || of == redisOnly })
	if len(r.Plan.Variants) > 0 && len(loads)+len(oltps) > 0 { // an imported run has no load of Berth's
		how := stats.ProgressOf(r)
		say("rounds", text.Args{"Rounds": how.Begun, "Seed": r.Plan.Seed, "Whole": how.Done, "Stopped": how.Stopped, "Planned": how.Planned})
		for _, l := range loads {
			say("load", text.Args{"Name": named(l.Name, len(loads), c), "Tests": strings.Join(l.Tests, ", "), "Rates": join(l.Rates), "Suite": l.Suite, "Clients": join(l.Clients), "Payloads": join(l.PayloadBytes), "Pipelines": join(l.Pipelines),
				"Seconds": l.Seconds, "Requests": l.Requests, "WarmUp": l.WarmUpSeconds, "Keyspace": l.Keyspace, "Both": of == both})
		}
		for _, o := range oltps {
			say("oltp", text.Args{"Name": named(o.Name, len(oltps), c), "Scripts": strings.Join(o.Scripts, ", "), "Threads": join(o.Threads), "Tables": o.Tables, "Rows": o.TableSize,
				"Draw": o.Draw, "Seconds": o.Seconds, "WarmUp": o.WarmUpSeconds})
		}
	}
	if n := len(r.Sessions); n > 0 {
		a := r.Sessions[n-1].Agent
		say("agent", text.Args{"Threads": a.Threads, "CPUs": join(a.CPUs), "Services": of})
	}
	say("ratio", nil)
	say("family", nil)
	if permutations {
		say("permutation", nil)
	}
	for _, id := range []string{"smallest", "median", "errors"} {
		say(id, text.Args{"Services": of})
	}
	if of != redisOnly {
		say("mysql", nil)
	}
	return out
}

// named is what the load called name is called where there are n; "" of the only one.
func named(name string, n int, c *text.Catalogue) string {
	if n < 2 {
		return ""
	}
	return result.LoadName(name, c)
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
		if f == result.FlagErrors && !slices.ContainsFunc(summary, func(s result.SummaryRow) bool { return s.Service != plan.MySQL && slices.Contains(s.Flags, f) }) {
			id += "-mysql"
		}
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
	mysql := func(s result.SummaryRow) bool { return s.Service == plan.MySQL }
	of := "" // which service's words the headings use
	if slices.ContainsFunc(rows, mysql) {
		of = "-mysql"
		if slices.ContainsFunc(rows, func(s result.SummaryRow) bool { return !mysql(s) }) {
			of = "-both"
		}
	}
	known := func(x int) string {
		if x == 0 { // as other tools' output may leave it
			return ""
		}
		return strconv.Itoa(x)
	}
	redis := func(s result.SummaryRow, x int) string {
		if mysql(s) {
			return ""
		}
		return known(x)
	}
	return tableOf(rows, c, []column[result.SummaryRow]{
		{"variant", false, true, func(s result.SummaryRow) string { return name(s.Variant) }},
		{"load", false, n.load, func(s result.SummaryRow) string { return result.LoadName(s.Load, c) }},
		{"test", false, true, func(s result.SummaryRow) string { return s.Test }},
		{"payload", true, n.payload, func(s result.SummaryRow) string { return redis(s, s.PayloadBytes) }},
		{"pipeline", true, n.pipeline, func(s result.SummaryRow) string { return redis(s, s.Pipeline) }},
		{"clients" + of, true, n.clients || n.threads || of == "-both", func(s result.SummaryRow) string { return known(s.Clients) }},
		{"rate", true, n.rate, func(s result.SummaryRow) string {
			if s.Rate == 0 {
				return ""
			}
			return grouped(float64(s.Rate))
		}},
		{"rounds", true, true, func(s result.SummaryRow) string { return strconv.Itoa(s.Samples) }},
		{"rps" + of, true, true, func(s result.SummaryRow) string { return withInterval(s.RPS, s.RPSLow, s.RPSHigh, grouped) }},
		{"tps", true, of != "", func(s result.SummaryRow) string { return withInterval(s.TPS, nil, nil, grouped) }},
		{"ratio", true, true, func(s result.SummaryRow) string { return withInterval(s.Ratio, s.RatioLow, s.RatioHigh, ratioText) }},
		{"verdict", false, true, func(s result.SummaryRow) string { return verdict(s.Verdict, c) }},
		{"p50" + of, true, true, func(s result.SummaryRow) string { return milliseconds(s.P50) }},
		{"p95" + of, true, true, func(s result.SummaryRow) string { return milliseconds(s.P95) }},
		{"p99" + of, true, true, func(s result.SummaryRow) string { return milliseconds(s.P99) }},
		{"flags", false, true, func(s result.SummaryRow) string { return strings.Join(s.Flags, ", ") }},
	})
}

func comparisonTable(rows []stats.Comparison, n workloadNames, c *text.Catalogue, name func(string) string) table {
	permutations := slices.ContainsFunc(rows, func(x stats.Comparison) bool { _, ok := x.Permutation(); return ok })
	return tableOf(rows, c, []column[stats.Comparison]{
		{"a", false, true, func(x stats.Comparison) string { return name(x.A) }},
		{"b", false, true, func(x stats.Comparison) string { return name(x.B) }},
		{"load", false, n.load, func(x stats.Comparison) string { return result.LoadName(x.Load, c) }},
		{"test", false, true, func(x stats.Comparison) string {
			if x.Test == "" {
				return c.T("report.all-tests")
			}
			return n.of(x.ComparisonRow)
		}},
		{"rounds", true, true, func(x stats.Comparison) string { return strconv.Itoa(x.Rounds) }},
		{"ratio", true, true, func(x stats.Comparison) string { return withInterval(x.Ratio, x.RatioLow, x.RatioHigh, ratioText) }},
		{"p", true, true, func(x stats.Comparison) string { return probability(x.PValue) }},
		{"permutation", true, permutations, func(x stats.Comparison) string {
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

// baselineTable has Redis beside MySQL, in each of its tests.
func baselineTable(rows []stats.BaselineRatio, n workloadNames, c *text.Catalogue, name func(string) string) table {
	return tableOf(rows, c, []column[stats.BaselineRatio]{
		{"load", false, n.load, func(x stats.BaselineRatio) string {
			if x.Best {
				return c.T("report.best-of-each", text.Args{"Load": result.LoadName(x.Pair, c)})
			}
			return result.LoadName(x.Pair, c)
		}},
		{"a", false, true, func(x stats.BaselineRatio) string { return name(x.Redis) }},
		{"test", false, true, func(x stats.BaselineRatio) string { return n.name(x.Cell) }},
		{"b", false, true, func(x stats.BaselineRatio) string { return name(x.MySQL) }},
		{"script", false, true, func(x stats.BaselineRatio) string { return n.name(plan.Cell{Test: x.Script, Clients: x.Threads}) }},
		{"rounds", true, true, func(x stats.BaselineRatio) string { return strconv.Itoa(x.Rounds) }},
		{"times", true, true, func(x stats.BaselineRatio) string { return withInterval(x.Ratio, x.Low, x.High, timesText) }},
		{"times-without", true, n.load, func(x stats.BaselineRatio) string {
			return withInterval(x.Without, x.WithoutLow, x.WithoutHigh, timesText)
		}},
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
