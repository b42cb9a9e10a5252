package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"berth/core/figure"
	"berth/core/plan"
	"berth/core/report"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// printRun prints what a run measured: a table of throughput for each payload
// (and pipeline and number of clients), then the findings.
func (t *terminal) printRun(r *result.Run) {
	rows := stats.Summarize(r, "")
	marks := figure.NewMarks(rows, r.Samples)
	for _, l := range loads(rows) {
		fmt.Fprintln(t.out, t.words.T("cli.table", l.args(rows, t.words)))
		fmt.Fprintln(t.out)
		writeCells(t.out, throughput(r, rows, l, marks, t.words))
		fmt.Fprintln(t.out)
	}
	if notes := marks.Notes(t.words); len(notes) > 0 {
		for _, note := range notes {
			fmt.Fprintln(t.out, note)
		}
		fmt.Fprintln(t.out)
	}
	for _, f := range report.Findings(r, "") {
		fmt.Fprintf(t.out, "- %s\n", f.Text(t.words))
	}
}

// A load is what the rows of one table have in common.
type load struct {
	service, name                    string
	payload, pipeline, clients, rate int
}

func loadOf(row result.SummaryRow) load {
	return load{row.Service, row.Load, row.PayloadBytes, row.Pipeline, row.Clients, row.Rate}
}

func (l load) mysql() bool { return l.service == plan.MySQL }

// args of the heading; the ratio is spoken of where there is one.
func (l load) args(rows []result.SummaryRow, words *text.Catalogue) text.Args {
	args := text.Args{"Name": result.LoadName(l.name, words), "Rate": l.rate, "MySQL": l.mysql(), "Payload": l.payload, "Pipeline": l.pipeline, "Clients": l.clients, "Reference": ""}
	for _, row := range rows {
		if loadOf(row) == l && row.Ratio != nil {
			args["Reference"] = row.Reference
		}
	}
	return args
}

func loads(rows []result.SummaryRow) []load {
	var all []load
	for _, row := range rows {
		if !slices.Contains(all, loadOf(row)) {
			all = append(all, loadOf(row))
		}
	}
	return all
}

// throughput is the table of one load: a line for each test in the plan's order, a column for each variant,
// requests a second and in brackets the ratio to the reference, with the marks of its
// flags, or why there is none. A test of MySQL's has a line of queries and one of transactions.
func throughput(r *result.Run, rows []result.SummaryRow, of load, marks *figure.Marks, words *text.Catalogue) [][]string {
	var tests, variants []string
	cellOf := map[string]plan.Cell{}
	byCell := map[[2]string]result.SummaryRow{}
	for _, row := range rows {
		if loadOf(row) != of {
			continue
		}
		if !slices.Contains(tests, row.Test) {
			tests, cellOf[row.Test] = append(tests, row.Test), row.Cell
		}
		if !slices.Contains(variants, row.Variant) {
			variants = append(variants, row.Variant)
		}
		byCell[[2]string{row.Test, row.Variant}] = row
	}
	// The first variant may lack a test that stands before its others.
	place := r.Plan.Place()
	slices.SortStableFunc(tests, func(a, b string) int { return cmp.Compare(place(cellOf[a]), place(cellOf[b])) })
	line := func(name, test string, write func(result.SummaryRow) string) []string {
		cells := []string{name}
		for _, variant := range variants {
			row, ok := byCell[[2]string{test, variant}]
			if !ok || row.RPS == nil {
				cells = append(cells, words.T(figure.Absent(r, variant, cellOf[test])))
				continue
			}
			cells = append(cells, write(row))
		}
		return cells
	}
	rate := func(row result.SummaryRow) string {
		cell := grouped(*row.RPS)
		if row.Ratio != nil && row.Variant != row.Reference {
			cell += fmt.Sprintf(" (%.2f)", *row.Ratio)
		}
		return cell + marks.Of(row.Flags)
	}
	transactions := func(row result.SummaryRow) string {
		if row.TPS == nil {
			return ""
		}
		return grouped(*row.TPS)
	}
	cells := [][]string{append([]string{words.T("cli.test")}, variants...)}
	for _, test := range tests {
		if !of.mysql() {
			cells = append(cells, line(test, test, rate))
			continue
		}
		cells = append(cells, line(words.T("cli.queries", text.Args{"Script": test}), test, rate),
			line(words.T("cli.transactions", text.Args{"Script": test}), test, transactions))
	}
	return cells
}

// writeCells writes a table with its first column to the left and the others
// to the right, two spaces apart.
func writeCells(w io.Writer, cells [][]string) {
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, cell := range line {
			widths[i] = max(widths[i], cellWidth(cell))
		}
	}
	for _, line := range cells {
		var b strings.Builder
		for i, cell := range line {
			room := strings.Repeat(" ", widths[i]-cellWidth(cell))
			if i == 0 {
				b.WriteString(cell + room)
			} else {
				b.WriteString("  " + room + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// cellWidth is how many cells of a terminal s takes: Chinese characters take two.
func cellWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cut is s in at most cells cells of a terminal.
func cut(s string, cells int) string {
	n := 0
	for i, r := range s {
		if n += runeWidth(r); n > cells {
			return s[:i]
		}
	}
	return s
}

// grouped writes a figure without decimals, its thousands separated: "55,200".
func grouped(x float64) string {
	digits := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}
