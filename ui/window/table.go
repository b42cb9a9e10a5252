//go:build !headless

package window

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
)

// A grid is a table whose columns are as wide as what stands in them. Columns
// with nothing in them are left out; those of numbers stand to the right.
type grid struct {
	widget.Table
	columns []string
	rows    [][]string
	numbers []bool // by column
}

func newGrid() *grid {
	g := &grid{}
	g.Length = func() (int, int) { return len(g.rows), len(g.columns) }
	g.CreateCell = func() fyne.CanvasObject {
		l := widget.NewLabel("")
		l.Truncation = fyne.TextTruncateEllipsis
		return l
	}
	g.UpdateCell = func(id widget.TableCellID, o fyne.CanvasObject) {
		g.fill(o.(*widget.Label), id.Col, g.rows[id.Row][id.Col])
	}
	g.ShowHeaderRow = true
	g.CreateHeader = func() fyne.CanvasObject {
		return widget.NewLabelWithStyle("", fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	}
	g.UpdateHeader = func(id widget.TableCellID, o fyne.CanvasObject) {
		g.fill(o.(*widget.Label), id.Col, g.columns[id.Col])
	}
	g.ExtendBaseWidget(g)
	return g
}

func (g *grid) fill(l *widget.Label, column int, text string) {
	l.Alignment = fyne.TextAlignLeading
	if g.numbers[column] {
		l.Alignment = fyne.TextAlignTrailing
	}
	l.SetText(text)
}

// show replaces columns and rows.
func (g *grid) show(columns []string, rows [][]string) {
	g.columns, g.rows, g.numbers = nil, make([][]string, len(rows)), nil
	for c, heading := range columns {
		width := fyne.MeasureText(heading, theme.TextSize(), fyne.TextStyle{Bold: true}).Width
		filled, number := false, true
		for _, row := range rows {
			width = max(width, fyne.MeasureText(row[c], theme.TextSize(), fyne.TextStyle{}).Width)
			filled = filled || row[c] != ""
			number = number && strings.Trim(row[c], "0123456789.,–") == ""
		}
		if !filled {
			continue
		}
		g.SetColumnWidth(len(g.columns), width+3*theme.InnerPadding())
		g.columns, g.numbers = append(g.columns, heading), append(g.numbers, number)
		for i, row := range rows {
			g.rows[i] = append(g.rows[i], row[c])
		}
	}
	g.Refresh()
}

// text is the grid as spreadsheets paste it: cells apart by tabs.
func (g *grid) text() string {
	lines := []string{strings.Join(g.columns, "\t")}
	for _, row := range g.rows {
		lines = append(lines, strings.Join(row, "\t"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// tableRows are what stats says, in letters, under their headings; the modes
// of one workload stand together.
func (s *results) tableRows() (columns []string, rows [][]string) {
	summary := stats.Summarize(s.run, s.reference)
	rps := "rps"
	if slices.ContainsFunc(summary, func(r result.SummaryRow) bool { return r.Service == plan.MySQL }) {
		rps = "rps-mysql" // which counts queries
	}
	for _, id := range []string{"test", "payload", "pipeline", "clients", "mode", rps, "rps-interval", "tps", "ratio",
		"ratio-interval", "verdict", "p50", "p99", "samples", "flags"} {
		columns = append(columns, s.w.t("column-"+id))
	}
	for _, l := range s.run.Plan.EveryWorkload() {
		for _, r := range summary {
			if r.Cell == l.Cell() && (s.payload == 0 || s.payload == r.PayloadBytes) {
				rows = append(rows, s.tableRow(r))
			}
		}
	}
	return columns, rows
}

func (s *results) tableRow(r result.SummaryRow) []string {
	load, verdict := s.run.Plan.Load(r.Load), ""
	if r.Service == plan.MySQL { // whose clients are threads, and which has neither payload nor pipeline
		load = plan.Load{Clients: s.run.Plan.OLTP(r.Load).Threads}
	}
	if r.Verdict != "" {
		verdict = s.w.t("verdict-" + r.Verdict)
	}
	return []string{
		s.testName(r), chosen(r.PayloadBytes, load.PayloadBytes), chosen(r.Pipeline, load.Pipelines), chosen(r.Clients, load.Clients),
		s.w.variantName(s.run, r.Variant),
		count(r.RPS), span(r.RPSLow, r.RPSHigh, count), count(r.TPS),
		ratio(r.Ratio), span(r.RatioLow, r.RatioHigh, ratio), verdict,
		milliseconds(r.P50), milliseconds(r.P99), strconv.Itoa(r.Samples), s.w.flagNames(r.Flags),
	}
}

// testName is the test's, with the load's name and the rate where the plan has several.
func (s *results) testName(r result.SummaryRow) string {
	name := r.Test
	if r.Load != "" {
		name = result.LoadName(r.Load, s.w.words) + ": " + name
	}
	if r.Rate > 0 {
		name += fmt.Sprintf(" (--rps %d)", r.Rate)
	}
	return name
}

// chosen writes n where the plan has several values; the chart's subtitle tells a single one.
func chosen(n int, of []int) string {
	if len(of) < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

// span writes an interval; nothing where it is not known.
func span(low, high *float64, write func(*float64) string) string {
	if low == nil || high == nil {
		return ""
	}
	return write(low) + "–" + write(high)
}

func count(v *float64) string {
	if v == nil {
		return ""
	}
	return thousands(*v)
}

func ratio(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

func milliseconds(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}
