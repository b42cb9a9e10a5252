//go:build !headless

package window

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"berth/core/server"
	"berth/core/text"
)

// cleanUp removes, beside the window, what earlier Berths left that did not end by themselves. Where that
// needs the password of a server on which they left keys or tables, it asks; said is what came of the
// password before, "" the first time.
func (w *window) cleanUp(said string) {
	w.beside(func(ctx context.Context) {
		given := false
		_, err := w.core.Clean(ctx, func(e server.Endpoint) (string, bool) {
			password, ok := w.askPassword(ctx, e, said)
			given = given || ok
			return password, ok
		})
		// What else stays, an engine that does not answer say, each run tells when it begins.
		if refusal := server.PasswordRefusal(err); given && refusal != nil {
			w.do(func() { w.cleanUp(w.words.Error(refusal)) })
		}
	})
}

// askPassword asks the user for the password of e, and waits for the answer: the window shows the question,
// this goroutine is another. ok is false if the answer is "not now", or the window closes.
func (w *window) askPassword(ctx context.Context, e server.Endpoint, said string) (password string, ok bool) {
	answer := make(chan string, 1)
	w.do(func() { w.showPassword(e, said, answer) })
	select {
	case password, ok = <-answer:
		return password, ok
	case <-ctx.Done():
		return "", false
	}
}

// showPassword asks; what was typed goes to answer, which is closed without it for "not now".
func (w *window) showPassword(e server.Endpoint, said string, answer chan<- string) {
	why := widget.NewLabel(w.t("clean-why", text.Args{"Address": e.Address}))
	why.Wrapping = fyne.TextWrapWord
	box := container.NewVBox(why)
	if said != "" {
		refused := widget.NewLabel(said)
		refused.Wrapping = fyne.TextWrapWord
		refused.Importance = widget.DangerImportance
		box.Add(refused)
	}
	typed := w.newLine("", "")
	typed.Password = true
	form := container.New(layout.NewFormLayout(), widget.NewLabel(w.t("entry-password")), typed)
	if e.User != "" {
		form.Objects = append([]fyne.CanvasObject{widget.NewLabel(w.t("entry-user")), widget.NewLabel(e.User)}, form.Objects...)
	}
	box.Add(form)
	d := dialog.NewCustomWithoutButtons(w.t("clean-title"), box, w.win)
	sent := false
	send := func() {
		if typed.Text != "" && !sent {
			sent = true
			answer <- typed.Text
			d.Hide()
		}
	}
	typed.OnSubmitted = func(string) { send() }
	ok := widget.NewButton(w.t("clean-yes"), send)
	ok.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{widget.NewButton(w.t("clean-not-now"), d.Hide), ok})
	w.present(d, fyne.NewSize(520, 0))
	d.SetOnClosed(func() { close(answer) })
	w.win.Canvas().Focus(typed)
}
