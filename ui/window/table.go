//go:build !headless

package window

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
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

// inWords writes the flags of the report's table, which are in its last column, in words.
func (w *window) inWords(columns []string, rows [][]string) ([]string, [][]string) {
	for _, row := range rows {
		if last := len(row) - 1; last >= 0 && row[last] != "" {
			row[last] = w.flagNames(strings.Split(row[last], ", "))
		}
	}
	return columns, rows
}
