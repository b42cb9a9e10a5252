package figure

import (
	"slices"
	"strconv"
	"strings"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// flagMarks are put behind values, in the order in which flags are met.
var flagMarks = []string{"*", "†", "‡", "§", "¶"}

// Marks gives each flag a sign to put behind values, and remembers which were used, for a
// line below. A flag that every row has gets none: it is said once, of all.
type Marks struct {
	common  []string
	flags   []string
	retried bool // FlagErrors is of MySQL's rows alone
	rows    []result.SummaryRow
	samples []result.Sample // theirs, among others
}

// NewMarks are for the values of these rows, which are of these samples among others; a row without a value
// has nothing to mark.
func NewMarks(rows []result.SummaryRow, samples []result.Sample) *Marks {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row result.SummaryRow) bool { return known(row.RPS) == nil })
	m := &Marks{retried: retriedOnly(rows), rows: rows, samples: samples}
	if len(rows) < 2 {
		return m
	}
	m.common = slices.Clone(rows[0].Flags)
	for _, row := range rows {
		m.common = slices.DeleteFunc(m.common, func(f string) bool { return !slices.Contains(row.Flags, f) })
	}
	slices.Sort(m.common)
	return m
}

// ofAll is what a flag that every row has means, with how many of the rows' samples carry it where that is
// not all: a row has the flags of any of its samples.
func ofAll(flag, what string, rows []result.SummaryRow, samples []result.Sample, c *text.Catalogue) string {
	type place struct {
		variant string
		plan.Cell
	}
	shown := map[place]bool{}
	for _, row := range rows {
		shown[place{row.Variant, row.Cell}] = true
	}
	with, all := 0, 0
	for i := range samples {
		s := &samples[i]
		if !shown[place{s.Variant, s.Workload.Cell()}] {
			continue
		}
		all++
		if slices.Contains(s.Flags, flag) {
			with++
		}
	}
	if with == 0 || with == all { // or it is a flag that rows have and samples do not
		return what
	}
	return c.T("figure.in-samples", text.Args{"What": what, "With": with, "All": all})
}

// retriedOnly says whether errors are of MySQL alone: not replies, but transactions
// that were begun again.
func retriedOnly(rows []result.SummaryRow) bool {
	return !slices.ContainsFunc(rows, func(row result.SummaryRow) bool {
		return row.Service != plan.MySQL && slices.Contains(row.Flags, result.FlagErrors)
	})
}

// Of is the signs of a row's flags, to be put behind its value.
func (m *Marks) Of(flags []string) string {
	var used []int
	for _, f := range flags {
		if slices.Contains(m.common, f) {
			continue
		}
		if !slices.Contains(m.flags, f) {
			m.flags = append(m.flags, f)
		}
		used = append(used, slices.Index(m.flags, f))
	}
	slices.Sort(used)
	var out strings.Builder
	for _, i := range used {
		out.WriteString(m.sign(i))
	}
	return out.String()
}

func (m *Marks) sign(i int) string {
	if i < len(flagMarks) {
		return flagMarks[i]
	}
	return "(" + strconv.Itoa(i-len(flagMarks)+1) + ")"
}

// Notes explain the signs that were used, in one line, after what holds of all.
func (m *Marks) Notes(c *text.Catalogue) []string {
	var all, some []string
	for _, f := range m.common {
		all = append(all, ofAll(f, flagText(f, m.retried, c), m.rows, m.samples, c))
	}
	for i, f := range m.flags {
		some = append(some, m.sign(i)+" "+flagText(f, m.retried, c))
	}
	var out []string
	if len(all) > 0 {
		out = append(out, c.T("figure.all-samples", text.Args{"What": strings.Join(all, c.T("figure.semicolon"))}))
	}
	if len(some) > 0 {
		out = append(out, strings.Join(some, c.T("figure.semicolon")))
	}
	return out
}

// flagText is what a flag means; retried says that errors are MySQL's.
func flagText(flag string, retried bool, c *text.Catalogue) string {
	id := "figure.flag." + flag
	if flag == result.FlagErrors && retried {
		id += "-mysql"
	}
	if said := c.T(id); said != id {
		return said
	}
	return flag // of a newer Berth's run
}
