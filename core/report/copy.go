package report

import (
	"bufio"
	"strings"

	"berth/core/result"
	"berth/core/text"
)

// Environment is what the run was measured on, as lines of text to paste: the
// machine's facts, then the servers'.
func Environment(r *result.Run, c *text.Catalogue) string { return View{}.Environment(r, c) }

// Environment is the same of what v shows.
func (v View) Environment(r *result.Run, c *text.Catalogue) string {
	p := v.page(r, c)
	var b strings.Builder
	section := func(id string, lines []string) {
		if len(lines) == 0 {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(p.T("h-"+id) + "\n" + strings.Join(lines, "\n") + "\n")
	}
	section("machine", keyed(p.Machine))
	var differing []string
	for _, row := range p.Differing.Rows {
		for i, cell := range row[1:] {
			if cell != "" {
				differing = append(differing, row[0]+", "+p.Differing.Head[i+1]+": "+cell)
			}
		}
	}
	section("differing", differing)
	section("servers", keyed(p.Servers))
	section("durability", p.Durability)
	return b.String()
}

func keyed(pairs []pair) []string {
	var out []string
	for _, x := range pairs {
		out = append(out, x.Key+": "+x.Value)
	}
	return out
}

// Method is how the run was measured and what its figures mean, as text to paste.
func Method(r *result.Run, c *text.Catalogue) string {
	return strings.Join(newPage(r, c).Method, "\n") + "\n"
}

// SummaryMarkdown is the table of results as Markdown.
func SummaryMarkdown(r *result.Run, c *text.Catalogue) string { return View{}.SummaryMarkdown(r, c) }

// SummaryMarkdown is the same of what v shows.
func (v View) SummaryMarkdown(r *result.Run, c *text.Catalogue) string {
	return v.page(r, c).Summary.markdown()
}

// SummaryTable has the cells of that table under their headings.
func (v View) SummaryTable(r *result.Run, c *text.Catalogue) (head []string, rows [][]string) {
	t := v.page(r, c).Summary
	return t.Head, t.Rows
}

func (t table) markdown() string {
	var b strings.Builder
	m := markdown{out: bufio.NewWriter(&b)}
	m.rows(t)
	m.out.Flush() // a strings.Builder refuses nothing
	return b.String()
}

// SummaryTSV is the table of results with a tab between cells, as spreadsheets
// take it from the clipboard. A cell that they would take for a formula is text.
func SummaryTSV(r *result.Run, c *text.Catalogue) string { return View{}.SummaryTSV(r, c) }

// SummaryTSV is the same of what v shows.
func (v View) SummaryTSV(r *result.Run, c *text.Catalogue) string { return v.page(r, c).Summary.tsv() }

func (t table) tsv() string {
	var b strings.Builder
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(cell), " ")
			if !t.Numbers[i] {
				cells[i] = result.AsText(cells[i])
			}
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}
