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
	"berth/core/stats"
	"berth/core/text"
)

// addedRounds is how many rounds one press adds to a run.
const addedRounds = 4

// results is the window on a kept run: what was found, the chart, the table, and
// the ways out of here.
type results struct {
	w   *window
	run *result.Run

	reference string // label of the variant that the others are compared with
	drawn     drawing
	payload   int // bytes; 0: all

	findings *fyne.Container
	chart    *chart
	table    *grid
	status   *widget.Label
}

// showResults shows r.
func (w *window) showResults(r *result.Run) {
	s := &results{w: w, run: r, drawn: drawing{figure.Throughput, "rps"}, reference: stats.Reference(r, "")}
	w.setup, w.running, w.results = nil, nil, s
	s.findings = container.NewVBox()
	s.chart = newChart(w, s.figure, w.t("no-sample-yet"))
	s.table = newGrid()
	s.status = widget.NewLabel("")
	s.status.Truncation = fyne.TextTruncateEllipsis
	s.status.Selectable = true

	right := container.NewVSplit(
		container.NewBorder(s.selectors(), nil, nil, nil, s.chart), s.tabs())
	right.SetOffset(0.62)
	body := container.NewHSplit(column(w.t("findings"), container.NewVScroll(s.findings)), right)
	body.SetOffset(0.22)
	w.show(w.runTitle(r.ID), container.NewBorder(s.toolbar(),
		container.NewVBox(widget.NewSeparator(), s.status), nil, nil, body), w.historyButton())
	s.compare()
	s.say(s.summaryLine(), widget.MediumImportance)
}

// compare fills in all that depends on what the others are compared with.
func (s *results) compare() {
	s.findings.RemoveAll()
	found := report.Findings(s.run, s.reference)
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
	s.chart.redraw()
}

// figure lays out what the selectors choose.
func (s *results) figure(o figure.Options) (*figure.Figure, error) {
	if len(s.run.Samples) == 0 {
		return nil, nil
	}
	o.Reference, o.Metric = s.reference, s.drawn.metric
	if s.payload > 0 {
		o.PayloadBytes = []int{s.payload}
	}
	return figure.New(s.drawn.figure, s.run, o)
}

// toolbar has what can be done with the run.
func (s *results) toolbar() fyne.CanvasObject {
	t := s.w.t
	png := widget.NewButtonWithIcon(t("save-png"), theme.DocumentSaveIcon(), s.savePNG)
	png.Importance = widget.HighImportance
	more := s.run.Plan
	more.Rounds = addedRounds
	add := widget.NewButtonWithIcon(t("add-rounds", text.Args{"Rounds": addedRounds, "Time": clock(more.Expected())}),
		theme.ContentAddIcon(), func() { s.w.addRounds(s.run, addedRounds) })
	return container.NewHBox(png,
		widget.NewButtonWithIcon(t("save-csv"), theme.DocumentSaveIcon(), s.saveCSV),
		widget.NewButtonWithIcon(t("report"), theme.DocumentIcon(), s.saveReport),
		s.saveAsButton(),
		widget.NewButtonWithIcon(t("copy-table"), theme.ContentCopyIcon(), s.copyTable),
		layout.NewSpacer(), add,
		widget.NewButtonWithIcon(t("new-run"), theme.NavigateBackIcon(), s.w.showSetup),
		widget.NewButtonWithIcon(t("edit-plan"), theme.DocumentCreateIcon(), s.edit))
}

// selectors choose what the chart and the table show.
func (s *results) selectors() fyne.CanvasObject {
	t := s.w.t
	var labels, names []string
	for _, v := range s.run.Plan.Variants {
		labels = append(labels, v.Label)
		names = append(names, s.w.variantName(s.run, v.Label))
	}
	reference := choice(names, slices.Index(labels, s.reference), func(i int) {
		s.reference = labels[i]
		s.compare()
	})
	drawings, titles := s.drawings()
	metric := choice(titles, slices.Index(drawings, s.drawn), func(i int) {
		s.drawn = drawings[i]
		s.chart.redraw()
	})
	var sizes []int
	for _, l := range s.run.Plan.Loads {
		for _, n := range l.PayloadBytes {
			if !slices.Contains(sizes, n) {
				sizes = append(sizes, n)
			}
		}
	}
	payloads := []string{t("payload-all")}
	for _, n := range sizes {
		payloads = append(payloads, t("bytes", text.Args{"Bytes": n}))
	}
	payload := choice(payloads, 0, func(i int) {
		s.payload = 0
		if i > 0 {
			s.payload = sizes[i-1]
		}
		s.table.show(s.tableRows())
		s.chart.redraw()
	})
	box := container.NewHBox(widget.NewLabel(t("reference")), reference, widget.NewLabel(t("metric")), metric)
	if len(sizes) > 1 {
		box.Add(widget.NewLabel(t("payload")))
		box.Add(payload)
	}
	return box
}

// A drawing is a figure of one metric.
type drawing struct{ figure, metric string }

// drawings are all that the run has data for, with their titles: throughput
// also as latency, then the other figures.
func (s *results) drawings() (all []drawing, titles []string) {
	for _, name := range figure.Names(s.run) {
		if name == figure.Throughput {
			all = append(all, drawing{name, "rps"}, drawing{name, "p99"})
			titles = append(titles, s.w.t("metric-rps"), s.w.t("metric-p99"))
			continue
		}
		all = append(all, drawing{name, "rps"})
		titles = append(titles, s.w.words.T("report.figure-"+name))
	}
	return all, titles
}

// choice is a Select that tells its index, as wide as its longest name.
func choice(names []string, selected int, changed func(int)) fyne.CanvasObject {
	c := widget.NewSelect(names, nil)
	c.SetSelectedIndex(max(0, selected))
	c.OnChanged = func(string) { changed(c.SelectedIndex()) }
	var width float32
	for _, name := range names {
		width = max(width, fyne.MeasureText(name, theme.TextSize(), fyne.TextStyle{}).Width)
	}
	return fixedWidth(width+theme.IconInlineSize()+5*theme.InnerPadding(), c)
}

// edit fills the form from the run's plan.
func (s *results) edit() {
	password := s.w.form.Password
	s.w.form = formOf(s.run.Plan)
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
