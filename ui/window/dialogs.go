//go:build !headless

package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"
)

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
	d.Resize(fyne.NewSize(560, 0))
	d.Show()
}

// tell shows a sentence about something done.
func (w *window) tell(title, sentence string) {
	label := widget.NewLabel(sentence)
	label.Wrapping = fyne.TextWrapBreak
	label.Selectable = true
	d := dialog.NewCustomWithoutButtons(title, label, w.win)
	d.SetButtons([]fyne.CanvasObject{widget.NewButton(w.t("ok"), d.Hide)})
	d.Resize(fyne.NewSize(560, 0))
	d.Show()
}

// confirm asks before yes is done. The arguments are ids of messages.
func (w *window) confirm(title, question, yes string, do func()) {
	w.ask(title, w.t(question), yes, do)
}

// ask is confirm with the question as a sentence.
func (w *window) ask(title, question, yes string, do func()) {
	label := widget.NewLabel(question)
	label.Wrapping = fyne.TextWrapWord
	d := dialog.NewCustomConfirm(w.t(title), w.t(yes), w.t("cancel"), label, func(ok bool) {
		if ok {
			do()
		}
	}, w.win)
	d.Resize(fyne.NewSize(460, 0))
	d.Show()
}

// copyButton copies what text returns when it is pressed.
func (w *window) copyButton(text func() string) *widget.Button {
	return widget.NewButton(w.t("copy"), func() { w.app.Clipboard().SetContent(text()) })
}
