//go:build !headless

package window

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

// present shows d in a width and height that it may exceed. Escape dismisses it, as Cancel would:
// Fyne itself closes dialogs by their buttons alone.
func (w *window) present(d dialog.Dialog, size fyne.Size) {
	w.dialogs = append(w.dialogs, d)
	d.SetOnClosed(func() {
		w.dialogs = slices.DeleteFunc(w.dialogs, func(other dialog.Dialog) bool { return other == d })
	})
	d.Show()
	d.Resize(size)
	w.win.Canvas().Unfocus()
}

// dismiss closes the dialog that was opened last, and says whether there was one.
func (w *window) dismiss() bool {
	n := len(w.dialogs)
	if n > 0 {
		w.dialogs[n-1].Dismiss()
	}
	return n > 0
}

// showError shows err as the sentence that it is, with a button that copies it.
func (w *window) showError(err error) {
	sentence := w.words.Error(err)
	label := widget.NewLabel(sentence)
	label.Wrapping = fyne.TextWrapWord
	label.Selectable = true
	d := dialog.NewCustomWithoutButtons(w.t("error"), label, w.win)
	ok := widget.NewButton(w.t("ok"), d.Hide)
	ok.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{w.copyButton(func() string { return sentence }), ok})
	w.present(d, fyne.NewSize(560, 0))
}

// confirm asks before yes is done. The arguments are ids of messages.
func (w *window) confirm(title, question, yes string, do func()) {
	w.ask(title, w.t(question), yes, do)
}

// ask asks a question in words before do is done; title and yes are ids of messages.
func (w *window) ask(title, question, yes string, do func()) {
	label := widget.NewLabel(question)
	label.Wrapping = fyne.TextWrapWord
	d := dialog.NewCustomConfirm(w.t(title), w.t(yes), w.t("cancel"), label, func(ok bool) {
		if ok {
			do()
		}
	}, w.win)
	w.present(d, fyne.NewSize(460, 0))
}

// fillIn shows a form in a dialog, with Cancel and a button that does it; the dialog closes
// when do returns true. title and yes are ids of messages. It returns that button, and what closes the dialog.
func (w *window) fillIn(title, yes string, form fyne.CanvasObject, size fyne.Size, do func() bool) (button *widget.Button, hide func()) {
	d := dialog.NewCustomWithoutButtons(w.t(title), form, w.win)
	ok := widget.NewButton(w.t(yes), func() {
		if do() {
			d.Hide()
		}
	})
	ok.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{widget.NewButton(w.t("cancel"), d.Hide), ok})
	w.present(d, size)
	return ok, d.Hide
}

// copyButton copies what text returns when it is pressed.
func (w *window) copyButton(text func() string) *widget.Button {
	return widget.NewButton(w.t("copy"), func() { w.app.Clipboard().SetContent(text()) })
}

// A line is an entry of a dialog: Escape in it dismisses the dialog, and the window's keys go through.
type line struct {
	widget.Entry
	w *window
}

func (w *window) newLine(text, example string) *line {
	l := &line{w: w}
	l.ExtendBaseWidget(l)
	l.SetText(text)
	l.SetPlaceHolder(example)
	return l
}

// newParagraph is a line that takes several.
func (w *window) newParagraph(text string, rows int) *line {
	l := w.newLine(text, "")
	l.MultiLine = true
	l.Wrapping = fyne.TextWrapWord
	l.SetMinRowsVisible(rows)
	return l
}

func (l *line) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyEscape && l.w.dismiss() {
		return
	}
	l.Entry.TypedKey(e)
}
