//go:build !headless

package window

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
)

// press presses the button of the uppermost dialog that is called so.
func press(t *testing.T, w *testWindow, name string) {
	t.Helper()
	buttons := find[*widget.Button](w.win.Canvas().Overlays().Top())
	i := slices.IndexFunc(buttons, func(b *widget.Button) bool { return b.Text == name })
	if i < 0 {
		t.Fatalf("no button %q", name)
	}
	test.Tap(buttons[i])
	w.rest()
}

func TestWhatOtherToolsPrintedIsPastedAndShown(t *testing.T) {
	w := open(t, &fakeCore{})
	w.showHistory()
	w.rest()
	press(t, w, w.t("import"))
	lines := find[*line](w.win.Canvas().Overlays().Top())
	pasted := lines[slices.IndexFunc(lines, func(l *line) bool { return l.MultiLine })]
	pasted.SetText("SETs are fast")
	press(t, w, w.t("import-read"))
	if w.results != nil || w.win.Canvas().Overlays().Top() == nil {
		t.Fatal("a text without output was read in")
	}
	press(t, w, w.t("ok"))

	w.showImport()
	w.rest()
	lines = find[*line](w.win.Canvas().Overlays().Top())
	slices.DeleteFunc(lines, func(l *line) bool { return l.MultiLine })[0].SetText("none")
	press(t, w, w.t("import-read"))
	if w.results != nil {
		t.Fatal("with a payload of \"none\" it was read in")
	}
	press(t, w, w.t("ok"))
	w.win.Canvas().Overlays().Remove(w.win.Canvas().Overlays().Top())

	w.showImport()
	w.rest()
	lines = find[*line](w.win.Canvas().Overlays().Top())
	pasted = lines[slices.IndexFunc(lines, func(l *line) bool { return l.MultiLine })]
	pasted.SetText("redis-server\nredis-benchmark -q -d 100\nSET: 1000.00 requests per second\ntaskset -c 1 redis-server\nredis-benchmark -q -d 100\nSET: 900.00 requests per second\n")
	press(t, w, w.t("import-read"))
	if w.results == nil || len(w.results.kept.Samples) != 2 || w.results.kept.Plan.Variants[1].Placement != plan.Pinned {
		t.Fatal("the text was not read in")
	}
	for _, b := range find[*widget.Button](w.win.Content()) {
		if b.Visible() && (strings.HasPrefix(b.Text, "Add ") || b.Text == w.t("edit-plan")) {
			t.Errorf("%q is offered for a run that Berth did not measure", b.Text)
		}
	}
}
