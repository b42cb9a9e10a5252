//go:build !headless

package window

import (
	"encoding/json"

	"fyne.io/fyne/v2"

	"berth/core/plan"
)

// Keys of what is remembered from one time to the next.
const (
	keyLanguage = "language"
	keyForm     = "form"
	keyWidth    = "width"
	keyHeight   = "height"
)

// rememberedForm is what was entered last; the first preset if there is nothing.
func (w *window) rememberedForm() form {
	var f form
	raw := w.app.Preferences().String(keyForm)
	if raw == "" || json.Unmarshal([]byte(raw), &f) != nil {
		return formOf(plan.Presets()[0])
	}
	return f
}

// rememberForm keeps the entries; passwords are left out by their JSON tags.
func (w *window) rememberForm() {
	raw, err := json.Marshal(w.form)
	if err == nil {
		w.app.Preferences().SetString(keyForm, string(raw))
	}
}

func (w *window) rememberedSize() fyne.Size {
	p := w.app.Preferences()
	return fyne.NewSize(
		float32(p.FloatWithFallback(keyWidth, 1280)),
		float32(p.FloatWithFallback(keyHeight, 800)))
}

func (w *window) rememberSize() {
	size := w.win.Canvas().Size()
	w.app.Preferences().SetFloat(keyWidth, float64(size.Width))
	w.app.Preferences().SetFloat(keyHeight, float64(size.Height))
}
