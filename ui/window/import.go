//go:build !headless

package window

import (
	"context"
	"io"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"berth/core/ingest"
	"berth/core/text"
)

// showImport asks for what other tools printed, pasted or as a file, and shows it as a run.
func (w *window) showImport() {
	pasted := w.newParagraph("", 12)
	pasted.Wrapping = fyne.TextWrapOff
	pasted.SetPlaceHolder("$ redis-benchmark -q -d 100\nSET: 99403.58 requests per second")
	numbers := map[string]*line{}
	fields := container.New(layout.NewFormLayout())
	for _, entry := range []string{"payload_bytes", "pipelines", "clients", "requests"} {
		numbers[entry] = w.newLine("", w.t("import-unknown"))
		fields.Add(widget.NewLabel(w.t("entry-" + entry)))
		fields.Add(numbers[entry])
	}
	var hide func()
	read := func(f ingest.File) bool {
		given, err := w.given(numbers)
		if err != nil {
			w.showError(err)
			return false
		}
		w.importFile(f, given)
		return true
	}
	file := widget.NewButton(w.t("import-file"), func() {
		w.chooseText(func(f ingest.File) {
			if read(f) {
				hide()
			}
		})
	})
	form := container.NewBorder(container.NewBorder(nil, nil, nil, file, note(w.t("import-hint"))), container.NewVBox(note(w.t("import-given")), fields), nil, nil, pasted)
	_, hide = w.fillIn("import-title", "import-read", form, fyne.NewSize(760, 560), func() bool {
		return read(ingest.File{Name: w.t("import-pasted"), Text: []byte(pasted.Text)})
	})
}

// given are the numbers that were typed; an empty one is not known.
func (w *window) given(lines map[string]*line) (ingest.Given, error) {
	var g ingest.Given
	for entry, to := range map[string]func(int){
		"payload_bytes": func(n int) { g.PayloadBytes = n }, "pipelines": func(n int) { g.Pipeline = n }, "clients": func(n int) { g.Clients = n },
		"requests": func(n int) { g.Requests = int64(n) },
	} {
		typed := strings.TrimSpace(lines[entry].Text)
		if typed == "" {
			continue
		}
		n, err := strconv.Atoi(typed)
		if err != nil || n < 1 {
			return g, text.Err("window.import-number", text.Args{"Entry": w.t("entry-" + entry), "Typed": typed}, nil)
		}
		to(n)
	}
	return g, nil
}

// chooseText lets a file be chosen and gives what is in it.
func (w *window) chooseText(use func(ingest.File)) {
	w.present(dialog.NewFileOpen(func(in fyne.URIReadCloser, err error) {
		if err != nil || in == nil {
			return
		}
		defer in.Close()
		raw, err := io.ReadAll(io.LimitReader(in, ingest.MaxBytes+1)) // one more is too long, and said so
		if err != nil {
			w.showError(text.Err("window.open-failed", text.Args{"Path": in.URI().Path()}, err))
			return
		}
		use(ingest.File{Name: in.URI().Path(), Text: raw})
	}, w.win), fyne.NewSize(820, 560))
}

// importFile reads f in beside the window and shows the run that comes of it.
func (w *window) importFile(f ingest.File, given ingest.Given) {
	w.beside(func(context.Context) {
		r, err := w.core.Import([]ingest.File{f}, given)
		w.do(func() {
			switch {
			case err != nil:
				w.showError(err)
			case w.running == nil:
				w.showResults(r)
			}
		})
	})
}
