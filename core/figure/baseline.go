package figure

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"berth/core/result"
	"berth/core/text"
)

func hasBaseline(v *view) bool {
	redis, mysql := v.baselineRows()
	return len(redis) > 0 && len(mysql) > 0
}

// baselineRows are the rows with a rate that a logarithm can show.
func (v *view) baselineRows() (redis, mysql []result.SummaryRow) {
	fit := func(row result.SummaryRow) bool { return known(row.RPS) != nil && *row.RPS > 0 }
	for _, s := range v.settings {
		for _, test := range v.tests {
			for _, w := range v.variants {
				if row, ok := v.row(w, test, s); ok && fit(row) {
					redis = append(redis, row)
				}
			}
		}
	}
	for _, row := range v.baseline {
		if fit(row) {
			mysql = append(mysql, row)
		}
	}
	return redis, mysql
}

// baseline sets Redis beside MySQL on a logarithmic axis, with how many times the
// first MySQL row's queries each row serves.
func baseline(v *view) content {
	if pairs := v.baselinePairs(); len(pairs) > 0 {
		return v.answers(pairs)
	}
	redis, mysql := v.baselineRows()
	// The modes of one test stand together.
	asMeasured := slices.Clone(mysql)
	slices.SortStableFunc(mysql, func(a, b result.SummaryRow) int { return cmp.Compare(placeOf(asMeasured, a), placeOf(asMeasured, b)) })
	threads := slices.ContainsFunc(mysql, func(row result.SummaryRow) bool { return row.Clients != mysql[0].Clients })
	all := slices.Concat(mysql, redis)
	m := v.marks()
	chart := v.chart("figure.per-second-log")
	axis := logAxisFor(all)
	chart.ticks = axis.ticks()
	f := facet{}
	var legend []series
	for _, row := range all {
		c := v.dotCell(row, axis)
		if !slices.Contains(legend, *c.series) {
			legend = append(legend, *c.series)
		}
		if row.Service != mysql[0].Service {
			times := number(*row.RPS / *mysql[0].RPS)
			c.labels = append([]string{number(*row.RPS) + " (" + times + "×)"}, c.labels...)
		}
		name := row.Test
		if mysql[0].Service == row.Service {
			if threads {
				name += " · " + v.text.N("figure.threads", row.Clients)
			}
		} else if setting := v.settingName(settingOf(row.Cell)); setting != "" {
			name += " · " + setting
		}
		c = c.marked(m.Of(row.Flags))
		if n := len(f.groups); n > 0 && f.groups[n-1].name == name {
			f.groups[n-1].cells = append(f.groups[n-1].cells, c)
		} else {
			f.groups = append(f.groups, group{name: name, cells: []cell{c}})
		}
	}
	chart.facets, chart.series = []facet{f}, legend
	out := v.content(v.baselineTitle(redis, mysql[0]), "figure.median-of", chart, m, strings.Join(append([]string{v.text.T("figure.baseline-method")}, v.whiskers(axis.whiskers)...), v.text.T("figure.semicolon")))
	out.legend = legend
	// The rest of the page speaks of Redis alone.
	labels := v.labels()
	var counts []string
	for _, row := range mysql {
		if !slices.Contains(labels, row.Variant) {
			labels = append(labels, row.Variant)
		}
		if n := strconv.Itoa(row.Clients); !slices.Contains(counts, n) {
			counts = append(counts, n)
		}
	}
	out.notes = append(m.Notes(v.text), v.durability(labels)...)
	how := text.Args{"Threads": strings.Join(counts, v.text.T("figure.comma")), "Seconds": ""}
	if seconds := v.run.Plan.OLTP(mysql[0].Load).Seconds; seconds > 0 {
		how["Seconds"] = trimmed(seconds)
	}
	out.notes = slices.Insert(out.notes, 0, v.text.T("figure.baseline-mysql", how))
	out.bare = out.notes // of MySQL's flags nothing else tells
	return out
}

// placeOf is where the first of rows with row's workload stands.
func placeOf(rows []result.SummaryRow, row result.SummaryRow) int {
	return slices.IndexFunc(rows, func(other result.SummaryRow) bool { return other.Cell == row.Cell })
}

// baselineTitle says how many times as much Redis answers as the first row of MySQL, from the least to
// the most.
func (v *view) baselineTitle(redis []result.SummaryRow, mysql result.SummaryRow) string {
	low, high := math.Inf(1), 0.0
	for _, row := range redis {
		low, high = min(low, *row.RPS / *mysql.RPS), max(high, *row.RPS / *mysql.RPS)
	}
	times := timesOf(low)
	if most := timesOf(high); most != times {
		times += "–" + most
	}
	return v.text.T("figure.title.baseline-times", text.Args{"Times": times, "MySQL": v.name(mysql.Variant), "Script": mysql.Test})
}

func (v *view) seriesOf(row result.SummaryRow) series {
	i := v.place(row.Variant, append([]result.SummaryRow{row}, v.baseline...))
	return series{name: v.name(row.Variant), color: variantColor(i), index: i}
}
