//go:build !headless

package window

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"berth/core/result"
)

// results is the window on a kept run.
type results struct {
	w   *window
	run *result.Run
}

func (w *window) showResults(r *result.Run) {
	s := &results{w: w, run: r}
	w.setup, w.running, w.results = nil, nil, s
	w.show(w.t("title"), container.NewVBox(widget.NewButton(w.t("edit-plan"), w.showSetup)))
}

func (s *results) savePNG() {}

func (w *window) openRun(path string, asked bool) {
	w.beside(func(context.Context) {
		r, err := w.core.Open(path)
		fyne.Do(func() {
			if err != nil {
				if asked {
					w.showError(err)
				}
				return
			}
			w.showResults(r)
		})
	})
}

func (w *window) historyButton() fyne.CanvasObject {
	return widget.NewButton(w.t("history"), func() {})
}
