package figure

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// A view is the part of a run that a figure shows: the variants, tests and
// settings that were chosen, in the plan's order.
type view struct {
	run         *result.Run
	options     Options
	text        *text.Catalogue
	reference   string
	variants    []variant
	tests       []string
	settings    []setting
	rows        map[rowKey]result.SummaryRow
	comparisons []result.ComparisonRow
	// baseline are the rows of MySQL where there are rows of Redis too: no test
	// is common to both, so they are in a figure of their own.
	baseline []result.SummaryRow
}

// A variant is one compared thing with the colour that it always has.
type variant struct {
	label   string
	index   int // of its colour
	standIn bool
}

// A setting is what a workload is beside its test.
type setting struct {
	load                                  string // the name of the plan's load; "" where there is but one
	payloadBytes, pipeline, clients, rate int
}

func settingOf(c plan.Cell) setting {
	return setting{c.Load, c.PayloadBytes, c.Pipeline, c.Clients, c.Rate}
}

func (s setting) cell(test string) plan.Cell {
	return plan.Cell{Load: s.load, Test: test, PayloadBytes: s.payloadBytes, Pipeline: s.pipeline, Clients: s.clients, Rate: s.rate}
}

type rowKey struct {
	variant, test string
	setting
}

func newView(r *result.Run, rows []result.SummaryRow, comparisons []result.ComparisonRow, o Options) *view {
	v := &view{
		run: r, options: o, text: text.For(cmp.Or(o.Lang, "en")),
		rows: map[rowKey]result.SummaryRow{}, comparisons: comparisons,
	}
	if len(rows) > 0 {
		v.reference = rows[0].Reference
	}
	chosen := func(label string) bool { return len(o.Variants) == 0 || slices.Contains(o.Variants, label) }
	add := func(label, placement string) {
		seen := slices.ContainsFunc(v.variants, func(w variant) bool { return w.label == label })
		if !seen && chosen(label) {
			v.variants = append(v.variants, variant{label, v.place(label, rows), placement == plan.StandIn})
		}
	}
	for _, label := range result.Order(r) {
		add(label, r.Plan.Variants[slices.IndexFunc(r.Plan.Variants, func(p plan.Variant) bool { return p.Label == label })].Placement)
	}
	rows, v.baseline = splitBaseline(rows)
	for _, row := range rows {
		add(row.Variant, row.Placement)
		v.addRow(row)
	}
	for _, f := range r.Failures {
		if f.Workload != nil && chosen(f.Variant) && !v.elsewhere(f.Variant) {
			v.addPlace(f.Workload.Test, settingOf(f.Workload.Cell()))
		}
	}
	v.inOrder()
	// A variant that was planned but never reached says nothing.
	v.variants = slices.DeleteFunc(v.variants, func(w variant) bool {
		return !v.measured(w.label) && (v.elsewhere(w.label) || !v.failed(w.label))
	})
	return v
}

// inOrder puts tests and settings in the plan's order, also where the first variant lacks some.
func (v *view) inOrder() {
	place := v.run.Plan.Place()
	tests, settings := map[string]int{}, map[setting]int{}
	for _, s := range v.settings {
		settings[s] = math.MaxInt
	}
	for _, test := range v.tests {
		tests[test] = math.MaxInt
		for _, s := range v.settings {
			at := place(s.cell(test))
			tests[test], settings[s] = min(tests[test], at), min(settings[s], at)
		}
	}
	slices.SortStableFunc(v.tests, func(a, b string) int { return cmp.Compare(tests[a], tests[b]) })
	slices.SortStableFunc(v.settings, func(a, b setting) int { return cmp.Compare(settings[a], settings[b]) })
}

// splitBaseline takes the rows of MySQL from those of Redis, if there are both.
func splitBaseline(rows []result.SummaryRow) (shown, baseline []result.SummaryRow) {
	mysql := func(row result.SummaryRow) bool { return row.Service == plan.MySQL }
	if !slices.ContainsFunc(rows, func(row result.SummaryRow) bool { return !mysql(row) }) {
		return rows, nil
	}
	for _, row := range rows {
		if mysql(row) {
			baseline = append(baseline, row)
		} else {
			shown = append(shown, row)
		}
	}
	return shown, baseline
}

// elsewhere says whether a variant's place is in the figure of the baseline: it
// is MySQL, and there are rows of Redis.
func (v *view) elsewhere(label string) bool {
	redis := false
	for _, row := range v.rows {
		redis = redis || row.Service != plan.MySQL
	}
	return redis && slices.ContainsFunc(v.run.Plan.Variants, func(p plan.Variant) bool { return p.Label == label && p.Service == plan.MySQL })
}

// place is the index of a variant's colour; one that the plan does not have comes
// after those that it has.
func (v *view) place(label string, rows []result.SummaryRow) int {
	all := v.run.Plan
	all.Variants = slices.Clone(all.Variants)
	for _, row := range rows {
		if !slices.ContainsFunc(all.Variants, func(p plan.Variant) bool { return p.Label == row.Variant }) {
			all.Variants = append(all.Variants, plan.Variant{Label: row.Variant, Service: row.Service, Placement: row.Placement})
		}
	}
	return VariantColors(all)[label]
}

