//go:build !headless

// Package window is Berth's window: the plan as a form, the run while it goes
// on, and its results, in one window that shows one of the three. It computes
// nothing: counts and times come from plan, what was measured from run's events,
// statistics from stats, sentences from text, pictures from figure.
//
// Data goes: form → plan → run → events → bridge → running; run's log → results.
package window

import (
	"context"
	"fmt"
	"image/color"
	"os"
	"runtime"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/assets"
	"berth/core/figure"
	"berth/core/text"
)

// appID names the preferences' folder and the desktop entry.
const appID = "io.github.berth.Berth"

// Run opens the window and returns the exit code when it is closed.
func Run(o Options) int {
	if !display() {
		fmt.Fprintln(os.Stderr, text.For(os.Getenv("LANG")).T("window.no-display"))
		return 1
	}
	a := app.NewWithID(appID)
	a.SetIcon(fyne.NewStaticResource("icon.png", assets.Icon))
	w := newWindow(a, machine{}, o.Version)
	w.win.Resize(w.rememberedSize())
	w.open(o.Open)
	w.win.ShowAndRun()
	w.cancel()
	w.work.Wait()
	return 0
}

// display says whether there can be a window. Only X11 and Wayland tell by their variables.
func display() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// A window is the one window. All of it belongs to Fyne's goroutine; what other
// goroutines find out comes in through do.
type window struct {
	app     fyne.App
	win     fyne.Window
	core    core
	version string
	words   *text.Catalogue

	// do has a function called on Fyne's goroutine, soon: fyne.Do, save in tests.
	do func(func())

	// ctx ends with the window; work is every goroutine that it started.
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup

	// pace is how often the running state is drawn, settle how long a size must
	// stay the same before a chart is drawn for it; 0 is at once.
	pace, settle time.Duration

	// keys are the window's shortcuts; a focused entry hands them on.
	keys fyne.ShortcutHandler

	dialogs []dialog.Dialog // that are open, the last on top

	hidden map[string]bool // whether names are hidden, by the run's ID: also once rounds were added to it

	form form
	// What is shown: one of them is not nil.
	setup    *setup
	running  *running
	results  *results
	compared *compared
}

// leave makes room for another state.
func (w *window) leave() { w.setup, w.running, w.results, w.compared = nil, nil, nil, nil }

func newWindow(a fyne.App, c core, version string) *window {
	w := &window{app: a, core: c, version: version, do: fyne.Do, pace: drawEvery, settle: settleFor, hidden: map[string]bool{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	a.Settings().SetTheme(legible{theme.DefaultTheme()})
	w.words = text.For(a.Preferences().StringWithFallback(keyLanguage, os.Getenv("LANG")))
	w.form = w.rememberedForm()
	w.speakFyne()
	w.win = a.NewWindow(w.words.T("window.title"))
	w.win.SetMaster()
	w.win.SetCloseIntercept(w.close)
	w.addShortcuts()
	return w
}

// open shows the run whose log is at path, or the newest one, or the form if there is none.
func (w *window) open(path string) {
	w.showSetup()
	w.cleanUp("")
	asked := path != ""
	if kept := w.core.Kept(); !asked && len(kept) > 0 {
		path = kept[0]
	}
	if path != "" {
		w.openRun(path, asked)
	}
}

// beside runs f beside the window; Run waits for it.
func (w *window) beside(f func(ctx context.Context)) {
	w.work.Go(func() { f(w.ctx) })
}

// t is the message window.<id> in the window's language.
func (w *window) t(id string, args ...text.Args) string { return w.words.T("window."+id, args...) }

// modeName is a placement's name as the charts write it.
func (w *window) modeName(placement string) string { return w.words.T("placement." + placement) }

// show puts one of the three states under the header.
func (w *window) show(heading string, body fyne.CanvasObject, actions ...fyne.CanvasObject) {
	title := widget.NewLabelWithStyle(heading, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	right := container.NewHBox(actions...)
	right.Add(w.languageChooser())
	header := container.NewBorder(nil, widget.NewSeparator(), title, right)
	w.win.SetContent(container.NewBorder(header, nil, nil, nil, body))
	w.win.Canvas().Unfocus()
}

// addShortcuts gives the keys: Ctrl+R runs, Ctrl+S saves the chart, Escape closes a dialog, or stops.
func (w *window) addShortcuts() {
	c := w.win.Canvas()
	for key, do := range map[fyne.KeyName]func(){
		fyne.KeyR: func() {
			if w.setup != nil {
				w.setup.press()
			}
		},
		fyne.KeyS: func() {
			switch {
			case w.results != nil:
				w.results.savePNG()
			case w.compared != nil:
				w.compared.savePNG()
			}
		},
	} {
		s := &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
		w.keys.AddShortcut(s, func(fyne.Shortcut) { do() })
		c.AddShortcut(s, w.keys.TypedShortcut)
	}
	c.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape && !w.dismiss() && w.running != nil {
			w.running.askStop()
		}
	})
}

// close asks first while a run goes on, then stops it and keeps what it measured.
func (w *window) close() {
	w.rememberSize()
	w.remember(keyForm)
	if w.running == nil {
		w.win.Close()
		return
	}
	w.confirm("close-title", "close-question", "close-yes", func() {
		if w.running == nil {
			w.win.Close()
			return
		}
		w.running.closing = true
		w.running.stop()
	})
}

// theme is the window's, by its name among the charts'.
func (w *window) theme() string {
	if w.app.Settings().ThemeVariant() == theme.VariantDark {
		return figure.Dark
	}
	return figure.Light
}

// swatch is a square in the colour of an index that figure.VariantColors gives; hollow below 0.
func swatch(index int) *fyne.Container {
	r := canvas.NewRectangle(color.Transparent)
	paint(r, index, index >= 0)
	r.SetMinSize(fyne.NewSquareSize(swatchSize))
	return container.NewCenter(r)
}

const swatchSize = 14

// paint fills r with the colour of index, or only outlines it.
func paint(r *canvas.Rectangle, index int, filled bool) {
	r.StrokeWidth, r.CornerRadius = 1.5, 2
	r.StrokeColor, r.FillColor = theme.Color(theme.ColorNameDisabled), color.Transparent
	if index >= 0 {
		red, green, blue := figure.VariantColor(index)
		r.StrokeColor = color.NRGBA{red, green, blue, 255}
	}
	if filled {
		r.FillColor = r.StrokeColor
	}
	r.Refresh()
}

// fixedWidth gives o a width, and the height that it asks for.
func fixedWidth(width float32, o fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewGridWrapLayout(fyne.NewSize(width, o.MinSize().Height)), o)
}

// note is a text of several lines in the weight of a remark.
func note(s string) *widget.Label {
	l := widget.NewLabel(s)
	l.Wrapping = fyne.TextWrapWord
	l.Importance = widget.MediumImportance
	l.SizeName = theme.SizeNameCaptionText
	return l
}
