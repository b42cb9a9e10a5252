//go:build !headless

package window

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// loadColumn is where servers listen and what is sent to them.
type loadColumn struct {
	s       *setup
	entries map[string]*field // by the name that a fault gives
	tests   *widget.Button
}

// loadColumn builds the column; it must come before what reads its entries.
func (s *setup) loadColumn() fyne.CanvasObject {
	l, f, t := s.load, &s.w.form, s.w.t
	if !slices.Contains(f.parts(), f.Part) {
		f.Part = f.parts()[0]
	}
	shown := f.load()
	l.tests = widget.NewButton("", l.chooseTests)
	l.tests.Alignment = widget.ButtonAlignLeading
	rows := container.New(layout.NewFormLayout(),
		widget.NewLabel(t("entry-host")), container.NewGridWithColumns(2,
			l.entry("host", &f.Host, "127.0.0.1"),
			container.NewBorder(nil, nil, widget.NewLabel(t("entry-port")), nil, l.entry("port", &f.Port, "auto"))),
		widget.NewLabel(t("entry-payload_bytes")), l.entry("payload_bytes", &shown.Payloads, "100, 500"),
		widget.NewLabel(t("entry-tests")), l.tests,
		widget.NewLabel(t("entry-clients")), container.NewGridWithColumns(2,
			l.entry("clients", &shown.Clients, "50"),
			container.NewBorder(nil, nil, widget.NewLabel(t("entry-pipelines")), nil, l.entry("pipelines", &shown.Pipelines, "1"))),
		widget.NewLabel(t("stop-rule")), l.stopRule(),
		widget.NewLabel(t("entry-rounds")), l.entry("rounds", &f.Rounds, "4"),
	)
	s.shell = widget.NewLabelWithStyle("", fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	s.shell.Wrapping = fyne.TextWrapBreak
	s.shell.Selectable = true
	s.shell.SizeName = theme.SizeNameCaptionText
	more := widget.NewAccordion(
		widget.NewAccordionItem(t("section-server"), l.serverSection()),
		widget.NewAccordionItem(t("section-more"), l.moreSection()),
		widget.NewAccordionItem(t("section-mysql"), l.mysqlSection()),
		widget.NewAccordionItem(t("section-shell"), container.NewVBox(
			s.shell, container.NewHBox(s.w.copyButton(func() string { return s.shell.Text })))),
	)
	all := container.NewVBox(rows, widget.NewSeparator(), more)
	if parts := f.parts(); len(parts) > 1 {
		all.Objects = slices.Insert(all.Objects, 0, fyne.CanvasObject(container.New(layout.NewFormLayout(), widget.NewLabel(t("part")), l.partChoice(parts))))
	}
	return column(t("load"), container.NewVScroll(all))
}

// entry is a field that a fault finds by name.
func (l *loadColumn) entry(name string, into *string, example string) *field {
	f := l.s.newField(into, example)
	l.entries[name] = f
	return f
}

// stopRule lets a sample last some seconds, or send some requests.
func (l *loadColumn) stopRule() fyne.CanvasObject {
	f, t := l.s.w.form.load(), l.s.w.t
	seconds, requests := l.entry("seconds", &f.Seconds, "1"), l.entry("requests", &f.Requests, "100000")
	choose := widget.NewSelect([]string{t("by-seconds"), t("by-requests")}, nil)
	show := func() {
		if f.ByCount {
			seconds.Hide()
			requests.Show()
		} else {
			requests.Hide()
			seconds.Show()
		}
	}
	choose.SetSelectedIndex(0)
	if f.ByCount {
		choose.SetSelectedIndex(1)
	}
	choose.OnChanged = func(string) {
		f.ByCount = choose.SelectedIndex() == 1
		show()
		l.s.changed()
	}
	show()
	return container.NewGridWithColumns(2, choose, container.NewStack(seconds, requests))
}

// serverSection is how the servers that Berth starts are started.
func (l *loadColumn) serverSection() fyne.CanvasObject {
	f, t := &l.s.w.form, l.s.w.t
	kinds := []string{plan.PersistenceNone, plan.PersistenceDefault, plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo}
	var names []string
	for _, k := range kinds {
		names = append(names, t("persistence-"+k))
	}
	persistence := widget.NewSelect(names, nil)
	persistence.SetSelectedIndex(max(0, slices.Index(kinds, f.Persistence)))
	persistence.OnChanged = func(string) {
		f.Persistence = kinds[persistence.SelectedIndex()]
		l.s.changed()
	}
	levels := widget.NewCheck(t("levels"), nil)
	levels.SetChecked(f.Levels)
	levels.OnChanged = func(on bool) {
		f.Levels = on
		l.s.changed()
	}
	return container.New(layout.NewFormLayout(),
		widget.NewLabel(t("entry-program")), l.entry("program", &f.Program, "redis-server"),
		widget.NewLabel(t("entry-image")), l.entry("image", &f.Image, t("image-own")),
		widget.NewLabel(t("entry-config_file")), l.entry("config_file", &f.ConfigFile, "/etc/redis/redis.conf"),
		widget.NewLabel(t("entry-persistence")), persistence,
		widget.NewLabel(""), levels)
}

// moreSection is what is seldom changed about the load.
func (l *loadColumn) moreSection() fyne.CanvasObject {
	f, t := &l.s.w.form, l.s.w.t
	shown := f.load()
	return container.New(layout.NewFormLayout(),
		widget.NewLabel(t("entry-rates")), l.entry("rates", &shown.Rates, "0"),
		widget.NewLabel(t("entry-warmup_seconds")), l.entry("warmup_seconds", &shown.WarmUp, "0.5"),
		widget.NewLabel(t("entry-keyspace")), l.entry("keyspace", &shown.Keyspace, "0"),
		widget.NewLabel(t("entry-threads")), l.entry("threads", &f.Threads, "0"),
		widget.NewLabel(t("entry-seed")), l.entry("seed", &f.Seed, "0"))
}

// mysqlSection is what is sent to MySQL, and the tables that it works on.
func (l *loadColumn) mysqlSection() fyne.CanvasObject {
	f, t := &l.s.w.form, l.s.w.t
	shown, tables := f.oltp(), &f.OLTPs[0]
	scripts := widget.NewLabel("")
	scripts.Wrapping = fyne.TextWrapWord
	scripts.SetText(strings.Join(f.scripts(), ", "))
	return container.New(layout.NewFormLayout(),
		widget.NewLabel(t("scripts")), scripts,
		widget.NewLabel(t("entry-oltp_threads")), l.entry("oltp_threads", &shown.Threads, "4"),
		widget.NewLabel(t("entry-oltp_seconds")), l.entry("oltp_seconds", &shown.Seconds, "20"),
		widget.NewLabel(t("entry-oltp_warmup_seconds")), l.entry("oltp_warmup_seconds", &shown.WarmUp, "10"),
		widget.NewLabel(t("entry-oltp_tables")), l.entry("oltp_tables", &tables.Tables, "4"),
		widget.NewLabel(t("entry-oltp_table_size")), l.entry("oltp_table_size", &tables.TableSize, "100000"))
}

// partChoice is the choice between the parts of a plan of several loads.
func (l *loadColumn) partChoice(parts []string) fyne.CanvasObject {
	w := l.s.w
	var names []string
	for _, part := range parts {
		names = append(names, result.LoadName(part, w.words))
	}
	choose := widget.NewSelect(names, nil)
	choose.SetSelectedIndex(max(0, slices.Index(parts, w.form.Part)))
	choose.OnChanged = func(string) {
		w.form.Part = parts[choose.SelectedIndex()]
		w.showSetup()
	}
	return choose
}

// showTests writes on the button which tests are chosen.
func (l *loadColumn) showTests() {
	chosen := l.s.w.form.load().Tests
	const shown = 3
	names := strings.Join(chosen[:min(shown, len(chosen))], ", ")
	if len(chosen) > shown {
		names += " …"
	}
	l.tests.SetText(l.s.w.words.N("window.tests-chosen", len(chosen), text.Args{"Names": names}))
}

// chooseTests opens the list of the suite's tests.
func (l *loadColumn) chooseTests() {
	w := l.s.w
	all := plan.TestNames(w.form.suite())
	group := widget.NewCheckGroup(all, nil)
	group.SetSelected(w.form.load().Tests)
	count := widget.NewLabel("")
	say := func(chosen []string) { count.SetText(strconv.Itoa(len(chosen)) + " / " + strconv.Itoa(len(all))) }
	group.OnChanged = say
	say(group.Selected)
	buttons := container.NewHBox(
		widget.NewButton(w.t("all"), func() { group.SetSelected(all) }),
		widget.NewButton(w.t("none"), func() { group.SetSelected(nil) }), count)
	d := dialog.NewCustomConfirm(w.t("entry-tests"), w.t("ok"), w.t("cancel"),
		container.NewBorder(buttons, nil, nil, nil, container.NewVScroll(group)), func(ok bool) {
			if !ok {
				return
			}
			w.form.load().Tests = slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return !slices.Contains(group.Selected, name)
			})
			l.s.changed()
		}, w.win)
	d.Resize(fyne.NewSize(360, w.win.Canvas().Size().Height-80))
	d.Show()
}
