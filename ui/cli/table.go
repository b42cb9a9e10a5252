package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/width"

	"berth/core/report"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// printRun prints what a run measured: a table of throughput for each payload
// (and pipeline and number of clients), then the findings.
func (t *terminal) printRun(r *result.Run) {
	rows := stats.Summarize(r, "")
	flagged := false
	for _, load := range loads(rows) {
		fmt.Fprintln(t.out, t.words.T("cli.table", text.Args{
			"Payload": load.payload, "Pipeline": load.pipeline, "Clients": load.clients, "Reference": rows[0].Reference}))
		fmt.Fprintln(t.out)
		cells, marked := throughput(rows, load, t.words.T("cli.test"))
		writeCells(t.out, cells)
		fmt.Fprintln(t.out)
		flagged = flagged || marked
	}
	if flagged {
		fmt.Fprintln(t.out, t.words.T("cli.flagged", text.Args{"File": samplesFile}))
		fmt.Fprintln(t.out)
	}
	for _, f := range report.Findings(r, "") {
		fmt.Fprintf(t.out, "- %s\n", f.Text(t.words))
	}
}

// A load is what the rows of one table have in common.
type load struct{ payload, pipeline, clients int }

func loadOf(row result.SummaryRow) load { return load{row.PayloadBytes, row.Pipeline, row.Clients} }

func loads(rows []result.SummaryRow) []load {
	var all []load
	for _, row := range rows {
		if !slices.Contains(all, loadOf(row)) {
			all = append(all, loadOf(row))
		}
	}
	return all
}

// throughput is the table of one load: a line for each test, a column for each variant,
// requests a second and in brackets the ratio to the reference. marked says
// that a cell has a "*", for a flag.
func throughput(rows []result.SummaryRow, of load, corner string) (cells [][]string, marked bool) {
	var tests, variants []string
	byCell := map[[2]string]result.SummaryRow{}
	for _, row := range rows {
		if loadOf(row) != of {
			continue
		}
		if !slices.Contains(tests, row.Test) {
			tests = append(tests, row.Test)
		}
		if !slices.Contains(variants, row.Variant) {
			variants = append(variants, row.Variant)
		}
		byCell[[2]string{row.Test, row.Variant}] = row
	}
	cells = append(cells, append([]string{corner}, variants...))
	for _, test := range tests {
		line := []string{test}
		for _, variant := range variants {
			row, ok := byCell[[2]string{test, variant}]
			if !ok || row.RPS == nil {
				line = append(line, "")
				continue
			}
			cell := grouped(*row.RPS)
			if row.Ratio != nil && row.Variant != row.Reference {
				cell += fmt.Sprintf(" (%.2f)", *row.Ratio)
			}
			if len(row.Flags) > 0 {
				cell += "*"
				marked = true
			}
			line = append(line, cell)
		}
		cells = append(cells, line)
	}
	return cells, marked
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
