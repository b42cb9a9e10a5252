package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// A baselinePair is a ratio between Redis and MySQL, with the rows that it is of.
type baselinePair struct {
	stats.BaselineRatio
	redis, mysql result.SummaryRow
}

// baselinePairs are the pairs of loads that have names, where Redis's side is among what is
// shown; none in a run whose loads have no names.
func (v *view) baselinePairs() []baselinePair {
	var out []baselinePair
	for _, b := range stats.BaselineRatios(v.run, v.options.Reference) {
		redis, ok := v.rows[rowKey{b.Redis, b.Test, settingOf(b.Cell)}]
		i := slices.IndexFunc(v.baseline, func(row result.SummaryRow) bool { return row.Variant == b.MySQL && row.Cell == b.MySQLCell })
		if !ok || i < 0 || b.Pair == "" || b.Ratio == nil || known(redis.RPS) == nil || known(v.baseline[i].RPS) == nil {
			continue
		}
		out = append(out, baselinePair{b, redis, v.baseline[i]})
	}
	return out
}

// answers shows Redis beside MySQL for each pair of loads by itself, on one logarithmic axis:
// the two of a ratio stand together, with the ratio at Redis's dot.
func (v *view) answers(pairs []baselinePair) content {
	m := v.marks()
	chart := v.chart("figure.per-second-log")
	var all []result.SummaryRow
	for _, p := range pairs {
		all = append(all, p.redis, p.mysql)
	}
	axis := logAxisFor(all)
	chart.ticks = axis.ticks()
	var legend []series
	several := slices.ContainsFunc(pairs, func(p baselinePair) bool { return p.Redis != pairs[0].Redis || p.MySQL != pairs[0].MySQL })
	at := map[string]int{}
	for _, p := range pairs {
		title := v.answerTitle(p, several)
		i, ok := at[title]
		if !ok {
			i = len(chart.facets)
			at[title], chart.facets = i, append(chart.facets, facet{title: title})
		}
		cells := []cell{v.answerCell(p.mysql, axis, m, nil), v.answerCell(p.redis, axis, m, &p)}
		for _, c := range cells {
			if !slices.Contains(legend, *c.series) {
				legend = append(legend, *c.series)
			}
		}
		chart.facets[i].groups = append(chart.facets[i].groups, group{name: v.answerName(p), cells: cells})
	}
	chart.series = []series{*chart.facets[0].groups[0].cells[0].series, *chart.facets[0].groups[0].cells[1].series}
	out := v.content(v.answersTitle(pairs), "figure.median-of", chart, m, "")
	out.subtitle = strings.Join(append([]string{v.text.N("figure.median-of", v.rounds()), v.text.T("figure.answers-method")}, v.whiskers(axis.whiskers)...), v.text.T("figure.semicolon"))
	out.legend = legend
	var labels []string
	for _, p := range pairs {
		for _, label := range []string{p.Redis, p.MySQL} {
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	out.notes = slices.Concat(v.withoutBegin(pairs, several), m.Notes(v.text), v.durability(labels))
	out.bare = out.notes // of MySQL's flags nothing else tells
	return out
}

// answerCell is one side's dot; of Redis's side with the ratio, and its interval where there is room.
func (v *view) answerCell(row result.SummaryRow, axis logAxis, m *Marks, p *baselinePair) cell {
	c := v.dotCell(row, axis)
	if p != nil {
		times := timesOf(*p.Ratio) + "×"
		c.labels = []string{number(*row.RPS) + " (" + times + ")", times}
		if known(p.Low) != nil && known(p.High) != nil {
			c.labels = append([]string{fmt.Sprintf("%s (%s, %s–%s)", number(*row.RPS), times, timesOf(*p.Low), timesOf(*p.High))}, c.labels...)
		}
	}
	return c.marked(m.Of(row.Flags))
}

// timesOf writes a multiple with as many decimals as its size asks for.
func timesOf(x float64) string {
	switch {
	case x >= 9.95:
		return grouped(x, 0)
	case x >= 0.95:
		return grouped(x, 1)
	case x >= 0.095:
		return grouped(x, 2)
	}
	return strconv.FormatFloat(x, 'g', 1, 64)
}

// answerTitle is a facet's: the pair of loads, with what is alike in it.
func (v *view) answerTitle(p baselinePair, several bool) string {
	title := result.LoadName(p.Pair, v.text) + v.text.T("figure.colon")
	if p.Alike {
		title += p.Test + " / " + p.Script
	} else {
		title += p.Script
	}
	if several {
		title = v.name(p.Redis) + " / " + v.name(p.MySQL) + " · " + title
	}
	return title
}

// answerName is a group's: what the rows of its facet do not have in common.
func (v *view) answerName(p baselinePair) string {
	var parts []string
	if !p.Alike {
		parts = append(parts, p.Test)
		for _, of := range []struct {
			id  string
			get func(setting) int
		}{{"figure.payload", func(s setting) int { return s.payloadBytes }}, {"figure.pipeline", func(s setting) int { return s.pipeline }}} {
			if v.variesIn(p.Load, of.get) {
				parts = append(parts, v.text.N(of.id, of.get(settingOf(p.Cell))))
			}
		}
	}
	switch {
	case p.Best:
		parts = append(parts, v.text.T("figure.best-of-each", text.Args{"Redis": p.Clients, "MySQL": p.Threads}))
	case p.Clients == p.Threads:
		parts = append(parts, v.text.N("figure.connections", p.Clients))
	}
	return strings.Join(parts, v.text.T("figure.comma"))
}

// variesIn says whether settings of one load differ in what get tells.
func (v *view) variesIn(load string, get func(setting) int) bool {
	var values []int
	for _, s := range v.settings {
		if s.load == load && !slices.Contains(values, get(s)) {
			values = append(values, get(s))
		}
	}
	return len(values) > 1
}

// answersTitle says both answers, where there are both.
func (v *view) answersTitle(pairs []baselinePair) string {
	span := func(load string, best bool) string {
		low, high := math.Inf(1), 0.0
		for _, p := range pairs {
			if p.Pair == load && p.Best == best && p.Redis == pairs[0].Redis && p.MySQL == pairs[0].MySQL {
				low, high = min(low, *p.Ratio), max(high, *p.Ratio)
			}
		}
		switch {
		case high == 0:
			return ""
		case timesOf(low) == timesOf(high):
			return timesOf(low)
		}
		return timesOf(low) + "–" + timesOf(high)
	}
	article, like := span("as-the-article", false), span("like-for-like", true)
	if article == "" || like == "" {
		return v.text.T("figure.title.baseline")
	}
	return v.text.T("figure.title.answers", text.Args{"Article": article, "Like": like})
}

// withoutBegin gives the ratios to queries less BEGIN and COMMIT.
func (v *view) withoutBegin(pairs []baselinePair, several bool) []string {
	var parts []string
	var threads []string
	for _, p := range pairs {
		if p.Without == nil || several && (p.Redis != pairs[0].Redis || p.MySQL != pairs[0].MySQL) {
			continue
		}
		parts = append(parts, v.answerName(p)+v.text.T("figure.colon")+timesOf(*p.Without)+"×")
		if n := v.text.N("figure.threads", p.Threads); !slices.Contains(threads, n) {
			threads = append(threads, n)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{v.text.T("figure.without-begin", text.Args{"Ratios": strings.Join(parts, v.text.T("figure.semicolon")), "Threads": strings.Join(threads, v.text.T("figure.comma")),
		"Clients": v.clientsOf(pairs)})}
}

// clientsOf are the numbers of connections of Redis's side where it is set beside whole transactions.
func (v *view) clientsOf(pairs []baselinePair) string {
	var out []string
	for _, p := range pairs {
		if n := v.text.N("figure.clients", p.Clients); p.Without != nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return strings.Join(out, v.text.T("figure.comma"))
}
