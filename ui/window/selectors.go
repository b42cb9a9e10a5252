//go:build !headless

package window

import (
	"slices"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/figure"
	"berth/core/result"
	"berth/core/text"
)

// selectors choose what the chart and the table show, and with that what is exported.
func (s *results) selectors() fyne.CanvasObject {
	t := s.w.t
	figures := figure.Names(s.run)
	titles := make([]string, len(figures))
	for i, name := range figures {
		titles[i] = s.w.words.T("report.figure-" + name)
	}
	metrics := []string{figure.MetricRPS, figure.MetricP99}
	metric := choice([]string{t("metric-rps"), t("metric-p99")}, slices.Index(metrics, s.metric), func(i int) {
		s.metric = metrics[i]
		s.draw()
	})
	chart := choice(titles, slices.Index(figures, s.figure), func(i int) {
		s.figure = figures[i]
		able(metric, s.figure == figure.Throughput) // the only one that has a choice of it
		s.draw()
	})
	able(metric, s.figure == figure.Throughput)

	labels := result.Order(s.run)
	names := make([]string, len(labels))
	for i, label := range labels {
		names[i] = s.w.variantName(s.run, label)
	}
	reference := choice(names, slices.Index(labels, s.view.Reference), func(i int) {
		s.view.Reference = labels[i]
		s.compare()
	})
	box := container.NewHBox(fixedWidth(232, chart), fixedWidth(160, metric), widget.NewLabel(t("reference")), fixedWidth(168, reference))
	if sizes := s.sizes(); len(sizes) > 1 {
		payloads := []string{t("payload-chosen", text.Args{"Payload": t("payload-all")})}
		for _, n := range sizes {
			payloads = append(payloads, t("payload-chosen", text.Args{"Payload": t("bytes", text.Args{"Bytes": n})}))
		}
		box.Add(fixedWidth(136, choice(payloads, s.payloadIndex(sizes), func(i int) {
			s.view.PayloadBytes = nil
			if i > 0 {
				s.view.PayloadBytes = []int{sizes[i-1]}
			}
			s.compare()
		})))
	}
	tests := s.tests()
	box.Add(s.filter("tests-shown", "entry-tests", tests, tests, &s.view.Tests))
	box.Add(s.filter("modes-shown", "modes", labels, names, &s.view.Variants))
	themes := []string{"", figure.Light, figure.Dark, figure.Print}
	looks := make([]string, len(themes))
	for i, name := range themes {
		looks[i] = t("theme-" + name)
	}
	box.Add(fixedWidth(150, choice(looks, slices.Index(themes, s.theme), func(i int) {
		s.theme = themes[i]
		s.draw()
	})))
	// The row scrolls where the window is narrower than it.
	return container.NewHScroll(box)
}

func able(s *widget.Select, can bool) {
	if can {
		s.Enable()
	} else {
		s.Disable()
	}
}

// sizes are the payloads of all of the plan's loads; of a run that was read in, which has none, those of its samples.
func (s *results) sizes() []int {
	var sizes []int
	for _, l := range s.run.Plan.Loads {
		for _, n := range l.PayloadBytes {
			if !slices.Contains(sizes, n) {
				sizes = append(sizes, n)
			}
		}
	}
	for _, sample := range s.run.Samples {
		if n := sample.Workload.PayloadBytes; len(s.run.Imported) > 0 && n > 0 && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

func (s *results) payloadIndex(sizes []int) int {
	if len(s.view.PayloadBytes) == 1 {
		return 1 + slices.Index(sizes, s.view.PayloadBytes[0])
	}
	return 0
}

// tests are those that the run has samples of, in the order measured.
func (s *results) tests() []string {
	var tests []string
	for i := range s.run.Samples {
		if test := s.run.Samples[i].Workload.Test; !slices.Contains(tests, test) {
			tests = append(tests, test)
		}
	}
	return tests
}

// filter is a button that opens a list of what can be shown and keeps what is ticked in into;
// nothing in it is all. said and title are ids of messages.
func (s *results) filter(said, title string, values, names []string, into *[]string) fyne.CanvasObject {
	var button *widget.Button
	label := func() string {
		n := len(*into)
		if n == 0 {
			n = len(values)
		}
		return s.w.t(said, text.Args{"Shown": n, "All": len(values)})
	}
	button = widget.NewButtonWithIcon(label(), theme.VisibilityIcon(), func() {
		s.w.tick(title, values, names, *into, func(chosen []string) {
			if len(chosen) == len(values) {
				chosen = nil
			}
			*into = chosen
			button.SetText(label())
			s.compare()
		})
	})
	return button
}

// tick opens a list of values to choose from, by their names; done gets those that were ticked, in
// the list's order. With none ticked it cannot be confirmed. title is a message's id; none chosen is all.
func (w *window) tick(title string, values, names, chosen []string, done func([]string)) {
	ticks := make([]*widget.Check, len(values))
	rows := container.NewVBox()
	ticked := func() (out []string) {
		for i, c := range ticks {
			if c.Checked {
				out = append(out, values[i])
			}
		}
		return out
	}
	count := widget.NewLabel("")
	var ok *widget.Button
	say := func() {
		n := len(ticked())
		count.SetText(strconv.Itoa(n) + " / " + strconv.Itoa(len(values)))
		if n == 0 {
			ok.Disable()
		} else {
			ok.Enable()
		}
	}
	for i, name := range names {
		ticks[i] = widget.NewCheck(name, nil)
		ticks[i].Checked = len(chosen) == 0 || slices.Contains(chosen, values[i])
		ticks[i].OnChanged = func(bool) {
			say()
			w.win.Canvas().Unfocus() // a focused tick would keep Escape for itself
		}
		rows.Add(ticks[i])
	}
	all := func(on bool) func() {
		return func() {
			for _, c := range ticks {
				c.SetChecked(on)
			}
		}
	}
	buttons := container.NewHBox(widget.NewButton(w.t("all"), all(true)), widget.NewButton(w.t("none"), all(false)), count)
	height := min(rows.MinSize().Height+200, w.win.Canvas().Size().Height-80)
	ok, _ = w.fillIn(title, "ok", container.NewBorder(buttons, nil, nil, nil, container.NewVScroll(rows)), fyne.NewSize(380, height), func() bool {
		done(ticked())
		return true
	})
	say()
}

// choice is a Select that tells its index, in a width that cuts longer names short.
func choice(names []string, selected int, changed func(int)) *widget.Select {
	c := widget.NewSelect(names, nil)
	c.SetSelectedIndex(max(0, selected))
	c.OnChanged = func(string) { changed(c.SelectedIndex()) }
	return c
}
