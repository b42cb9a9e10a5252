//go:build !headless

package window

import (
	"context"
	"path/filepath"
	"slices"
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
	"berth/core/text"
)

// historyButton opens the list of the kept runs.
func (w *window) historyButton() fyne.CanvasObject {
	return widget.NewButtonWithIcon(w.t("history"), theme.HistoryIcon(), w.showHistory)
}

// showHistory lists the kept runs, the newest first; a click opens one, ticks choose those to compare.
func (w *window) showHistory() {
	logs := w.core.Kept()
	w.beside(func(context.Context) {
		rows := make([]historyRow, len(logs))
		for i, log := range logs {
			rows[i] = w.historyRow(log)
		}
		w.do(func() {
			if w.running == nil {
				w.listHistory(rows)
			}
		})
	})
}

// A historyRow is a kept run in the list: what it is called and when it was, and below what was measured.
type historyRow struct{ log, title, what string }

func (w *window) historyRow(log string) historyRow {
	row := historyRow{log: log, title: w.runTitle(filepath.Base(filepath.Dir(log)))}
	o, err := w.core.Outline(log)
	if err != nil {
		row.what = w.words.Error(err)
		return row
	}
	if o.Title != "" {
		row.title = o.Title + "  ·  " + row.title
	}
	var modes, tests []string
	for _, v := range o.Plan.Variants {
		modes = append(modes, result.Name(&result.Run{}, v.Label, w.words))
	}
	for _, work := range o.Plan.EveryWorkload() {
		if !slices.Contains(tests, work.Test) {
			tests = append(tests, work.Test)
		}
	}
	comma := w.words.T("figure.comma")
	row.what = w.words.N("window.history-row", o.Samples, text.Args{"Modes": strings.Join(modes, comma), "Tests": strings.Join(tests, comma)})
	return row
}

// listHistory shows rows.
func (w *window) listHistory(rows []historyRow) {
	ticked := map[string]bool{}
	var d *dialog.CustomDialog
	compare := widget.NewButton(w.t("compare-runs"), func() {
		var chosen []string
		for _, row := range slices.Backward(rows) { // the oldest first: it is what the others are compared with
			if ticked[row.log] {
				chosen = append(chosen, row.log)
			}
		}
		d.Hide()
		w.compareRuns(chosen)
	})
	compare.Importance = widget.HighImportance
	compare.Disable()
	list := widget.NewList(
		func() int { return len(rows) },
		func() fyne.CanvasObject {
			title, what := widget.NewLabel(""), widget.NewLabel("")
			what.Importance = widget.LowImportance
			for _, l := range []*widget.Label{title, what} {
				l.Truncation = fyne.TextTruncateEllipsis
			}
			return container.NewBorder(nil, nil, container.NewCenter(widget.NewCheck("", nil)), nil, container.New(layout.NewCustomPaddedVBoxLayout(-theme.Padding()*3), title, what))
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			row, shown := rows[i], o.(*fyne.Container)
			lines := shown.Objects[0].(*fyne.Container).Objects
			lines[0].(*widget.Label).SetText(row.title)
			lines[1].(*widget.Label).SetText(row.what)
			tick := shown.Objects[1].(*fyne.Container).Objects[0].(*widget.Check) // a stretched one is hit above its middle only
			tick.OnChanged = nil                                                  // the row may have shown another run
			tick.SetChecked(ticked[row.log])
			tick.OnChanged = func(on bool) {
				if ticked[row.log] = on; !on {
					delete(ticked, row.log)
				}
				if len(ticked) >= 2 {
					compare.Enable()
				} else {
					compare.Disable()
				}
				w.win.Canvas().Unfocus() // a focused tick would keep Escape for itself
			}
		})
	hint := "history-hint"
	if len(rows) == 0 {
		hint = "history-empty"
	}
	d = dialog.NewCustomWithoutButtons(w.t("history-title"), container.NewBorder(note(w.t(hint)), nil, nil, nil, list), w.win)
	list.OnSelected = func(i widget.ListItemID) {
		d.Hide()
		w.openRun(rows[i].log, true)
	}
	read := widget.NewButton(w.t("import"), func() {
		d.Hide()
		w.showImport()
	})
	d.SetButtons([]fyne.CanvasObject{widget.NewButton(w.t("close"), d.Hide), read, compare})
	w.present(d, fyne.NewSize(760, 560))
}

// compareRuns replays the logs at paths beside the window and shows the runs side by side.
func (w *window) compareRuns(paths []string) {
	w.beside(func(context.Context) {
		var runs []*result.Run
		for _, path := range paths {
			r, err := w.core.Open(path)
			if err != nil {
				w.do(func() { w.showError(text.Err("window.open-failed", text.Args{"Path": path}, err)) })
				return
			}
			runs = append(runs, r)
		}
		w.do(func() {
			if w.running == nil {
				w.showCompared(runs)
			}
		})
	})
}

// runTitle reads a run's ID, "20261130-202551-quick-1f3a", out for people: preset and local time.
func (w *window) runTitle(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) < 4 {
		return id
	}
	at, err := time.Parse("20060102-150405", parts[0]+"-"+parts[1])
	if err != nil {
		return id
	}
	name := strings.Join(parts[2:len(parts)-1], "-")
	return w.presetName(plan.Plan{Name: name}) + "  ·  " + at.Local().Format("2006-01-02 15:04:05")
}

// openRun replays the log at path beside the window and shows its results. A run that nobody
// asked for, the last one at the start, does not complain.
func (w *window) openRun(path string, asked bool) {
	w.beside(func(context.Context) {
		r, err := w.core.Open(path)
		w.do(func() {
			switch {
			case err == nil && w.running == nil && (asked || len(r.Samples) > 0):
				w.showResults(r)
			case err != nil && asked:
				w.showError(text.Err("window.open-failed", text.Args{"Path": path}, err))
			}
		})
	})
}
