//go:build !headless

package window

import (
	"io"
	"path/filepath"
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

// compared is the window on several runs side by side: what differs between them, what was found, the
// chart and the table. The first is what the others are compared with.
type compared struct {
	w     *window
	kept  []*result.Run
	runs  []*result.Run // as they are shown: without names where the user wants that
	theme string        // of the chart; "" is the window's
	hide  bool

	chart  *chart
	status *widget.Label
}

// showCompared shows runs side by side.
func (w *window) showCompared(runs []*result.Run) {
	c := &compared{w: w, kept: runs}
	c.show()
}

func (c *compared) show() {
	w := c.w
	w.leave()
	w.compared = c
	c.runs = slices.Clone(c.kept)
	if c.hide {
		for i, r := range c.kept {
			c.runs[i] = hidden(r)
		}
	}
	c.chart = newChart(w, c.chartFor, w.t("no-sample-yet"))
	c.status = widget.NewLabel("")
	c.status.Truncation = fyne.TextTruncateEllipsis
	c.status.Selectable = true

	differing := newGrid()
	differing.show(report.DifferencesTable(c.runs, w.words))
	findings := container.NewVBox()
	for _, f := range report.RunFindings(c.runs) {
		l := widget.NewLabel(f.Text(w.words))
		l.Wrapping = fyne.TextWrapWord
		l.Selectable = true
		findings.Add(l)
		findings.Add(widget.NewSeparator())
	}
	var first fyne.CanvasObject = differing
	if len(differing.rows) == 0 {
		first = note(w.t("runs-alike"))
	}
	left := container.NewVSplit(column(w.words.T("report.h-runs-differing"), first), column(w.t("findings"), container.NewVScroll(findings)))
	left.SetOffset(0.4)
	upper := container.NewHSplit(left, c.chart)
	upper.SetOffset(0.36)
	table := newGrid()
	table.show(w.inWords(report.RunsTable(c.runs, w.words)))
	body := container.NewVSplit(upper, column(w.t("tab-table"), table))
	body.SetOffset(0.7)
	w.show(w.t("compared-title", text.Args{"Runs": len(c.runs)}), container.NewBorder(c.toolbar(),
		container.NewVBox(widget.NewSeparator(), c.status), nil, nil, body), w.historyButton())
	c.chart.redraw()
	var names []string
	for _, r := range c.kept {
		names = append(names, w.runTitle(r.ID))
	}
	c.say(strings.Join(names, "  |  "), widget.MediumImportance)
}

func (c *compared) say(sentence string, weight widget.Importance) {
	c.status.Importance = weight
	c.status.SetText(sentence)
}

// chartFor lays the runs out; nil where they have nothing in common.
func (c *compared) chartFor(o figure.Options) (*figure.Figure, error) {
	if len(stats.CompareRuns(c.runs)) == 0 {
		return nil, nil
	}
	if c.theme != "" {
		o.Theme = c.theme
	}
	return figure.Runs(c.runs, o)
}

func (c *compared) toolbar() fyne.CanvasObject {
	t := c.w.t
	png := widget.NewButtonWithIcon(t("save-png"), theme.DocumentSaveIcon(), c.savePNG)
	png.Importance = widget.HighImportance
	themes := []string{"", figure.Light, figure.Dark, figure.Print}
	looks := make([]string, len(themes))
	for i, name := range themes {
		looks[i] = t("theme-" + name)
	}
	look := choice(looks, slices.Index(themes, c.theme), func(i int) {
		c.theme = themes[i]
		c.chart.redraw()
	})
	hide := widget.NewCheck(t("hide-names"), nil)
	hide.Checked = c.hide
	hide.OnChanged = func(on bool) {
		c.hide = on
		c.show()
	}
	copies := c.w.menu("copy-menu", theme.ContentCopyIcon(), func() []*fyne.MenuItem {
		words := c.w.manner().words
		return []*fyne.MenuItem{
			fyne.NewMenuItem(t("copy-chart"), func() { c.saver().copyPicture(c.folder(), c.picture("png")) }),
			c.saver().copyItem("copy-tsv", func() string { return report.RunsTSV(c.runs, words) }),
			c.saver().copyItem("copy-comparison", func() string {
				var b strings.Builder
				if err := report.RunsMarkdown(&b, c.runs, words); err != nil {
					c.w.showError(err)
				}
				return b.String()
			}),
		}
	})
	return container.NewHBox(png,
		widget.NewButtonWithIcon(t("save-csv"), theme.DocumentSaveIcon(), func() { c.saver().save(c.folder(), c.w.manner(), nil, c.table()) }),
		widget.NewButtonWithIcon(t("save-as"), theme.DocumentSaveIcon(), func() { c.saver().saveAs(c.exports(), c.folder()) }),
		copies,
		widget.NewButtonWithIcon(t("run-folder"), theme.FolderOpenIcon(), func() { c.saver().open(c.folder()) }),
		fixedWidth(150, look), hide,
		layout.NewSpacer(),
		widget.NewButtonWithIcon(t("new-run"), theme.NavigateBackIcon(), c.w.showSetup))
}

func (c *compared) saver() saver { return saver{c.w, c.say} }

// folder is that of the last run.
func (c *compared) folder() string { return filepath.Dir(c.kept[len(c.kept)-1].Path) }

func (c *compared) savePNG() { c.saver().save(c.folder(), c.w.manner(), nil, c.picture("png")) }

// name says of a file what it is and of which runs: the first and the last.
func (c *compared) name(what, ending string) string {
	return what + "-" + c.kept[0].ID + "-vs-" + c.kept[len(c.kept)-1].ID + ending
}

func (c *compared) picture(format string) export {
	return export{label: "save-as-" + format, name: c.name("runs", "."+format), drawn: true, words: true, write: func(w io.Writer, how manner) error {
		o := how.size
		o.Lang, o.Theme = how.words.Lang(), c.w.theme()
		f, err := c.chartFor(o)
		if err == nil && f == nil {
			err = text.Err("window.nothing-common", nil, nil)
		}
		if err != nil {
			return err
		}
		return writePicture(w, f, format)
	}}
}

func (c *compared) table() export {
	return export{label: "save-as-comparisons", name: c.name("comparisons", ".csv"), table: true, write: func(w io.Writer, _ manner) error {
		return result.WriteComparisons(w, stats.CompareRuns(c.runs))
	}}
}

func (c *compared) exports() []export {
	return []export{c.picture("png"), c.picture("svg"), c.table(),
		{label: "save-as-md", name: c.name("report", ".md"), words: true, write: func(w io.Writer, how manner) error {
			return report.RunsMarkdown(w, c.runs, how.words)
		}}}
}
