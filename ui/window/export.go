//go:build !headless

package window

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/report"
	"berth/core/result"
	"berth/core/text"
)

// An export is one file, or one folder of files, that what is shown can be saved as.
type export struct {
	label string // id of its name in the list
	name  string // of the file, or of the folder that is made; "" is the chosen folder itself
	// write writes the file; into, where it is not nil, the files of the folder dir, and says
	// which of them had to be left out.
	write func(w io.Writer, how manner) error
	into  func(dir string, force bool, how manner) (left []error, err error)
	// What of a manner it follows.
	drawn, table, words bool
}

// A manner is how an export is written, beside what is shown.
type manner struct {
	size     figure.Options // Width, Height, Scale
	words    *text.Catalogue
	forExcel bool
}

// manner is how the buttons of one click export.
func (w *window) manner() manner {
	words := w.words
	if lang := w.app.Preferences().String(keyReportLanguage); slices.Contains(text.Languages, lang) {
		words = text.For(lang)
	}
	return manner{figure.Options{Scale: 2}, words, w.app.Preferences().Bool(keyForExcel)}
}

// exports are all that results can be saved as.
func (s *results) exports() []export {
	all := []export{s.picture("png"), s.picture("svg"), s.pictures("png"), s.pictures("svg"),
		s.document("samples", report.FormatSamples, "samples-", ".csv"),
		s.document("summary", report.FormatSummary, "summary-", ".csv"),
		s.document("comparisons", report.FormatComparisons, "comparisons-", ".csv"),
		s.document("json", report.FormatJSON, "run-", ".json"),
		s.document("html", report.FormatHTML, "report-", ".html"),
		s.document("md", report.FormatMarkdown, "report-", ".md"),
	}
	for i := range all {
		all[i].table = strings.HasSuffix(all[i].name, ".csv")
	}
	return append(all, export{label: "save-as-everything", name: "everything-" + s.kept.ID, words: true,
		into: func(dir string, force bool, how manner) ([]error, error) {
			_, err := s.view.Folder(dir, s.run, how.words, force)
			return nil, err
		}})
}

// document is a table or a report of what is shown.
func (s *results) document(label, format, before, after string) export {
	return export{label: "save-as-" + label, name: before + s.kept.ID + after, words: true, write: func(w io.Writer, how manner) error {
		return s.view.Document(w, format, s.run, how.words)
	}}
}

// picture is the chart as it is shown.
func (s *results) picture(format string) export {
	return export{label: "save-as-" + format, name: s.figureName() + "." + format, drawn: true, words: true, write: func(w io.Writer, how manner) error {
		f, err := s.chartFor(s.options(how.size, how.words))
		if err == nil && f == nil {
			err = text.Err("window.nothing-measured", nil, nil)
		}
		if err != nil {
			return err
		}
		return writePicture(w, f, format)
	}}
}

func writePicture(w io.Writer, f *figure.Figure, format string) error {
	if format == "svg" {
		return f.SVG(w)
	}
	return f.PNG(w)
}

// pictures are all charts, of what is shown.
func (s *results) pictures(format string) export {
	return export{label: "save-as-all-" + format, name: "charts-" + s.kept.ID, drawn: true, words: true,
		into: func(dir string, force bool, how manner) ([]error, error) {
			_, left, err := s.view.Figures(dir, format, s.run, s.options(how.size, how.words), force)
			return left, err
		}}
}

// options draw what is shown, in a size and a language, as the chart's theme is now.
func (s *results) options(size figure.Options, words *text.Catalogue) figure.Options {
	o := s.view.Options()
	o.Width, o.Height, o.Scale = size.Width, size.Height, size.Scale
	o.Metric, o.Lang, o.Theme = s.metric, words.Lang(), s.theme
	if o.Theme == "" {
		o.Theme = s.w.theme()
	}
	return o
}

