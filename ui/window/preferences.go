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
	keyForm     = "form"     // as it was left
	keyLastRun  = "last-run" // as it was run last
	// keyReportLanguage is that of reports and of what is saved by "Save as"; "" is the window's.
	keyReportLanguage = "report-language"
	keyForExcel       = "for-excel" // tables are marked for Excel and WPS
	keyWidth          = "width"
	keyHeight         = "height"
)

// remembered is the form kept under key, if there is one.
func (w *window) remembered(key string) (form, bool) {
	var f form
	raw := w.app.Preferences().String(key)
	ok := raw != "" && json.Unmarshal([]byte(raw), &f) == nil
	return f, ok && len(f.Loads) > 0 && len(f.OLTPs) > 0 // which forms had not always
}

// rememberedForm is what was entered last; the first preset if there is nothing.
func (w *window) rememberedForm() form {
	if f, ok := w.remembered(keyForm); ok {
		return f
	}
	return formOf(plan.Presets()[0])
}

// remember keeps the entries under key; passwords are left out by their JSON tags.
func (w *window) remember(key string) {
	raw, err := json.Marshal(w.form)
	if err != nil {
		fyne.LogError("remember the form", err)
		return
	}
	w.app.Preferences().SetString(key, string(raw))
}

// The first size fits a screen of 1280 × 800 with a title bar and a panel on it.
const (
	firstWidth  = 1260
	firstHeight = 736
)

func (w *window) rememberedSize() fyne.Size {
	p := w.app.Preferences()
	return fyne.NewSize(
		float32(p.FloatWithFallback(keyWidth, firstWidth)),
		float32(p.FloatWithFallback(keyHeight, firstHeight)))
}

func (w *window) rememberSize() {
	size := w.win.Canvas().Size()
	w.app.Preferences().SetFloat(keyWidth, float64(size.Width))
	w.app.Preferences().SetFloat(keyHeight, float64(size.Height))
}
