//go:build !headless

package window

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"berth/core/report"
	"berth/core/text"
)

// copyItems are what can be copied of what is shown.
func (s *results) copyItems() []*fyne.MenuItem {
	words := s.w.manner().words
	item := func(id string, what func() string) *fyne.MenuItem { return s.saver().copyItem(id, what) }
	return []*fyne.MenuItem{
		fyne.NewMenuItem(s.w.t("copy-chart"), func() { s.saver().copyPicture(s.folder(), s.picture("png")) }),
		fyne.NewMenuItemSeparator(),
		item("copy-tsv", func() string { return s.view.SummaryTSV(s.run, words) }),
		item("copy-markdown", func() string { return s.view.SummaryMarkdown(s.run, words) }),
		item("copy-quiet", func() string { return s.view.Quiet(s.run, words) }),
		fyne.NewMenuItemSeparator(),
		item("copy-environment", func() string { return s.view.Environment(s.run, words) }),
		item("copy-method", func() string { return report.Method(s.run, words) }),
	}
}

// copyItem copies a text, and says so under its own name, the message id.
func (s saver) copyItem(id string, what func() string) *fyne.MenuItem {
	return fyne.NewMenuItem(s.w.t(id), func() {
		s.w.app.Clipboard().SetContent(what())
		s.say(s.w.t("copied", text.Args{"What": s.w.t(id)}), widget.SuccessImportance)
	})
}

// menu is a button that opens a list under it.
func (w *window) menu(id string, icon fyne.Resource, items func() []*fyne.MenuItem) *widget.Button {
	var button *widget.Button
	button = widget.NewButtonWithIcon(w.t(id), icon, func() {
		menu := widget.NewPopUpMenu(fyne.NewMenu("", items()...), w.win.Canvas())
		menu.ShowAtRelativePosition(fyne.NewPos(0, button.Size().Height), button)
	})
	return button
}

// clipboardTime is how long the program that takes a picture may need.
const clipboardTime = 5 * time.Second

// A clipboard is a program that takes a picture for the desktop's clipboard: Fyne's own
// holds text alone.
type clipboard struct {
	display string // the variable that says that its desktop is there
	command []string
}

var clipboards = []clipboard{
	{"WAYLAND_DISPLAY", []string{"wl-copy", "--type", "image/png"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"}},
}

// copyPicture puts e's picture on the clipboard beside the window. Where no program takes it, it
// is saved in folder and its path is copied, and that is said.
func (s saver) copyPicture(folder string, e export) {
	how := s.w.manner()
	var picture bytes.Buffer
	if err := e.write(&picture, how); err != nil {
		s.w.showError(err)
		return
	}
	s.w.beside(func(ctx context.Context) {
		taken := takePicture(ctx, picture.Bytes())
		s.w.do(func() {
			if taken {
				s.say(s.w.t("copied-chart"), widget.SuccessImportance)
				return
			}
			s.save(folder, how, func() {
				path := filepath.Join(folder, e.name)
				s.w.app.Clipboard().SetContent(path)
				s.say(s.w.t("copied-path", text.Args{"Path": path}), widget.WarningImportance)
			}, e)
		})
	})
}

// takePicture hands a PNG to the first clipboard program that takes it. The program goes on
// beside Berth, for as long as the picture is on the clipboard: that is how X and Wayland work.
func takePicture(ctx context.Context, picture []byte) bool {
	for _, c := range clipboards {
		if os.Getenv(c.display) == "" {
			continue
		}
		path, err := exec.LookPath(c.command[0])
		if err != nil {
			continue
		}
		if handOver(ctx, path, c.command[1:], picture) == nil {
			return true
		}
	}
	return false
}

func handOver(ctx context.Context, path string, args []string, picture []byte) error {
	ctx, enough := context.WithTimeout(ctx, clipboardTime)
	defer enough()
	c := exec.CommandContext(ctx, path, args...)
	c.Stdin = bytes.NewReader(picture)
	c.WaitDelay = time.Second
	return c.Run() // it leaves a child behind that holds the picture, and has ended itself
}
