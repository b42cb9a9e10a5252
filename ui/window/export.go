//go:build !headless

package window

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/report"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// An export is a file that the results can be saved as.
type export struct {
	label string // id of its name in the menu
	name  string // of the file
	write func(io.Writer) error
}

func (s *results) png() export {
	return export{"save-as-png", s.figureName() + ".png", s.writeFigure((*figure.Figure).PNG)}
}

func (s *results) svg() export {
	return export{"save-as-svg", s.figureName() + ".svg", s.writeFigure((*figure.Figure).SVG)}
}

func (s *results) samples() export {
	return export{"save-as-csv", "samples-" + s.run.ID + ".csv", func(w io.Writer) error {
		return result.WriteSamples(w, s.run)
	}}
}

func (s *results) summary() export {
	return export{"save-as-summary", "summary-" + s.run.ID + ".csv", func(w io.Writer) error {
		return result.WriteSummary(w, stats.Summarize(s.run, s.reference))
	}}
}

func (s *results) html() export {
	return export{"report", "report-" + s.run.ID + ".html", func(w io.Writer) error {
		return report.HTML(w, s.run, s.w.words)
	}}
}

// figureName says what the chart shows: "throughput-500B-vs-pinned-20261130-202551-quick-1f3a".
func (s *results) figureName() string {
	parts := []string{s.drawn.figure}
	if s.drawn.metric != "rps" {
		parts = []string{s.drawn.metric + "-latency"}
	}
	if s.payload > 0 {
		parts = append(parts, fmt.Sprintf("%dB", s.payload))
	}
	return strings.Join(append(parts, "vs", fileWord(s.reference), s.run.ID), "-")
}

// fileWord is label with nothing in it that a file's name must not have.
func fileWord(label string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, label)
}

// writeFigure draws the chart for paper: as large as it needs, light, at twice the pixels.
func (s *results) writeFigure(write func(*figure.Figure, io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		f, err := s.figure(figure.Options{Scale: 2, Lang: s.w.words.Lang()})
		if err != nil {
			return err
		}
		if f == nil {
			return text.Err("window.nothing-measured", nil, nil)
		}
		return write(f, w)
	}
}

func (s *results) savePNG() { s.save(s.png()) }
func (s *results) saveCSV() { s.save(s.samples(), s.summary()) }

// saveReport saves the report and opens it where pages are read.
func (s *results) saveReport() {
	report := s.html()
	if !s.save(report) {
		return
	}
	s.open(filepath.Join(filepath.Dir(s.run.Path), report.name))
}

// open shows a file or a folder in the program that the system has for it.
func (s *results) open(path string) {
	if err := s.w.app.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}); err != nil {
		s.say(s.w.t("open-by-hand", text.Args{"Path": path}), widget.WarningImportance)
	}
}

// save writes files into the run's folder, says where they are, and whether all are there.
func (s *results) save(files ...export) bool {
	folder := filepath.Dir(s.run.Path)
	var paths []string
	for _, e := range files {
		path := filepath.Join(folder, e.name)
		if err := e.to(func(raw []byte) error { return os.WriteFile(path, raw, 0o644) }, path); err != nil {
			s.w.showError(err)
			return false
		}
		paths = append(paths, path)
	}
	s.say(s.w.t("saved-as", text.Args{"Path": strings.Join(paths, ", ")}), widget.SuccessImportance)
	return true
}

// to makes the whole file first, so that a fault in it leaves nothing behind.
func (e export) to(keep func([]byte) error, path string) error {
	var b bytes.Buffer
	if err := e.write(&b); err != nil {
		return err
	}
	if err := keep(b.Bytes()); err != nil {
		return text.Err("window.save-failed", text.Args{"Path": path}, err)
	}
	return nil
}

// saveAsButton opens the list of what can be saved elsewhere.
func (s *results) saveAsButton() fyne.CanvasObject {
	var button *widget.Button
	button = widget.NewButtonWithIcon(s.w.t("save-as"), theme.FolderOpenIcon(), func() {
		var items []*fyne.MenuItem
		for _, e := range []export{s.png(), s.svg(), s.samples(), s.summary()} {
			items = append(items, fyne.NewMenuItem(s.w.t(e.label), func() { s.saveAs(e) }))
		}
		items = append(items, fyne.NewMenuItemSeparator(), fyne.NewMenuItem(s.w.t("open-folder"), func() { s.open(filepath.Dir(s.run.Path)) }))
		menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), s.w.win.Canvas())
		menu.ShowAtRelativePosition(fyne.NewPos(0, button.Size().Height), button)
	})
	return button
}

// saveAs asks where to.
func (s *results) saveAs(e export) {
	d := dialog.NewFileSave(func(to fyne.URIWriteCloser, err error) {
		if err != nil {
			s.w.showError(text.Err("window.save-failed", text.Args{"Path": e.name}, err))
			return
		}
		if to == nil {
			return // the user changed their mind
		}
		path := to.URI().Path()
		err = e.to(func(raw []byte) error {
			_, err := to.Write(raw)
			return err
		}, path)
		if closed := to.Close(); err == nil && closed != nil {
			err = text.Err("window.save-failed", text.Args{"Path": path}, closed)
		}
		if err != nil {
			s.w.showError(err)
			return
		}
		s.say(s.w.t("saved-as", text.Args{"Path": path}), widget.SuccessImportance)
	}, s.w.win)
	d.SetFileName(e.name)
	if home, err := os.UserHomeDir(); err == nil {
		if folder, err := storage.ListerForURI(storage.NewFileURI(home)); err == nil {
			d.SetLocation(folder)
		}
	}
	d.Show()
	d.Resize(fyne.NewSize(820, 560)) // Fyne 2.8.1 panics when this comes before Show
}

// copyTable puts the table on the clipboard.
func (s *results) copyTable() {
	s.w.app.Clipboard().SetContent(s.table.text())
	s.say(s.w.t("copied-table"), widget.SuccessImportance)
}