// figureName says what the chart shows: "throughput-500B-vs-pinned-20261130-202551-quick-1f3a".
func (s *results) figureName() string {
	parts := []string{s.figure}
	if s.figure == figure.Throughput && s.metric != figure.MetricRPS {
		parts = []string{s.metric + "-latency"}
	}
	const told = 3
	switch tests := s.view.Tests; {
	case len(tests) > told:
		parts = append(parts, fmt.Sprintf("%dtests", len(tests)))
	case len(tests) > 0:
		parts = append(parts, fileWord(strings.Join(tests, "+")))
	}
	for _, n := range s.view.PayloadBytes {
		parts = append(parts, fmt.Sprintf("%dB", n))
	}
	if n := len(s.view.Variants); n > 0 {
		parts = append(parts, fmt.Sprintf("%dmodes", n))
	}
	return strings.Join(append(parts, "vs", fileWord(s.view.Reference), s.kept.ID), "-")
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

func (s *results) savePNG() { s.saver().save(s.folder(), s.w.manner(), nil, s.picture("png")) }

func (s *results) saveCSV() {
	s.saver().save(s.folder(), s.w.manner(), nil, s.named("save-as-samples"), s.named("save-as-summary"), s.named("save-as-comparisons"))
}

// saveReport saves the report and opens it where pages are read.
func (s *results) saveReport() {
	page := s.named("save-as-html")
	s.saver().save(s.folder(), s.w.manner(), func() { s.saver().open(filepath.Join(s.folder(), page.name)) }, page)
}

// named is the export with this label.
func (s *results) named(label string) export {
	all := s.exports()
	return all[slices.IndexFunc(all, func(e export) bool { return e.label == label })]
}

// folder is the run's own.
func (s *results) folder() string { return filepath.Dir(s.kept.Path) }

func (s *results) saver() saver { return saver{s.w, s.say} }

// A saver saves exports and says what came of it.
type saver struct {
	w   *window
	say func(sentence string, weight widget.Importance)
}

// save writes files into folder and says where they are; then, which may be nil, is called when
// all are there. What is there already is asked about, once.
func (s saver) save(folder string, how manner, then func(), files ...export) {
	s.saveAll(folder, how, then, files, false)
}

func (s saver) saveAll(folder string, how manner, then func(), files []export, force bool) {
	var paths []string
	var left []string
	for _, e := range files {
		path := filepath.Join(folder, e.name)
		out, err := e.to(path, force, how)
		if report.Exists(err) {
			s.w.ask("replace-title", s.w.words.T("window.replace-question", text.Args{"Path": existing(err, path)}), "replace",
				func() { s.saveAll(folder, how, then, files, true) })
			return
		}
		if err != nil {
			s.w.showError(err)
			return
		}
		for _, err := range out {
			left = append(left, s.w.words.Error(err))
		}
		paths = append(paths, path)
	}
	sentence, weight := s.w.t("saved-as", text.Args{"Path": strings.Join(paths, ", ")}), widget.SuccessImportance
	if len(left) > 0 {
		sentence, weight = strings.Join(append([]string{sentence}, left...), " · "), widget.WarningImportance
	}
	s.say(sentence, weight)
	if then != nil {
		then()
	}
}

// existing is the file that err found there.
func existing(err error, path string) string {
	var e *text.Error
	if errors.As(err, &e) {
		if file, ok := e.Args["File"].(string); ok {
			return file
		}
	}
	return path
}

// to writes e to path, whole or not at all.
func (e export) to(path string, force bool, how manner) (left []error, err error) {
	if e.into != nil {
		return e.into(path, force, how)
	}
	write := func(w io.Writer) error { return e.write(w, how) }
	if e.table && how.forExcel {
		plain := write
		write = func(w io.Writer) error { return report.ForExcel(w, plain) }
	}
	return nil, report.Save(path, force, write)
}

// open shows a file or a folder in the program that the system has for it.
func (s saver) open(path string) {
	byHand := func() { s.say(s.w.t("open-by-hand", text.Args{"Path": path}), widget.WarningImportance) }
	opener, err := exec.LookPath("xdg-open")
	if err != nil {
		if err := s.w.app.OpenURL(&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}); err != nil {
			byHand()
		}
		return
	}
	// Fyne starts it and does not ask how it ended.
	s.w.beside(func(ctx context.Context) {
		if err := exec.CommandContext(ctx, opener, path).Run(); err != nil && ctx.Err() == nil {
			s.w.do(byHand)
		}
	})
}

// hidden is r without the names of this machine and its user.
func hidden(r *result.Run) *result.Run { return report.HideNames(r, report.MachineNames()) }
