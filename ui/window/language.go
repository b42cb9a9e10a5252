//go:build !headless

package window

import (
	"encoding/json"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"berth/core/text"
)

// languageNames are how each of text.Languages calls itself.
var languageNames = []string{"English", "简体中文", "繁體中文"}

// languageChooser is the switch in the header's corner.
func (w *window) languageChooser() fyne.CanvasObject {
	choose := widget.NewSelect(languageNames, nil)
	choose.SetSelectedIndex(slices.Index(text.Languages, w.words.Lang()))
	choose.OnChanged = func(string) { w.speak(text.Languages[choose.SelectedIndex()]) }
	if w.running != nil {
		choose.Disable() // a redraw of everything would disturb what is measured
	}
	return choose
}

// speak changes the window's language, and remembers it.
func (w *window) speak(language string) {
	w.words = text.For(language)
	w.app.Preferences().SetString(keyLanguage, language)
	w.speakFyne()
	w.win.SetTitle(w.t("title"))
	switch {
	case w.setup != nil:
		w.showSetup()
	case w.results != nil:
		w.results.show()
	case w.compared != nil:
		w.compared.show()
	}
}

// fyneWords are the texts of Fyne's own dialogs and menus.
var fyneWords = []string{
	"Cancel", "Confirm", "Copy", "Create Folder", "Cut", "Enter filename", "Error", "Favourites", "File",
	"Folder", "New Folder", "No", "OK", "Open", "Paste", "Quit", "Redo", "Save", "Select all",
	"Show Hidden Files", "Undo", "Yes", "file.name", "file.parent",
}

// speakFyne gives Fyne's own buttons the window's language. Fyne follows the
// system's locale only and has no zh-Hant, so the texts are registered under that locale's name.
func (w *window) speakFyne() {
	words := map[string]string{}
	for _, key := range fyneWords {
		words[key] = w.t("fyne." + key)
	}
	raw, err := json.Marshal(words)
	if err == nil {
		err = lang.AddTranslationsForLocale(raw, lang.SystemLocale())
	}
	if err != nil {
		fyne.LogError("translate Fyne's own buttons", err)
	}
}
