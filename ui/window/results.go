//go:build !headless

package window

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/report"
	"berth/core/result"
	"berth/core/run"
	"berth/core/stats"
	"berth/core/text"
)

// addedRounds is how many rounds one press adds to a run.
const addedRounds = 4

// results is the window on a kept run: what was found, the chart, the table, and
// the ways out of here.
type results struct {
	w    *window
	kept *result.Run // as its log has it
	run  *result.Run // as it is shown: without names where the user wants that

	view   report.View
	figure string // by name
	metric string // of throughput
	theme  string // of the chart; "" is the window's
	hide   bool   // names of the machine and its user, here and in every export

	findings *fyne.Container
	chart    *chart
	table    *grid
	status   *widget.Label
}

// showResults shows r.
func (w *window) showResults(r *result.Run) {
	s := &results{w: w, kept: r, figure: figure.Throughput, metric: figure.MetricRPS, hide: w.hidden[r.ID]}
	s.view.Reference = stats.Reference(r, "")
	s.show()
}

// show fills the window with the run as it is chosen to be seen.
func (s *results) show() {
	w := s.w
	w.leave()
	w.results = s
	s.run = s.kept
	if s.hide {
		s.run = hidden(s.kept)
		s.view = s.renamed(s.view, s.kept, s.run)
	}
	s.findings = container.NewVBox()
	s.chart = newChart(w, s.chartFor, w.t("no-sample-yet"))
	s.table = newGrid()
	s.status = widget.NewLabel("")
	s.status.Truncation = fyne.TextTruncateEllipsis
	s.status.Selectable = true

	upper := container.NewHSplit(column(w.t("findings"), container.NewBorder(nil, s.checkButton(), nil, nil, container.NewVScroll(s.findings))), s.chart)
	upper.SetOffset(0.27)
	body := container.NewVSplit(upper, s.tabs())
	body.SetOffset(0.68)
	w.show(w.runTitle(s.kept.ID), container.NewBorder(container.NewVBox(s.toolbar(), s.selectors()),
		container.NewVBox(widget.NewSeparator(), s.status), nil, nil, body), w.historyButton())
	s.compare()
	s.say(s.summaryLine(), widget.MediumImportance)
}

// compare fills in all that depends on what is shown and what the others are compared with.
func (s *results) compare() {
	s.findings.RemoveAll()
	found := s.view.Findings(s.run)
	for _, f := range found {
		l := widget.NewLabel(f.Text(s.w.words))
		l.Wrapping = fyne.TextWrapWord
		l.Selectable = true
		s.findings.Add(l)
		s.findings.Add(widget.NewSeparator())
	}
	if len(found) == 0 {
		s.findings.Add(note(s.w.t("no-findings")))
	}
	s.findings.Refresh()
	s.table.show(s.tableRows())
	s.draw()
}

// draw draws the chart anew.
func (s *results) draw() { s.chart.redraw() }

// chartFor lays out what is chosen, for the window or for a file.
func (s *results) chartFor(o figure.Options) (*figure.Figure, error) {
	if len(s.run.Samples) == 0 {
		return nil, nil
	}
	size := figure.Options{Width: o.Width, Height: o.Height, Scale: o.Scale}
	return figure.New(s.figure, s.run, s.options(size, text.For(o.Lang)))
}

// tableRows are the report's table of what is shown, its flags in words.
func (s *results) tableRows() (columns []string, rows [][]string) {
	return s.w.inWords(s.view.SummaryTable(s.run, s.w.words))
}

// renamed is v with the labels that its variants have in another copy of the run: hiding names
// keeps their order, and may change the labels themselves.
func (s *results) renamed(v report.View, from, to *result.Run) report.View {
	label := func(old string) string {
		for i, variant := range from.Plan.Variants {
			if variant.Label == old {
				return to.Plan.Variants[i].Label
			}
		}
		return old
	}
	v.Reference = label(v.Reference)
	v.Variants = slices.Clone(v.Variants)
	for i := range v.Variants {
		v.Variants[i] = label(v.Variants[i])
	}
	return v
}

// toggleHide leaves names out, or shows them again.
func (s *results) toggleHide(on bool) {
	shown := s.run
	s.w.hidden[s.kept.ID] = on
	if s.hide = on; !on {
		s.view = s.renamed(s.view, shown, s.kept)
	}
	s.show()
}

