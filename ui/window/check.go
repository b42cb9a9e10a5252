//go:build !headless

package window

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
)

// checkButton offers to check by redis-benchmark what limited this run; nothing where it has nothing that
// redis-benchmark can be given too.
func (s *results) checkButton() fyne.CanvasObject {
	_, _, limited, ok := run.ToCheck(s.kept)
	if !ok {
		return container.NewWithoutLayout()
	}
	id := "check-ask"
	if limited > 0 {
		id = "check-limited"
	}
	b := widget.NewButtonWithIcon(s.w.t("check"), theme.SearchIcon(), s.openCheck)
	return container.NewVBox(widget.NewSeparator(), container.NewBorder(nil, nil, nil, container.NewCenter(b), note(s.w.t(id))))
}

// A checking is the dialog that checks a mode and a workload.
type checking struct {
	s        *results
	mode     string // label
	work     plan.Workload
	works    []plan.Workload // that mode can be checked under
	workList *widget.Select
	said     *widget.Label
	outcome  *fyne.Container
	start    *widget.Button
	cancel   context.CancelFunc // of what goes on; nil while nothing does
	checked  *run.Checked
}

// openCheck opens the dialog, on what a check says most of.
func (s *results) openCheck() {
	c := &checking{s: s, said: widget.NewLabel(""), outcome: container.NewVBox()}
	c.mode, c.work, _, _ = run.ToCheck(s.kept)
	c.said.Wrapping = fyne.TextWrapWord
	c.said.Selectable = true
	var labels, names []string
	chosen := 0
	for _, label := range result.Order(s.kept) {
		if len(run.Checkable(s.kept, label)) > 0 {
			if label == c.mode {
				chosen = len(labels)
			}
			labels, names = append(labels, label), append(names, s.w.variantName(s.kept, label))
		}
	}
	c.workList = widget.NewSelect(nil, nil)
	modes := choice(names, chosen, func(i int) {
		c.mode = labels[i]
		c.fillWorks()
	})
	c.fillWorks()
	form := container.New(layout.NewFormLayout(), widget.NewLabel(s.w.t("modes")), modes, widget.NewLabel(s.w.t("entry-tests")), c.workList)
	d := dialog.NewCustomWithoutButtons(s.w.t("check-title"), container.NewVBox(note(s.w.t("check-what")), form, c.said, c.outcome), s.w.win)
	c.start = widget.NewButton(s.w.t("check-start"), c.press)
	c.start.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{s.w.copyButton(c.text), widget.NewButton(s.w.t("close"), d.Hide), c.start})
	s.w.present(d, fyne.NewSize(620, 440))
	closed := func() {
		if c.cancel != nil {
			c.cancel()
		}
	}
	d.SetOnClosed(closed)
}

// fillWorks lists the workloads of the chosen mode, the one that was chosen before on top if it is there.
func (c *checking) fillWorks() {
	c.works = run.Checkable(c.s.kept, c.mode)
	var names []string
	at := 0
	for i, w := range c.works {
		names = append(names, c.s.w.workName(w))
		if w == c.work {
			at = i
		}
	}
	c.work = c.works[at]
	c.workList.OnChanged = nil
	c.workList.SetOptions(names)
	c.workList.SetSelectedIndex(at)
	c.workList.OnChanged = func(string) { c.work = c.works[max(0, c.workList.SelectedIndex())] }
}

// press starts a check, or stops the one that goes on.
func (c *checking) press() {
	if c.cancel != nil {
		c.cancel()
		return
	}
	w := c.s.w
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(w.ctx)
	c.start.SetText(w.t("check-stop"))
	c.outcome.RemoveAll()
	c.checked = nil
	mode, work := c.mode, c.work
	w.beside(func(context.Context) {
		checked, err := w.core.Check(ctx, c.s.kept, mode, work, w.words.Lang(), func(doing string) {
			w.do(func() { c.said.SetText(doing) })
		})
		w.do(func() { c.ended(checked, err) })
	})
}

// ended shows what was found, or why nothing was.
func (c *checking) ended(checked *run.Checked, err error) {
	w := c.s.w
	c.cancel()
	c.cancel = nil
	c.start.SetText(w.t("check-start"))
	switch {
	case errors.Is(err, context.Canceled):
		c.said.SetText(w.t("check-stopped"))
		return
	case err != nil:
		c.said.SetText(w.words.Error(err))
		return
	}
	c.checked = checked
	c.said.SetText(checked.Text(w.words, w.variantName(c.s.kept, checked.Variant)))
	columns, rows := c.table()
	grid := container.NewGridWithColumns(len(columns))
	for i, heading := range columns {
		grid.Add(cellOf(heading, i, true))
	}
	for _, row := range rows {
		for i, cell := range row {
			grid.Add(cellOf(cell, i, false))
		}
	}
	c.outcome.Add(grid)
}

func cellOf(s string, column int, bold bool) *widget.Label {
	align := fyne.TextAlignTrailing
	if column == 0 {
		align = fyne.TextAlignLeading
	}
	l := widget.NewLabelWithStyle(s, align, fyne.TextStyle{Bold: bold})
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// table has both tools' figures side by side.
func (c *checking) table() (columns []string, rows [][]string) {
	w, t := c.s.w, c.checked
	columns = []string{"", "Berth", "redis-benchmark"}
	row := func(id string, of func(run.Tool) string) {
		rows = append(rows, []string{w.t(id), of(t.Berth), of(t.Benchmark)})
	}
	row("metric-rps", func(x run.Tool) string {
		return thousands(x.RPS) + " (" + thousands(x.Least) + "–" + thousands(x.Most) + ")"
	})
	row("check-client", func(x run.Tool) string { return percentOf(x.ClientCPU) })
	row("check-each", func(x run.Tool) string { return microseconds(x.PerRequest) })
	row("check-server", func(x run.Tool) string { return percentOf(x.ServerCPU) })
	if t.Berth.ProxyCPU != nil {
		row("check-proxy", func(x run.Tool) string { return percentOf(x.ProxyCPU) })
	}
	row("check-limit", func(x run.Tool) string { return w.words.T("run.limit-" + x.Bottleneck) })
	return columns, rows
}

// percentOf writes CPU in percent of one core; nothing where it is not known.
func percentOf(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', 0, 64) + "%"
}

func microseconds(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return strconv.FormatFloat(float64(d)/float64(time.Microsecond), 'f', 2, 64)
}

// text is what was found, to paste.
func (c *checking) text() string {
	lines := []string{c.said.Text}
	if c.checked != nil {
		columns, rows := c.table()
		for _, row := range append([][]string{columns}, rows...) {
			lines = append(lines, strings.Join(row, "\t"))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}
