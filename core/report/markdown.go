package report

import (
	"bufio"
	"io"
	"strings"

	"berth/core/result"
	"berth/core/text"
)

// Markdown writes the report as Markdown. Its pictures are the files that Folder
// writes beside it.
func Markdown(w io.Writer, r *result.Run, c *text.Catalogue) error {
	return View{}.Document(w, FormatMarkdown, r, c)
}

func writeMarkdown(w io.Writer, p *page) error {
	m := markdown{out: bufio.NewWriter(w), p: p}
	m.page()
	return m.out.Flush() // which has the first error of all writes
}

// markdown writes a page; errors of out wait for its Flush.
type markdown struct {
	out *bufio.Writer
	p   *page
}

func (m markdown) page() {
	p := m.p
	m.line("# " + escape(p.Title))
	m.paragraph(escape(p.Caption))
	m.paragraph(escape(p.Made))
	m.list("findings", p.Findings)
	m.figures()
	m.list("warnings", p.Warnings)
	m.list("failures", p.Failures)
	m.table("summary", p.Summary)
	m.table("comparisons", p.Comparisons)
	m.table("baseline", p.Baseline)
	m.pairs("machine", p.Machine)
	m.table("differing", p.Differing)
	m.pairs("servers", p.Servers)
	m.list("durability", p.Durability)
	m.commands()
	m.list("method", p.Method)
	m.pairs("flags", p.Flags)
	if p.Note != "" {
		m.heading("note")
		m.line(escape(p.Note))
	}
}

func (m markdown) line(s string) { m.out.WriteString(s + "\n") }

func (m markdown) paragraph(s string) {
	if s != "" {
		m.line("\n" + s)
	}
}

func (m markdown) heading(id string) { m.line("\n## " + m.p.T("h-"+id) + "\n") }

func (m markdown) list(id string, items []string) {
	if len(items) == 0 {
		return
	}
	m.heading(id)
	for _, s := range items {
		m.line("- " + escape(s))
	}
}

func (m markdown) figures() {
	for _, d := range m.p.Figures {
		if d.Missing != "" {
			m.paragraph(escape(d.Missing))
			continue
		}
		m.paragraph("![" + escape(d.Alt) + "](" + d.Name + ".png)")
	}
}

func (m markdown) pairs(id string, pairs []pair) {
	t := table{Head: []string{m.p.T("fact"), m.p.T("value")}, Numbers: []bool{false, false}}
	for _, x := range pairs {
		t.Rows = append(t.Rows, []string{x.Key, x.Value})
	}
	m.table(id, t)
}

func (m markdown) table(id string, t table) {
	if len(t.Rows) == 0 {
		return
	}
	m.heading(id)
	m.rows(t)
}

func (m markdown) rows(t table) {
	m.row(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
		if t.Numbers[i] {
			rule[i] = "---:"
		}
	}
	m.line("| " + strings.Join(rule, " | ") + " |")
	for _, row := range t.Rows {
		m.row(row)
	}
}

func (m markdown) row(cells []string) {
	escaped := make([]string, len(cells))
	for i, s := range cells {
		escaped[i] = escape(s)
	}
	m.line("| " + strings.Join(escaped, " | ") + " |")
}

func (m markdown) commands() {
	if len(m.p.Commands) == 0 {
		return
	}
	m.heading("commands")
	for i, x := range m.p.Commands {
		if i > 0 {
			m.line("")
		}
		m.line(escape(x.Variant) + "\n")
		m.code(x.Lines)
	}
	if len(m.p.Anywhere) > 0 {
		m.line("\n" + escape(m.p.T("anywhere")) + "\n")
		m.code(m.p.Anywhere)
	}
}

func (m markdown) code(lines []string) {
	code := strings.Join(lines, "\n")
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	m.line(fence + "sh\n" + code + "\n" + fence)
}

// special are the characters that could make markup of text within a line.
const special = "\\`*_[]<>|&~"

// escape makes one line of text that Markdown shows as it is, names from files
// included: no markup, no HTML, no cell of a table ended early.
func escape(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	var b strings.Builder
	for i, r := range s {
		if strings.ContainsRune(special, r) || i == 0 && strings.ContainsRune("#+-=!", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
