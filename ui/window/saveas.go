//go:build !headless

package window

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/text"
)

// Sizes of a picture in the dialog: as high as it needs at twice the pixels, those with a name
// of their own, and any.
const (
	sizeFitting = "fitting"
	sizeOwn     = "own"
)

// saveAs opens the dialog that asks what to save, how, and where.
func (s saver) saveAs(exports []export, folder string) {
	w := s.w
	names := make([]string, len(exports))
	for i, e := range exports {
		names[i] = w.t(e.label)
	}
	where, name := w.newLine(folder, folder), w.newLine(exports[0].name, "")
	browse := widget.NewButtonWithIcon(w.t("browse"), theme.FolderOpenIcon(), func() { w.browse(where) })

	sizes := append([]string{sizeFitting}, append(figure.SizeNames(), sizeOwn)...)
	var sizeNames []string
	for _, size := range sizes {
		sizeNames = append(sizeNames, w.t("size-"+size))
	}
	width, height, scale := w.newLine("1280", "1280"), w.newLine("0", "0"), w.newLine("2", "2")
	own := container.NewHBox(fixedWidth(76, width), widget.NewLabel("×"), fixedWidth(76, height),
		widget.NewLabel(w.t("scale")), fixedWidth(56, scale))
	size := choice(sizeNames, 0, func(i int) { shown(own, sizes[i] == sizeOwn) })
	own.Hide()

	languages := append([]string{""}, text.Languages...)
	languageChoices := append([]string{w.t("as-the-window")}, languageNames...)
	language := choice(languageChoices, slices.Index(languages, w.app.Preferences().String(keyReportLanguage)), func(i int) {
		w.app.Preferences().SetString(keyReportLanguage, languages[i])
	})
	excel := widget.NewCheck(w.t("for-excel"), func(on bool) {
		w.app.Preferences().SetBool(keyForExcel, on)
		w.win.Canvas().Unfocus()
	})
	excel.Checked = w.app.Preferences().Bool(keyForExcel)

	labels := map[string]*widget.Label{}
	label := func(id string) *widget.Label {
		labels[id] = widget.NewLabel(w.t(id))
		return labels[id]
	}
	chosen := 0
	var show func()
	what := choice(names, 0, func(i int) {
		chosen = i
		name.SetText(exports[i].name)
		show()
	})
	sizeRow := container.NewBorder(nil, nil, fixedWidth(230, size), nil, own)
	rows := container.New(layout.NewFormLayout(),
		label("save-what"), what,
		label("save-size"), sizeRow,
		label("save-language"), language,
		label("save-table"), excel,
		label("save-folder"), container.NewBorder(nil, nil, nil, browse, where),
		label("save-name"), name)
	show = func() {
		e := exports[chosen]
		for id, row := range map[string]struct {
			of  fyne.CanvasObject
			has bool
		}{"save-size": {sizeRow, e.drawn}, "save-language": {language, e.words && !e.table}, "save-table": {excel, e.table}} {
			shown(labels[id], row.has)
			shown(row.of, row.has)
		}
		labels["save-name"].SetText(w.t(map[bool]string{true: "save-name-folder", false: "save-name"}[e.into != nil]))
	}
	show()
	w.fillIn("save-as-title", "save", rows, fyne.NewSize(720, 380), func() bool {
		how := w.manner()
		var err error
		if how.size, err = sizeOf(sizes[size.SelectedIndex()], width.Text, height.Text, scale.Text); err != nil {
			w.showError(err)
			return false
		}
		e := exports[chosen]
		e.name = strings.TrimSpace(name.Text)
		folder := strings.TrimSpace(where.Text)
		if folder == "" || e.name == "" && e.into == nil || e.name != filepath.Base(e.name) && e.name != "" {
			w.showError(text.Err("window.bad-name", text.Args{"Name": e.name}, nil))
			return false
		}
		s.save(folder, how, nil, e)
		return true
	})
}

func shown(o fyne.CanvasObject, is bool) {
	if is {
		o.Show()
	} else {
		o.Hide()
	}
}

// sizeOf is a size by its name, or as it was typed.
func sizeOf(name, width, height, scale string) (figure.Options, error) {
	if name == sizeFitting {
		return figure.Options{Scale: 2}, nil
	}
	if o, ok := (figure.Options{}).Sized(name); ok {
		return o, nil
	}
	w, errW := strconv.Atoi(strings.TrimSpace(width))
	h, errH := strconv.Atoi(strings.TrimSpace(height))
	x, errX := strconv.ParseFloat(strings.TrimSpace(scale), 64)
	o := figure.Options{Width: w, Height: h, Scale: x}
	if errW != nil || errH != nil || errX != nil {
		return o, text.Err("window.bad-size", text.Args{"Text": width + " × " + height + ", " + scale}, nil)
	}
	return o, nil
}

// browse puts the folder that the user points at into where.
func (w *window) browse(where *line) {
	d := dialog.NewFolderOpen(func(folder fyne.ListableURI, err error) {
		if err == nil && folder != nil {
			where.SetText(folder.Path())
		}
	}, w.win)
	if at, err := storage.ListerForURI(storage.NewFileURI(strings.TrimSpace(where.Text))); err == nil {
		d.SetLocation(at)
	}
	w.present(d, fyne.NewSize(820, 560))
}
