package figure

import (
	"cmp"
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// content is what a figure says: its texts, what its colours mean, its body.
type content struct {
	title    string
	caption  string // the user's
	subtitle string // how it was measured, and what is drawn
	origin   string // Berth's version, the run, its date
	notes    []string
	legend   []series
	body     body
	lines    bool // its colours are lines', not bars'
	notRedis bool
	drawn    *view    // what of the view is drawn; nil: all of it
	marks    *Marks   // that notes explain
	bare     []string // in place of notes where there is no room for values, so that no marks are seen
}

// described is the content in words, for those who cannot see it.
func (c content) described() string {
	words := c.subtitle + ". " + c.origin
	if c.caption != "" {
		words = c.caption + " " + words
	}
	return words
}

// ownTitle is the title that the user gave the run; "" if none.
func (v *view) ownTitle() string {
	if own := clean(v.run.Edits["title"]); own != "" {
		return own
	}
	return clean(v.run.Plan.Title)
}

// titled puts the user's own title before a figure's.
func (v *view) titled(title string) string {
	if own := v.ownTitle(); own != "" {
		return own + " · " + title
	}
	return title
}

// bars is a figure of one bar a variant in each test, a facet a setting.
func (v *view) bars(title, unitID, lead string, of func(result.SummaryRow) cell, method string) content {
	m := v.marks()
	chart := v.chart(unitID)
	for _, s := range v.settings {
		chart.facets = append(chart.facets, v.facet(v.settingName(s), s, m, of))
	}
	return v.content(title, lead, chart, m, method)
}

func (v *view) chart(unitID string) *barChart {
	return &barChart{series: v.series(), unit: v.text.T(unitID), valuesOmitted: v.text.T("figure.values-omitted")}
}

// facet has a group for each test that was to be measured under s; m marks what is measured.
func (v *view) facet(title string, s setting, m *Marks, of func(result.SummaryRow) cell) facet {
	f := facet{title: title}
	for _, test := range v.tests {
		g := group{name: test}
		for _, w := range v.variants {
			g.cells = append(g.cells, v.cell(w, test, s, m, of))
		}
		// A test that this setting was not planned for takes no room in it.
		if slices.ContainsFunc(g.cells, func(c cell) bool { return c.state != missing }) {
			f.groups = append(f.groups, g)
		}
	}
	return f
}

// content is what every figure of bars has around them.
func (v *view) content(title, lead string, chart *barChart, m *Marks, method string) content {
	subtitle := v.method(lead)
	if method != "" {
		subtitle += v.text.T("figure.semicolon") + method
	}
	if chart.uneven() {
		chart.ownScale = true
		subtitle += v.text.T("figure.semicolon") + v.text.T("figure.own-scales")
	}
	return content{
		title: v.titled(title), caption: clean(v.run.Edits["caption"]), subtitle: subtitle, origin: v.origin(), legend: v.series(), body: chart,
		notes: slices.Concat(m.Notes(v.text), v.loadNote(), v.durability(v.labels())), marks: m,
		notRedis: slices.ContainsFunc(v.variants, func(w variant) bool { return w.standIn }),
	}
}

// cell is what of says of a measured row, with the marks of its flags; or why there is no value.
func (v *view) cell(w variant, test string, s setting, m *Marks, of func(result.SummaryRow) cell) cell {
	row, there := v.row(w, test, s)
	if there {
		c := of(row)
		if c.state == measured {
			return c.marked(m.Of(row.Flags))
		}
		if c.state == unknown {
			return c
		}
	}
	why := Absent(v.run, w.label, s.cell(test))
	state, ok := map[string]state{"figure.failed": failed, "figure.not-measured": missing}[why]
	if !ok {
		state = unknown
	}
	return cell{state: state, labels: []string{v.text.T(why)}}
}

// Absent is the message that says why a variant has no value in a cell that the run planned: that it failed,
// that its samples were cut short or got error replies, or that it was not measured.
func Absent(r *result.Run, variant string, c plan.Cell) string {
	if slices.ContainsFunc(r.Failures, func(f result.FailureEvent) bool {
		return f.Variant == variant && (f.Workload == nil || f.Workload.Cell() == c)
	}) {
		return "figure.failed"
	}
	why := ""
	for i := range r.Samples {
		s := &r.Samples[i]
		if s.Variant != variant || s.Workload.Cell() != c {
			continue
		}
		switch {
		case slices.Contains(s.Flags, result.FlagCut):
			why = cmp.Or(why, "figure.flag."+result.FlagCut)
		case stats.Refused(s):
			why = "figure.refused"
		case s.RPS() > 0:
			return "figure.not-measured" // what was asked for
		}
	}
	return cmp.Or(why, "figure.not-measured")
}

// marked is c with marks behind its labels.
func (c cell) marked(marks string) cell {
	if marks == "" {
		return c
	}
	c.labels = slices.Clone(c.labels)
	for i := range c.labels {
		c.labels[i] += " " + marks
	}
	return c
}

// valueCell is a bar of value with what is known about it; missing when value
// is not a number that can be drawn.
func valueCell(value, low, high, ratio *float64) cell {
	if known(value) == nil || *value < 0 {
		return cell{state: missing}
	}
	c := cell{state: measured, value: *value, labels: []string{number(*value), short(*value)}}
	if known(low) != nil && known(high) != nil {
		c.low, c.high = low, high
	}
	if known(ratio) != nil {
		share := " (" + percent(*ratio) + ")"
		c.labels = []string{number(*value) + share, short(*value) + share, short(*value)}
	}
	return c
}

// rounds is how many samples the best measured of the rows shown has.
func (v *view) rounds() int {
	most := 0
	for _, row := range v.sortedRows() {
		most = max(most, row.Samples)
	}
	return most
}

// method says in a line how what is shown was measured; lead is the message that
// says what was made of the rounds.
func (v *view) method(lead string) string {
	parts := []string{v.text.N(lead, v.rounds())}
	parts = append(parts, v.shortOf()...)
	if common := v.common(); common != "" {
		parts = append(parts, common)
	}
	return strings.Join(append(parts, v.stopRules()...), v.text.T("figure.comma"))
}

// stopRules say how long samples are, each rule of the loads shown once.
func (v *view) stopRules() []string {
	var parts []string
	say := func(seconds float64, requests int64) {
		part := ""
		switch {
		case requests > 0:
			part = v.text.T("figure.requests-each", text.Args{"Requests": grouped(float64(requests), 0)})
		case seconds > 0:
			part = v.text.T("figure.seconds-each", text.Args{"Seconds": trimmed(seconds)})
		}
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for _, s := range v.settings {
		if v.mysql() {
			say(v.run.Plan.OLTP(s.load).Seconds, 0)
		} else {
			load := v.run.Plan.Load(s.load)
			say(load.Seconds, load.Requests)
		}
	}
	return parts
}

// shortOf says that a run was stopped, and how many of the values shown are of fewer
// rounds than the rest.
func (v *view) shortOf() []string {
	rows, most := v.sortedRows(), v.rounds()
	fewer := 0
	for _, row := range rows {
		if row.Samples < most {
			fewer++
		}
	}
	var parts []string
	if fewer > 0 {
		parts = append(parts, v.text.N("figure.of-fewer", fewer, text.Args{"All": len(rows)}))
	}
	if p := stats.ProgressOf(v.run); p.Stopped && p.Samples < p.Wanted {
		parts = append(parts, v.text.T("figure.stopped", text.Args{"Round": p.Begun, "Planned": p.Planned}))
	}
	return parts
}