func (v *view) addRow(row result.SummaryRow) {
	s := settingOf(row.Cell)
	if len(v.options.Variants) > 0 && !slices.Contains(v.options.Variants, row.Variant) || !v.addPlace(row.Test, s) {
		return
	}
	if row.RPS == nil && v.nothing(row) {
		row.RPS = new(float64)
	}
	v.rows[rowKey{row.Variant, row.Test, s}] = row
}

// nothing says whether all samples of row were measured to their end without a single reply: 0 a second,
// though no ratio can be taken of it.
func (v *view) nothing(row result.SummaryRow) bool {
	samples := v.samples(row)
	return len(samples) > 0 && !slices.ContainsFunc(samples, func(s *result.Sample) bool { return s.Elapsed <= 0 || s.Requests > 0 || s.Errors > 0 })
}

// addPlace notes that test was to be measured under s; false if it was not
// chosen to be seen.
func (v *view) addPlace(test string, s setting) bool {
	o := v.options
	if len(o.Tests) > 0 && !slices.Contains(o.Tests, test) || len(o.PayloadBytes) > 0 && !slices.Contains(o.PayloadBytes, s.payloadBytes) {
		return false
	}
	if !slices.Contains(v.tests, test) {
		v.tests = append(v.tests, test)
	}
	if !slices.Contains(v.settings, s) {
		v.settings = append(v.settings, s)
	}
	return true
}

func (v *view) row(w variant, test string, s setting) (result.SummaryRow, bool) {
	row, ok := v.rows[rowKey{w.label, test, s}]
	return row, ok
}

func (v *view) measured(label string) bool {
	for k := range v.rows {
		if k.variant == label {
			return true
		}
	}
	return false
}

// failed says whether a server or sample of the variant failed.
func (v *view) failed(label string) bool {
	return slices.ContainsFunc(v.run.Failures, func(f result.FailureEvent) bool { return f.Variant == label })
}

func (v *view) name(label string) string { return clean(result.Name(v.run, label, v.text)) }

// series are the variants as a legend lists them.
func (v *view) series() []series {
	var out []series
	for _, w := range v.variants {
		out = append(out, series{name: v.name(w.label), color: variantColor(w.index), index: w.index})
	}
	return out
}

// A series is what one colour stands for.
type series struct {
	name  string
	color drawing.Color
	index int
}

// settingName says how s differs from the view's other settings: by its load, and by what differs within that.
func (v *view) settingName(s setting) string {
	return v.settingText(s, v.varies(v.loadIndex), func(get func(setting) int) bool { return v.varies(get) && v.variesIn(s.load, get) })
}

// loadNote says of each load what settingName leaves out, since all of that load share it; nothing where there is none.
func (v *view) loadNote() []string {
	if !v.varies(v.loadIndex) {
		return nil
	}
	var parts, told []string
	for _, s := range v.settings {
		if slices.Contains(told, s.load) {
			continue
		}
		told = append(told, s.load)
		what := v.settingText(s, false, func(get func(setting) int) bool { return v.varies(get) && !v.variesIn(s.load, get) })
		if what != "" {
			parts = append(parts, v.text.T("figure.flagged", text.Args{"Names": result.LoadName(s.load, v.text), "What": what}))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, v.text.T("figure.semicolon"))}
}

// common says what all of the view's settings share.
func (v *view) common() string {
	if len(v.settings) == 0 {
		return ""
	}
	return v.settingText(v.settings[0], !v.varies(v.loadIndex), func(get func(setting) int) bool { return !v.varies(get) })
}

func (v *view) varies(get func(setting) int) bool {
	return slices.ContainsFunc(v.settings, func(s setting) bool { return get(s) != get(v.settings[0]) })
}

// loadIndex tells the loads of the view's settings apart by number.
func (v *view) loadIndex(s setting) int {
	return slices.IndexFunc(v.settings, func(other setting) bool { return other.load == s.load })
}

// A settingPart is one number of a setting and the message that tells it.
type settingPart struct {
	id  string
	get func(setting) int
}

// settingText tells s: its load, if wanted, and each number that is.
func (v *view) settingText(s setting, load bool, want func(get func(setting) int) bool) string {
	clients := func(s setting) int { return s.clients }
	all := []settingPart{
		{"figure.payload", func(s setting) int { return s.payloadBytes }},
		{"figure.pipeline", func(s setting) int { return s.pipeline }},
		{"figure.clients", clients},
		{"figure.rate", func(s setting) int { return s.rate }},
	}
	if v.mysql() {
		all = []settingPart{{"figure.threads", clients}}
	}
	var parts []string
	if load && s.load != "" {
		parts = append(parts, result.LoadName(s.load, v.text))
	}
	for _, part := range all {
		if part.id == "figure.rate" && !slices.ContainsFunc(v.settings, func(s setting) bool { return s.rate > 0 }) {
			continue
		}
		if part.id == "figure.rate" && want(part.get) && s.rate == 0 {
			parts = append(parts, v.text.T("figure.unpaced"))
			continue
		}
		if want(part.get) && part.get(s) > 0 { // 0 is unknown, in what other tools reported
			parts = append(parts, v.text.N(part.id, part.get(s), text.Args{"Count": grouped(float64(part.get(s)), 0)}))
		}
	}
	return strings.Join(parts, v.text.T("figure.comma"))
}