// toolbar has what can be done with the run.
func (s *results) toolbar() fyne.CanvasObject {
	t := s.w.t
	png := widget.NewButtonWithIcon(t("save-png"), theme.DocumentSaveIcon(), s.savePNG)
	png.Importance = widget.HighImportance
	more := s.kept.Plan
	more.Rounds = addedRounds
	add := widget.NewButtonWithIcon(t("add-rounds", text.Args{"Rounds": addedRounds, "Time": clock(more.Expected())}),
		theme.ContentAddIcon(), func() { s.w.addRounds(s.kept) })
	edit := widget.NewButtonWithIcon(t("edit-plan"), theme.SettingsIcon(), s.edit)
	if run.Continuable(s.kept) != nil { // it has no plan that could be carried out
		add.Hide()
		edit.Hide()
	}
	hide := widget.NewCheck(t("hide-names"), nil)
	hide.Checked = s.hide
	hide.OnChanged = s.toggleHide
	return container.NewHScroll(container.NewHBox(png,
		widget.NewButtonWithIcon(t("save-csv"), theme.DocumentSaveIcon(), s.saveCSV),
		widget.NewButtonWithIcon(t("report"), theme.DocumentIcon(), s.saveReport),
		widget.NewButtonWithIcon(t("save-as"), theme.DocumentSaveIcon(), func() { s.saver().saveAs(s.exports(), s.folder()) }),
		s.w.menu("copy-menu", theme.ContentCopyIcon(), s.copyItems),
		widget.NewButtonWithIcon(t("run-folder"), theme.FolderOpenIcon(), func() { s.saver().open(s.folder()) }),
		widget.NewButtonWithIcon(t("edit-texts"), theme.DocumentCreateIcon(), s.editTexts),
		hide,
		layout.NewSpacer(), add,
		edit,
		widget.NewButtonWithIcon(t("new-run"), theme.NavigateBackIcon(), s.w.showSetup)))
}

// edit fills the form from the run's plan.
func (s *results) edit() {
	password := s.w.form.Password
	s.w.form = formOf(s.kept.Plan)
	s.w.form.Seed, s.w.form.Password = "0", password
	s.w.showSetup()
}

// say writes the bottom line.
func (s *results) say(sentence string, weight widget.Importance) {
	s.status.Importance = weight
	s.status.SetText(sentence)
}

// summaryLine is "Redis 7.0.15, no persistence · 96 samples · 1 sample flagged …".
func (s *results) summaryLine() string {
	var parts []string
	for _, server := range s.run.Servers {
		f := server.Facts
		part := strings.TrimSpace(capital(f["redis.name"]) + " " + f["redis.version"])
		if p := f["redis.persistence"]; p != "" {
			part += ", " + s.w.persistence(p)
		}
		if part != "" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	parts = append(parts, s.w.words.N("window.status-samples", len(s.run.Samples)))
	count := map[string]int{}
	var flags []string
	for i := range s.run.Samples {
		for _, flag := range s.run.Samples[i].Flags {
			if count[flag]++; count[flag] == 1 {
				flags = append(flags, flag)
			}
		}
	}
	for _, flag := range flags {
		parts = append(parts, s.w.words.N("window.status-flagged", count[flag], text.Args{"Flag": s.w.flagName(flag)}))
	}
	if end := s.run.End; end != nil && end.Reason == result.EndStopped {
		parts = append(parts, s.w.t("status-stopped"))
	}
	for _, f := range s.run.Failures {
		parts = append(parts, s.w.t("status-failed", text.Args{"Reason": f.Text}))
	}
	return strings.Join(parts, " · ")
}

// capital writes a program's name as people do: "Redis", "Valkey".
func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// flagName is a sample's flag in words; the charts have them.
func (w *window) flagName(flag string) string { return w.named("figure.flag.", flag) }

func (w *window) flagNames(flags []string) string {
	names := make([]string, len(flags))
	for i, flag := range flags {
		names[i] = w.flagName(flag)
	}
	return strings.Join(names, "; ")
}

// persistence is a server's persistence in words; the charts have them.
func (w *window) persistence(kind string) string { return w.named("figure.persistence.", kind) }

// named is the message prefix+name, or name where there is none.
func (w *window) named(prefix, name string) string {
	if words := w.words.T(prefix + name); words != prefix+name {
		return words
	}
	return name
}
