package report

import (
	"bufio"
	"io"
	"strings"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// RunsTable has the cells of the table of several runs side by side under their headings:
// each variant that a later run has in common with the first, and its ratio to that.
func RunsTable(runs []*result.Run, c *text.Catalogue) (head []string, rows [][]string) {
	t := runsTable(runs, c)
	return t.Head, t.Rows
}

// RunsTSV is the same with a tab between cells, as spreadsheets take it from the clipboard.
func RunsTSV(runs []*result.Run, c *text.Catalogue) string { return runsTable(runs, c).tsv() }

func runsTable(runs []*result.Run, c *text.Catalogue) table {
	all := stats.Together(runs)
	return summaryTable(byWorkload(stats.SummarizeRuns(runs)), c, func(label string) string { return result.Name(all, label, c) })
}

// DifferencesTable lists what the runs do not have in common, a column a run; it has no rows
// where nothing differs.
func DifferencesTable(runs []*result.Run, c *text.Catalogue) (head []string, rows [][]string) {
	t := differencesTable(runs, c)
	return t.Head, t.Rows
}

func differencesTable(runs []*result.Run, c *text.Catalogue) table {
	t := table{Head: []string{c.T("report.fact")}, Numbers: make([]bool, 1+len(runs))}
	for _, r := range runs {
		t.Head = append(t.Head, r.ID)
	}
	for _, d := range stats.RunDifferences(runs) {
		t.Rows = append(t.Rows, append([]string{d.Key}, d.Values...))
	}
	return t
}

// RunsMarkdown writes the comparison of several runs as Markdown: what differs between them,
// what was found, and the table.
func RunsMarkdown(w io.Writer, runs []*result.Run, c *text.Catalogue) error {
	m := markdown{out: bufio.NewWriter(w), p: &page{c: c}}
	var ids, found []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	for _, f := range RunFindings(runs) {
		found = append(found, f.Text(c))
	}
	m.line("# " + escape(c.T("report.runs-title", text.Args{"Runs": strings.Join(ids, ", ")})))
	m.table("runs-differing", differencesTable(runs, c))
	m.list("findings", found)
	m.table("summary", runsTable(runs, c))
	return m.out.Flush()
}