// unsaid tells of what makes a value another thing than it seems, the client's limit or
// error replies, where the figure has no marks that notes explain: one of the reference
// alone, say, in a figure of ratios to it.
func (v *view) unsaid(c content) []string {
	if c.drawn != nil {
		v = c.drawn
	}
	flags := []string{result.FlagClientBound, result.FlagErrors}
	rows := v.sortedRows()
	if c.marks == nil { // which have no values to mark: all is said below
		for _, row := range rows {
			for _, f := range row.Flags {
				if !slices.Contains(flags, f) {
					flags = append(flags, f)
				}
			}
		}
	}
	retried := retriedOnly(rows)
	var all, out []string
	for _, flag := range flags {
		what := flagText(flag, retried, v.text)
		if slices.ContainsFunc(c.notes, func(n string) bool { return strings.Contains(n, what) }) {
			continue
		}
		without := slices.ContainsFunc(rows, func(row result.SummaryRow) bool { return !slices.Contains(row.Flags, flag) })
		if !without && len(rows) > 1 {
			all = append(all, ofAll(flag, what, rows, v.run.Samples, v.text))
			continue
		}
		var names []string
		for _, w := range v.variants {
			if where, some := v.flagged(w, flag); some {
				names = append(names, v.name(w.label)+where)
			}
		}
		if len(names) > 0 {
			out = append(out, v.text.T("figure.flagged", text.Args{"Names": strings.Join(names, v.text.T("figure.comma")), "What": what}))
		}
	}
	if len(all) > 0 {
		out = slices.Insert(out, 0, v.text.T("figure.all-samples", text.Args{"What": strings.Join(all, v.text.T("figure.semicolon"))}))
	}
	return out
}

// bare are c's notes where its values are not written: what marks would say is said by name.
func (v *view) bare(c content) []string {
	if c.marks == nil {
		return nil
	}
	explained := c.marks.Notes(v.text)
	c.notes = slices.DeleteFunc(slices.Clone(c.notes), func(n string) bool { return slices.Contains(explained, n) })
	c.marks = nil
	return append(v.unsaid(c), c.notes...)
}

// mostPlaces is how many places of a flag are told one by one.
const mostPlaces = 4

// flagged says in brackets which of the variant's values have the flag: "" of all of them; by test,
// by setting where it is the same in each test, and by both. some is false where none has.
func (v *view) flagged(w variant, flag string) (where string, some bool) {
	var parts, settings []string
	count, all, alike := 0, 0, true
	for i, test := range v.tests {
		var with []string
		there := 0
		for _, s := range v.settings {
			row, ok := v.row(w, test, s)
			if !ok || known(row.RPS) == nil {
				continue
			}
			there++
			if slices.Contains(row.Flags, flag) {
				with = append(with, v.settingName(s))
			}
		}
		count, all = count+len(with), all+there
		if i == 0 {
			settings = with
		}
		alike = alike && slices.Equal(with, settings)
		switch {
		case len(with) == 0:
		case len(with) == there:
			parts = append(parts, test)
		default:
			for _, setting := range with {
				parts = append(parts, test+" · "+setting)
			}
		}
	}
	if alike && count < all {
		parts = settings
	}
	switch {
	case count == 0:
		return "", false
	case count == all:
		return "", true
	case len(parts) > mostPlaces:
		return " (" + v.text.T("figure.some-values", text.Args{"Some": count, "All": all}) + ")", true
	}
	return " (" + strings.Join(parts, v.text.T("figure.semicolon")) + ")", true
}

func (v *view) marks() *Marks { return NewMarks(v.sortedRows(), v.run.Samples) }

// sortedRows are the rows shown that have a value, in the order of variants, settings and tests.
func (v *view) sortedRows() []result.SummaryRow {
	var out []result.SummaryRow
	for _, w := range v.variants {
		for _, s := range v.settings {
			for _, test := range v.tests {
				if row, ok := v.row(w, test, s); ok && known(row.RPS) != nil {
					out = append(out, row)
				}
			}
		}
	}
	return out
}

// mysql says whether all that is shown is MySQL, which answers queries and carries out
// transactions.
func (v *view) mysql() bool {
	for _, row := range v.rows {
		if row.Service != plan.MySQL {
			return false
		}
	}
	return len(v.rows) > 0
}

// ofService is the message's id, in the words of the service that is shown.
func (v *view) ofService(id string) string {
	if v.mysql() {
		return id + "-mysql"
	}
	return id
}
