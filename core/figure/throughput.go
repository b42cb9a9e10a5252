package figure

import (
	"math"
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// content is what a figure says: its texts, what its colours mean, its body.
type content struct {
	title    string
	subtitle string // how it was measured, and what is drawn
	origin   string // Berth's version, the run, its date
	notes    []string
	legend   []series
	body     body
	lines    bool // its colours are lines', not bars'
	notRedis bool
}

func hasRows(v *view) bool { return len(v.rows) > 0 }

// throughput shows requests a second (or the p99 latency) by test, grouped by
// variant.
func throughput(v *view) content {
	if v.options.Metric == MetricP99 {
		return v.bars(v.text.T("figure.title.p99"), "figure.milliseconds", "figure.together", func(row result.SummaryRow, m *marks) cell {
			return valueCell(row.P99, nil, nil, nil, m.of(row.Flags))
		}, "")
	}
	interval, shares := false, false
	c := v.bars(v.text.T("figure.title.throughput"), "figure.requests-per-second", "figure.median-of", func(row result.SummaryRow, m *marks) cell {
		ratio := row.Ratio
		if row.Variant == v.reference {
			ratio = nil // a hundred per cent of itself says nothing
		}
		shares = shares || known(ratio) != nil
		interval = interval || known(row.RPSLow) != nil && known(row.RPSHigh) != nil
		return valueCell(row.RPS, row.RPSLow, row.RPSHigh, ratio, m.of(row.Flags))
	}, "")
	if title := v.finding(); title != "" {
		c.title = title
	}
	parts := []string{c.subtitle}
	if i := slices.IndexFunc(v.variants, func(w variant) bool { return w.label == v.reference }); i >= 0 && shares {
		c.legend[i].name += " (100%)"
		parts = append(parts, v.text.T("figure.percent-of", text.Args{"Name": v.name(v.reference)}))
	}
	switch {
	case interval:
		parts = append(parts, v.text.T("figure.whiskers-median"))
	case v.rounds() > 1:
		parts = append(parts, v.text.T("figure.no-interval"))
	}
	c.subtitle = strings.Join(parts, v.text.T("figure.semicolon"))
	return v.titled(c)
}

// bars is a figure of one bar a variant in each test, a facet a setting.
func (v *view) bars(title, unitID, lead string, of func(result.SummaryRow, *marks) cell, method string) content {
	m := v.marks()
	chart := v.chart(unitID)
	for _, s := range v.settings {
		chart.facets = append(chart.facets, v.facet(v.settingName(s), s, func(row result.SummaryRow) cell { return of(row, m) }))
	}
	return v.content(title, lead, chart, m, method)
}

func (v *view) chart(unitID string) *barChart {
	return &barChart{series: v.series(), unit: v.text.T(unitID), valuesOmitted: v.text.T("figure.values-omitted")}
}

// facet has a group for each test that was to be measured under s.
func (v *view) facet(title string, s setting, of func(result.SummaryRow) cell) facet {
	f := facet{title: title}
	for _, test := range v.tests {
		g := group{name: test}
		for _, w := range v.variants {
			g.cells = append(g.cells, v.cell(w, test, s, of))
		}
		// A test that this setting was not planned for takes no room in it.
		if slices.ContainsFunc(g.cells, func(c cell) bool { return c.state != missing }) {
			f.groups = append(f.groups, g)
		}
	}
	return f
}

// content is what every figure of bars has around them.
func (v *view) content(title, lead string, chart *barChart, m *marks, method string) content {
	subtitle := v.method(lead)
	if method != "" {
		subtitle += v.text.T("figure.semicolon") + method
	}
	if chart.uneven() {
		chart.ownScale = true
		subtitle += v.text.T("figure.semicolon") + v.text.T("figure.own-scales")
	}
	return v.titled(content{
		title: title, subtitle: subtitle, origin: v.origin(), legend: v.series(), body: chart,
		notes:    append(m.notes(v.text), v.durability()...),
		notRedis: slices.ContainsFunc(v.variants, func(w variant) bool { return w.standIn }),
	})
}

// cell is what of says of a measured row, or why there is none.
func (v *view) cell(w variant, test string, s setting, of func(result.SummaryRow) cell) cell {
	if row, ok := v.row(w, test, s); ok {
		if c := of(row); c.state == measured {
			return c
		}
	}
	if v.failed(w.label, test, s) {
		return cell{state: failed, labels: []string{v.text.T("figure.failed")}}
	}
	return cell{state: missing, labels: []string{v.text.T("figure.not-measured")}}
}

// valueCell is a bar of value with what is known about it; missing when value
// is not a number that can be drawn.
func valueCell(value, low, high, ratio *float64, marks string) cell {
	if known(value) == nil || *value < 0 {
		return cell{state: missing}
	}
	c := cell{state: measured, value: *value}
	if known(low) != nil && known(high) != nil {
		c.low, c.high = low, high
	}
	if marks != "" {
		marks = " " + marks
	}
	if known(ratio) != nil {
		share := " (" + percent(*ratio) + ")"
		c.labels = []string{number(*value) + share + marks, short(*value) + share + marks, short(*value) + marks}
	} else {
		c.labels = []string{number(*value) + marks, short(*value) + marks}
	}
	return c
}

// titled puts the user's own title in place of Berth's.
func (v *view) titled(c content) content {
	if own := clean(v.run.Edits["title"]); own != "" {
		c.title = own
	} else if own := clean(v.run.Plan.Title); own != "" {
		c.title = own
	}
	return c
}

// finding is the largest difference that has a verdict, as a sentence; "" where there
// is none to tell of what is shown.
func (v *view) finding() string {
	var best *result.ComparisonRow
	none := 0
	rows := v.shownComparisons()
	for i, row := range rows {
		switch {
		case row.Verdict == result.NoDifference:
			none++
		case row.Verdict != result.Slower && row.Verdict != result.Faster, known(row.Ratio) == nil, *row.Ratio <= 0:
		case best == nil || math.Abs(math.Log(*row.Ratio)) > math.Abs(math.Log(*best.Ratio)):
			best = &rows[i]
		}
	}
	if best == nil {
		if none == 0 || none < len(rows) {
			return ""
		}
		return v.text.T("figure.title.none", text.Args{"B": v.name(v.reference)})
	}
	id, change := "figure.title.slower", 1-*best.Ratio
	if best.Verdict == result.Faster {
		id, change = "figure.title.faster", *best.Ratio-1
	}
	if best.Test != "" {
		id += "-test"
	}
	return v.text.T(id, text.Args{"A": v.name(best.A), "B": v.name(best.B), "Percent": percent(change), "Test": best.Test})
}

// shownComparisons are the comparisons that speak of exactly what is shown: the first
// family when all is shown, a single test's when that is all there is.
func (v *view) shownComparisons() []result.ComparisonRow {
	all := len(v.options.Tests) == 0 && len(v.options.PayloadBytes) == 0
	one := len(v.tests) == 1 && len(v.settings) == 1
	var out []result.ComparisonRow
	for _, row := range v.comparisons {
		shown := slices.ContainsFunc(v.variants, func(w variant) bool { return w.label == row.A })
		switch {
		case !shown:
		case one && row.Test == v.tests[0] && (setting{row.PayloadBytes, row.Pipeline, row.Clients}) == v.settings[0],
			!one && all && row.Test == "":
			out = append(out, row)
		}
	}
	return out
}

// rounds is how many samples the best measured row has.
func (v *view) rounds() int {
	most := 0
	for _, row := range v.rows {
		most = max(most, row.Samples)
	}
	return most
}

// method says in a line how what is shown was measured; lead is the message that
// says what was made of the rounds.
func (v *view) method(lead string) string {
	parts := []string{v.text.N(lead, v.rounds())}
	if common := v.common(); common != "" {
		parts = append(parts, common)
	}
	switch load := v.run.Plan.Load; {
	case load.Requests > 0:
		parts = append(parts, v.text.T("figure.requests-each", text.Args{"Requests": grouped(float64(load.Requests), 0)}))
	case load.Seconds > 0:
		parts = append(parts, v.text.T("figure.seconds-each", text.Args{"Seconds": trimmed(load.Seconds)}))
	}
	return strings.Join(parts, v.text.T("figure.comma"))
}

// origin says where the figure comes from.
func (v *view) origin() string {
	parts := []string{"Berth " + v.run.Berth}
	if v.run.ID != "" {
		parts = append(parts, v.text.T("figure.run", text.Args{"ID": v.run.ID}))
	}
	if len(v.run.Events) > 0 {
		parts = append(parts, v.run.Events[0].At.Format("2006-01-02 15:04"))
	}
	return strings.Join(parts, " · ")
}

// durability says what the servers shown kept on disk: a figure of a server
// that keeps nothing is no figure of one that does.
func (v *view) durability() []string {
	var order []string                // what is said, in the variants' order
	variants := map[string][]string{} // by what is said
	for _, w := range v.variants {
		said := v.persistence(w.label)
		if said == "" {
			continue
		}
		if !slices.Contains(order, said) {
			order = append(order, said)
		}
		variants[said] = append(variants[said], v.name(w.label))
	}
	if len(order) == 0 {
		return nil
	}
	if len(order) == 1 && len(variants[order[0]]) == len(v.variants) {
		return []string{v.text.T("figure.durability", text.Args{"What": order[0]})}
	}
	var parts []string
	for _, said := range order {
		parts = append(parts, said+" ("+strings.Join(variants[said], ", ")+")")
	}
	return []string{v.text.T("figure.durability", text.Args{"What": strings.Join(parts, v.text.T("figure.semicolon"))})}
}

// persistence of the last server of a variant that said what it is.
func (v *view) persistence(label string) string {
	service, kept := "", ""
	for _, s := range v.run.Servers {
		if s.Variant == label && s.Facts["redis.persistence"] != "" {
			kept = s.Facts["redis.persistence"]
			service = strings.TrimSpace("Redis " + s.Facts["redis.version"])
		}
	}
	if kept == "" {
		return ""
	}
	if slices.Contains([]string{plan.PersistenceNone, "snapshots", "unknown", plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo}, kept) {
		kept = v.text.T("figure.persistence." + kept)
	}
	return service + v.text.T("figure.comma") + kept
}
