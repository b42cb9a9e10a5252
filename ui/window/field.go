//go:build !headless

package window

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// A field is an entry that fills a text of the form as it is typed, is marked
// when it holds the form's fault, and lets the window's keys through.
type field struct {
	widget.Entry
	keys *fyne.ShortcutHandler // the window's
}

func (s *setup) newField(into *string, example string) *field {
	f := &field{keys: &s.w.keys}
	f.ExtendBaseWidget(f)
	f.AlwaysShowValidationError = true
	f.SetText(*into)
	f.SetPlaceHolder(example)
	f.OnChanged = func(typed string) {
		*into = typed
		s.changed()
	}
	return f
}

// TypedShortcut does what the entry knows; the rest, Ctrl+R among it, is the
// window's: Fyne gives it to the focused object only.
func (f *field) TypedShortcut(s fyne.Shortcut) {
	f.Entry.TypedShortcut(s)
	f.keys.TypedShortcut(s)
}
