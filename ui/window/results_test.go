//go:build !headless

package window

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
)

// openMeasured opens a window on the one run that is kept.
func openMeasured(t *testing.T) (*testWindow, *fakeCore) {
	t.Helper()
	r := measured(t)
	c := &fakeCore{kept: []string{r.Path}, runs: map[string]*result.Run{r.Path: r}}
	w := open(t, c)
	if w.results == nil {
		t.Fatal("the last run did not open at the start")
	}
	return w, c
}

func TestTheLastRunOpensAtTheStart(t *testing.T) {
	w, _ := openMeasured(t)
	if !strings.HasPrefix(w.results.status.Text, "Redis 7.0.15, no persistence · 32 samples") {
		t.Errorf("the bottom line says %q", w.results.status.Text)
	}
}

func TestPNGAndCSVGoIntoTheRunsFolderInOneClickEach(t *testing.T) {
	w, _ := openMeasured(t)
	folder := filepath.Dir(w.results.kept.Path)
	test.Tap(button(t, w.win.Content(), "Save PNG"))
	picture, err := os.Open(filepath.Join(folder, "throughput-vs-native-20261130-202551-quick-1f3a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	image, err := png.Decode(picture)
	if err != nil || image.Bounds().Dx() < 1280 {
		t.Errorf("the PNG: %v, %v", err, image)
	}
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	for name, rows := range map[string]int{"samples-20261130-202551-quick-1f3a.csv": 32, "summary-20261130-202551-quick-1f3a.csv": 8} {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines, err := csv.NewReader(f).ReadAll()
		if err != nil || len(lines) != rows+1 {
			t.Errorf("%s: %d lines, %v; want a header and %d", name, len(lines), err, rows)
		}
	}
	if !strings.Contains(w.results.status.Text, folder) {
		t.Errorf("it does not say where: %q", w.results.status.Text)
	}
}

func TestSaveAsOffersTheNameThatSaysWhatItIs(t *testing.T) {
	w, _ := openMeasured(t)
	s := w.results
	for i, e := range s.exports() {
		s.saver().saveAs(s.exports()[i:], s.folder())
		dialog := w.win.Canvas().Overlays().Top()
		if dialog == nil {
			t.Fatalf("%s: no dialog", e.name)
		}
		named := false
		for _, entry := range find[*line](dialog) {
			named = named || entry.Text == e.name
		}
		if !named {
			t.Errorf("the dialog does not offer %s", e.name)
		}
		w.dismiss()
		if w.win.Canvas().Overlays().Top() != nil {
			t.Fatal("the dialog stays")
		}
	}
}

func TestEveryExportIsWrittenFromTheDialogIntoTheFolderChosen(t *testing.T) {
	w, _ := openMeasured(t)
	s := w.results
	s.view.Tests = []string{"SET"}
	folder := t.TempDir()
	for i, e := range s.exports() {
		s.saver().saveAs(s.exports()[i:], folder)
		test.Tap(button(t, w.win.Canvas().Overlays().Top(), "Save"))
		if top := w.win.Canvas().Overlays().Top(); top != nil {
			t.Fatalf("%s: %v", e.name, texts(top))
		}
		info, err := os.Stat(filepath.Join(folder, e.name))
		if err != nil || info.IsDir() != (e.into != nil) {
			t.Errorf("%s: %v", e.name, err)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(folder, "charts-*", "*.svg"))
	if err != nil || len(pictures) < 3 {
		t.Errorf("%d charts in the folder (%v)", len(pictures), err)
	}
	raw, err := os.ReadFile(filepath.Join(folder, "summary-20261130-202551-quick-1f3a.csv"))
	if err != nil || strings.Contains(string(raw), "GET") || !strings.Contains(string(raw), "SET") {
		t.Errorf("the summary is not of what was shown (%v):\n%s", err, raw)
	}
}

func TestAFileThatIsThereIsAskedAbout(t *testing.T) {
	w, _ := openMeasured(t)
	path := filepath.Join(w.results.folder(), "summary-20261130-202551-quick-1f3a.csv")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	held := func() string { raw, _ := os.ReadFile(path); return string(raw) }
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	top := w.win.Canvas().Overlays().Top()
	if top == nil || !strings.Contains(strings.Join(texts(top), " "), path) || held() != "mine" {
		t.Fatalf("nothing was asked; the file holds %.20q", held())
	}
	w.dismiss()
	if held() != "mine" {
		t.Error("it was replaced although the answer was no")
	}
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	test.Tap(button(t, w.win.Canvas().Overlays().Top(), "Replace"))
	if held() == "mine" {
		t.Error("it was not replaced although the answer was yes")
	}
}

func TestATableForExcelHasTheMarkOfUTF8(t *testing.T) {
	w, _ := openMeasured(t)
	w.app.Preferences().SetBool(keyForExcel, true)
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	raw, err := os.ReadFile(filepath.Join(w.results.folder(), "comparisons-20261130-202551-quick-1f3a.csv"))
	if err != nil || !strings.HasPrefix(string(raw), "\ufeffa,b,metric") {
		t.Errorf("%v; begins with %.20q", err, raw)
	}
}

func TestHiddenNamesAreHiddenInTheWindowAndInEveryExport(t *testing.T) {
	w, _ := openMeasured(t)
	s := w.results
	s.kept.Servers[0].Commands = []string{"redis-server /home/somebody/secret.conf --port 4000"}
	s.kept.Sessions[0].Facts["host.name"] = "box.example at 192.0.2.7"
	s.toggleHide(true)
	s = w.results
	shown := strings.Join(texts(w.win.Content()), "\n") + s.commands() + fmt.Sprint(s.factRows())
	for i, e := range s.exports() {
		if e.into != nil || e.drawn {
			continue
		}
		var out strings.Builder
		if err := s.exports()[i].write(&out, w.manner()); err != nil {
			t.Fatal(err)
		}
		shown += out.String()
	}
	shown += s.view.Environment(s.run, w.words)
	for _, name := range []string{"/home/somebody", "192.0.2.7"} {
		if strings.Contains(shown, name) {
			t.Errorf("%s is shown", name)
		}
	}
	s.toggleHide(false)
	if !strings.Contains(w.results.commands(), "/home/somebody") {
		t.Error("names do not come back")
	}
}

func TestTextsNamesAndOrderAreKeptWithTheRun(t *testing.T) {
	w, c := openMeasured(t)
	w.results.editTexts()
	top := w.win.Canvas().Overlays().Top()
	entries := find[*line](top)
	if len(entries) != 5 {
		t.Fatalf("%d entries, want title, caption, note and two names", len(entries))
	}
	entries[0].SetText("我的标题")
	entries[4].SetText("Bridge")
	for _, b := range find[*widget.Button](top) {
		if b.Icon != nil && b.Icon.Name() == theme.MoveDownIcon().Name() && !b.Disabled() {
			test.Tap(b)
			break
		}
	}
	test.Tap(button(t, top, "Save"))
	want := []result.EditEvent{{Key: "title", Value: "我的标题"}, {Key: "name:docker-nat", Value: "Bridge"}, {Key: "order", Value: "docker-nat\nnative"}}
	if !slices.Equal(c.edits, want) {
		t.Errorf("kept %v, want %v", c.edits, want)
	}
	if rows := w.results.table.rows; len(rows) == 0 || rows[0][0] != "Bridge" {
		t.Errorf("the table does not follow: %v", rows)
	}
	w.results.editTexts()
	top = w.win.Canvas().Overlays().Top()
	find[*line](top)[3].SetText("Native process") // the other mode's place holder; a name of its own is Bridge's
	find[*line](top)[4].SetText("Native process")
	test.Tap(button(t, top, "Save"))
	if said := strings.Join(texts(w.win.Canvas().Overlays().Top()), " "); !strings.Contains(said, "choose another") {
		t.Errorf("one name for two modes is not refused: %q", said)
	}
}

func TestEscapeClosesADialog(t *testing.T) {
	w, _ := openMeasured(t)
	w.results.editTexts()
	find[*line](w.win.Canvas().Overlays().Top())[0].TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.win.Canvas().Overlays().Top() != nil {
		t.Error("Escape in an entry does not close its dialog")
	}
	w.showHistory()
	w.rest()
	w.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if w.win.Canvas().Overlays().Top() != nil || len(w.dialogs) != 0 {
		t.Error("Escape does not close a dialog")
	}
}

func TestThePictureIsSavedAndItsPathCopiedWhereNoProgramTakesIt(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	w, _ := openMeasured(t)
	w.results.saver().copyPicture(w.results.folder(), w.results.picture("png"))
	w.rest()
	path := w.app.Clipboard().Content()
	if _, err := os.Stat(path); err != nil || !strings.Contains(w.results.status.Text, path) {
		t.Errorf("%v; said %q", err, w.results.status.Text)
	}
}

func TestWhatIsCopiedIsOfWhatIsShown(t *testing.T) {
	w, _ := openMeasured(t)
	w.results.view.Tests = []string{"GET"}
	for _, item := range []string{"Table for a spreadsheet (TSV)", "Table as Markdown", "As redis-benchmark -q", "Test environment", "Method"} {
		test.Tap(button(t, w.win.Content(), "Copy"))
		menu := find[*widget.PopUpMenu](w.win.Canvas().Overlays().Top())
		if len(menu) != 1 {
			t.Fatal("no menu")
		}
		w.app.Clipboard().SetContent("")
		for _, i := range w.results.copyItems() {
			if i.Label == item {
				i.Action()
			}
		}
		menu[0].Hide()
		got := w.app.Clipboard().Content()
		if got == "" || strings.Contains(got, "SET:") || strings.Contains(got, "| SET") || strings.Contains(got, "\tSET\t") {
			t.Errorf("%s copies %q", item, got)
		}
	}
}

func TestRunsAreChosenInHistoryAndComparedSideBySide(t *testing.T) {
	w, c := openMeasured(t)
	later := measured(t)
	later.ID, later.Sessions[0].Facts = "20261201-202551-quick-2f3a", host.Facts{"cpu.model": "Another CPU"}
	c.kept = []string{later.Path, c.kept[0]} // the newest first
	c.runs[later.Path] = later
	later.Edits = map[string]string{result.EditTitle: "After the upgrade"}
	w.showHistory()
	w.rest()
	top := w.win.Canvas().Overlays().Top()
	if said := strings.Join(texts(top), "\n"); !strings.Contains(said, "After the upgrade") || !strings.Contains(said, "Native process, Docker -p: SET, GET") {
		t.Errorf("a row does not say what the run is:\n%s", said)
	}
	compare := button(t, top, "Compare")
	ticks := find[*widget.Check](top)
	if len(ticks) != 2 || !compare.Disabled() {
		t.Fatalf("%d runs can be ticked; Compare is off: %t", len(ticks), compare.Disabled())
	}
	test.Tap(ticks[0])
	test.Tap(ticks[1])
	test.Tap(compare)
	w.rest()
	if w.compared == nil || w.compared.kept[1] != later {
		t.Fatalf("the runs are not compared, the oldest first: %v, %v", w.compared != nil, ticks[0].Checked)
	}
	said := strings.Join(texts(w.win.Content()), "\n")
	if !strings.Contains(said, "not of one machine") {
		t.Errorf("it is not said that the machines differ:\n%s", said)
	}
	if w.compared.chart.image.Image == nil {
		t.Error("no chart")
	}
	folder := t.TempDir()
	for i, e := range w.compared.exports() {
		w.compared.saver().saveAs(w.compared.exports()[i:], folder)
		test.Tap(button(t, w.win.Canvas().Overlays().Top(), "Save"))
		if info, err := os.Stat(filepath.Join(folder, e.name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", e.name, err)
		}
	}
}

func TestAFolderThatCannotBeWrittenIsSaidInASentence(t *testing.T) {
	w, _ := openMeasured(t)
	w.results.kept.Path = filepath.Join(t.TempDir(), "gone", result.LogName)
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	dialog := w.win.Canvas().Overlays().Top()
	if dialog == nil {
		t.Fatal("nothing was said")
	}
	said := strings.Join(texts(dialog), "\n")
	if !strings.Contains(said, "choose a folder that you may write to") || !strings.Contains(said, "samples-") {
		t.Errorf("said %q", said)
	}
}

func TestComparingWithAnotherModeChangesTheTable(t *testing.T) {
	w, _ := openMeasured(t)
	s := w.results
	before := fmt.Sprint(s.table.rows)
	if !strings.Contains(before, "reference") {
		t.Fatalf("the table names no reference:\n%s", before)
	}
	s.view.Reference = "docker-nat"
	s.compare()
	if after := fmt.Sprint(s.table.rows); after == before {
		t.Errorf("the table is the same:\n%s", after)
	}
}

func TestTheTableHasOneLineForEachModeAndWorkload(t *testing.T) {
	w, _ := openMeasured(t)
	g := w.results.table
	if len(g.rows) != 2*2*2 || g.columns[0] != "Mode" || g.rows[0][0] != "Native process" || g.rows[1][0] != "Docker -p" {
		t.Fatalf("%v\n%v", g.columns, g.rows)
	}
	w.results.view.PayloadBytes = []int{500}
	w.results.compare()
	if got := len(g.rows); got != 4 {
		t.Errorf("%d lines for one payload, want 4", got)
	}
}

func TestFourRoundsAreAddedToTheSameRun(t *testing.T) {
	w, c := openMeasured(t)
	c.execute = func(context.Context, run.Options) (*result.Run, error) { return c.runs[c.kept[0]], nil }
	existing := &w.results.kept.Plan.Variants[1]
	existing.Placement = plan.Existing
	w.form.Password = "secret"
	w.addRounds(w.results.kept)
	w.rest()
	if c.planned.Variants[1].Password != "secret" || existing.Password != "" {
		t.Error("the existing server's password was not handed on, or was kept")
	}
	if c.added != 4 || w.results == nil {
		t.Errorf("asked for %d rounds; results shown: %t", c.added, w.results != nil)
	}
	w.results.toggleHide(true)
	w.addRounds(w.results.kept)
	w.rest()
	if !w.results.hide {
		t.Error("hidden names are shown again when rounds were added")
	}
}

func TestARunThatFailsShowsWhatThereIsAndWhy(t *testing.T) {
	w, c := openMeasured(t)
	c.execute = func(context.Context, run.Options) (*result.Run, error) {
		return c.runs[c.kept[0]], errors.New("start docker-nat: the engine went away")
	}
	w.addRounds(w.results.kept)
	w.rest()
	dialog := w.win.Canvas().Overlays().Top()
	if w.results == nil || dialog == nil || !strings.Contains(strings.Join(texts(dialog), "\n"), "the engine went away") {
		t.Error("the results or the reason are missing")
	}
}

func TestEditPlanGoesBackToTheFormOfThisRun(t *testing.T) {
	w, _ := openMeasured(t)
	test.Tap(button(t, w.win.Content(), "Edit plan"))
	w.rest()
	if w.setup == nil || w.form.load().Payloads != "100, 500" || w.form.Seed != "0" || len(w.form.Modes) != 2 {
		t.Errorf("the form is %+v", w.form)
	}
}

func TestNamesOfFilesHoldNothingThatAFileSystemRefuses(t *testing.T) {
	if got := fileWord(`redis 7/8:"x"`); got != "redis-7-8--x-" {
		t.Errorf("%q", got)
	}
}
