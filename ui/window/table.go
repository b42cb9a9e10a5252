//go:build !headless

package window

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/result"
	"berth/core/stats"
)

// A grid is a table whose columns are as wide as what stands in them.
type grid struct {
	widget.Table
	columns []string
	rows    [][]string
}

func newGrid(columns []string) *grid {
	g := &grid{columns: columns}
	g.Length = func() (int, int) { return len(g.rows), len(g.columns) }
	g.CreateCell = func() fyne.CanvasObject {
		l := widget.NewLabel("")
		l.Truncation = fyne.TextTruncateEllipsis
		return l
	}
	g.UpdateCell = func(id widget.TableCellID, o fyne.CanvasObject) {
		o.(*widget.Label).SetText(g.rows[id.Row][id.Col])
	}
	g.ShowHeaderRow = true
	g.CreateHeader = func() fyne.CanvasObject {
		return widget.NewLabelWithStyle("", fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	}
	g.UpdateHeader = func(id widget.TableCellID, o fyne.CanvasObject) {
		o.(*widget.Label).SetText(g.columns[id.Col])
	}
	g.ExtendBaseWidget(g)
	return g
}

// show replaces the rows.
func (g *grid) show(rows [][]string) {
	g.rows = rows
	size, pad := theme.TextSize(), 4*theme.InnerPadding()
	for c := range g.columns {
		width := fyne.MeasureText(g.columns[c], size, fyne.TextStyle{Bold: true}).Width
		for _, row := range rows {
			width = max(width, fyne.MeasureText(row[c], size, fyne.TextStyle{}).Width)
		}
		g.SetColumnWidth(c, width+pad/2)
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

// tableColumns are the headings of the results' table.
func (s *results) tableColumns() []string {
	var names []string
	for _, id := range []string{"test", "payload", "pipeline", "clients", "mode", "rps", "rps-interval", "ratio",
		"ratio-interval", "verdict", "p50", "p99", "samples", "flags"} {
		names = append(names, s.w.t("column-"+id))
	}
	return names
}

// tableRows are what stats says, in letters.
func (s *results) tableRows() [][]string {
	var rows [][]string
	for _, r := range stats.Summarize(s.run, s.reference) {
		if s.payload == 0 || s.payload == r.PayloadBytes {
			rows = append(rows, s.tableRow(r))
		}
	}
	return rows
}

func (s *results) tableRow(r result.SummaryRow) []string {
	verdict := ""
	if r.Verdict != "" {
		verdict = s.w.t("verdict-" + r.Verdict)
	}
	return []string{
		r.Test, strconv.Itoa(r.PayloadBytes), strconv.Itoa(r.Pipeline), strconv.Itoa(r.Clients),
		s.w.variantName(s.run, r.Variant),
		count(r.RPS), span(r.RPSLow, r.RPSHigh, count),
		ratio(r.Ratio), span(r.RatioLow, r.RatioHigh, ratio), verdict,
		milliseconds(r.P50), milliseconds(r.P99), strconv.Itoa(r.Samples), strings.Join(r.Flags, ";"),
	}
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
