//go:build !headless

package window

import (
	"context"
	"encoding/csv"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

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
	folder := filepath.Dir(w.results.run.Path)
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
	for _, e := range []export{w.results.png(), w.results.svg(), w.results.samples(), w.results.summary()} {
		w.results.saveAs(e)
		dialog := w.win.Canvas().Overlays().Top()
		if dialog == nil {
			t.Fatalf("%s: no dialog", e.name)
		}
		named := false
		for _, entry := range find[*widget.Entry](dialog) {
			named = named || entry.Text == e.name
		}
		if !named {
			t.Errorf("the dialog does not offer %s", e.name)
		}
		w.win.Canvas().Overlays().Remove(dialog)
	}
}

func TestAFolderThatCannotBeWrittenIsSaidInASentence(t *testing.T) {
	w, _ := openMeasured(t)
	w.results.run.Path = filepath.Join(t.TempDir(), "gone", result.LogName)
	test.Tap(button(t, w.win.Content(), "Save CSV"))
	dialog := w.win.Canvas().Overlays().Top()
	if dialog == nil {
		t.Fatal("nothing was said")
	}
	said := strings.Join(texts(dialog), "\n")
	if !strings.Contains(said, "cannot be written") || !strings.Contains(said, "samples-") {
		t.Errorf("said %q", said)
	}
}

func TestComparingWithAnotherModeChangesTheTable(t *testing.T) {
	w, _ := openMeasured(t)
	s := w.results
	before := s.table.text()
	if !strings.Contains(before, "reference") {
		t.Fatalf("the table names no reference:\n%s", before)
	}
	s.reference = "docker-nat"
	s.compare()
	if after := s.table.text(); after == before {
		t.Errorf("the table is the same:\n%s", after)
	}
}

func TestTheTableHasOneLineForEachModeAndWorkloadAndCopies(t *testing.T) {
	w, _ := openMeasured(t)
	test.Tap(button(t, w.win.Content(), "Copy table"))
	lines := strings.Split(strings.TrimSpace(w.app.Clipboard().Content()), "\n")
	if len(lines) != 1+2*2*2 {
		t.Fatalf("%d lines:\n%s", len(lines), w.app.Clipboard().Content())
	}
	if !strings.HasPrefix(lines[0], "Test\tBytes\tMode\tRequests/s") || !strings.HasPrefix(lines[1], "SET\t100\tNative process\t") {
		t.Errorf("begins with\n%s\n%s", lines[0], lines[1])
	}
	w.results.payload = 500
	w.results.table.show(w.results.tableRows())
	if got := len(w.results.table.rows); got != 4 {
		t.Errorf("%d lines for one payload, want 4", got)
	}
}

func TestFourRoundsAreAddedToTheSameRun(t *testing.T) {
	w, c := openMeasured(t)
	c.execute = func(context.Context, run.Options) (*result.Run, error) { return c.runs[c.kept[0]], nil }
	existing := &w.results.run.Plan.Variants[1]
	existing.Placement = plan.Existing
	w.form.Password = "secret"
	w.addRounds(w.results.run, addedRounds)
	w.rest()
	if c.planned.Variants[1].Password != "secret" || existing.Password != "" {
		t.Error("the existing server's password was not handed on, or was kept")
	}
	if c.added != 4 || w.results == nil {
		t.Errorf("asked for %d rounds; results shown: %t", c.added, w.results != nil)
	}
}

func TestARunThatFailsShowsWhatThereIsAndWhy(t *testing.T) {
	w, c := openMeasured(t)
	c.execute = func(context.Context, run.Options) (*result.Run, error) {
		return c.runs[c.kept[0]], errors.New("start docker-nat: the engine went away")
	}
	w.addRounds(w.results.run, addedRounds)
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
