//go:build !headless

package window

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/text"
)

// historyButton opens the list of the kept runs.
func (w *window) historyButton() fyne.CanvasObject {
	return widget.NewButtonWithIcon(w.t("history"), theme.HistoryIcon(), w.showHistory)
}

// showHistory lists the kept runs, the newest first; a click opens one.
func (w *window) showHistory() {
	logs := w.core.Kept()
	if len(logs) == 0 {
		w.tell(w.t("history-title"), w.t("history-empty"))
		return
	}
	list := widget.NewList(
		func() int { return len(logs) },
		func() fyne.CanvasObject { return widget.NewLabel("") },
		func(i widget.ListItemID, o fyne.CanvasObject) {
			o.(*widget.Label).SetText(w.runTitle(filepath.Base(filepath.Dir(logs[i]))))
		})
	d := dialog.NewCustom(w.t("history-title"), w.t("close"), list, w.win)
	list.OnSelected = func(i widget.ListItemID) {
		d.Hide()
		w.openRun(logs[i], true)
	}
	d.Resize(fyne.NewSize(520, 480))
	d.Show()
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
