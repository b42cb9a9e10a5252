//go:build !headless

package window

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/text"
)

// setup is the form: presets, modes, load, and a bottom line that says what
// they come to, with the button that starts it at its right end.
type setup struct {
	w       *window
	modes   map[string]*modeRow
	load    *loadColumn
	summary *widget.Label
	run     *widget.Button
	shell   *widget.Label

	presets  *widget.List
	isPreset func() bool // the form is as one of the presets fills it
}

// showSetup shows the form as it is filled.
func (w *window) showSetup() {
	if w.form.Off == nil {
		w.form.Off = map[string]bool{}
	}
	s := &setup{w: w, modes: map[string]*modeRow{}}
	s.load = &loadColumn{s: s, entries: map[string]*field{}}
	w.leave()
	w.setup = s

	s.summary = widget.NewLabel("")
	s.summary.Wrapping = fyne.TextWrapWord
	s.run = widget.NewButtonWithIcon(w.t("run"), theme.MediaPlayIcon(), s.press)
	s.run.Importance = widget.HighImportance

	choices := container.NewHSplit(s.modesColumn(), s.loadColumn())
	choices.SetOffset(0.52)
	all := container.NewHSplit(s.presetsColumn(), choices)
	all.SetOffset(0.17)
	bottom := container.NewVBox(widget.NewSeparator(),
		container.NewPadded(container.NewBorder(nil, nil, nil, fixedWidth(180, s.run), s.summary)))
	w.show(w.t("heading", text.Args{"Version": w.version}), container.NewBorder(nil, bottom, nil, nil, all), w.historyButton())
	s.changed()
	s.checkModes()
}

// presetsColumn lists the presets, and the plan that was run last; a click fills the form.
func (s *setup) presetsColumn() fyne.CanvasObject {
	var names, sizes []string
	var forms []form
	add := func(name string, f form, p plan.Plan) {
		names, forms = append(names, name), append(forms, f)
		sizes = append(sizes, s.w.t("preset-size", text.Args{
			"Modes": s.w.words.N("window.count-modes", len(p.Variants)), "Tests": s.w.words.N("window.count-tests", testsOf(p)),
			"Rounds": s.w.words.N("window.count-rounds", p.Rounds), "Time": clock(p.Expected())}))
	}
	for _, p := range plan.Presets() {
		add(s.w.presetName(p), formOf(p), p)
	}
	if f, ok := s.w.remembered(keyLastRun); ok {
		if p, fault := f.plan(s.w.words); fault == nil {
			add(s.w.t("preset-last"), f, p)
		}
	}
	list := widget.NewList(
		func() int { return len(names) },
		func() fyne.CanvasObject {
			name := widget.NewLabel("")
			name.TextStyle.Bold = true
			return container.New(layout.NewCustomPaddedVBoxLayout(-14), name, note("\n"))
		},
		func(i widget.ListItemID, o fyne.CanvasObject) {
			box := o.(*fyne.Container)
			box.Objects[0].(*widget.Label).SetText(names[i])
			box.Objects[1].(*widget.Label).SetText(sizes[i])
		})
	s.presets = list
	s.isPreset = func() bool { return slices.ContainsFunc(forms, s.w.form.same) }
	if i := slices.IndexFunc(forms, s.w.form.same); i >= 0 {
		list.Select(i)
	}
	list.OnSelected = func(i widget.ListItemID) {
		off, password := s.w.form.Off, s.w.form.Password
		s.w.form = forms[i]
		s.w.form.Off, s.w.form.Password = off, password
		s.w.showSetup()
	}
	return column(s.w.t("presets"), list)
}

func (w *window) presetName(p plan.Plan) string {
	id := "preset-" + p.Name
	if name := w.t(id); name != "window."+id {
		return name
	}
	return p.Name
}

// column is a heading over what it holds.
func column(heading string, body fyne.CanvasObject) fyne.CanvasObject {
	title := widget.NewLabelWithStyle(heading, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	return container.NewBorder(container.NewVBox(title, widget.NewSeparator()), nil, nil, nil, body)
}

// changed is called after every key typed: it says what the form comes to, or
// the one thing that keeps it from running.
func (s *setup) changed() {
	p, fault := s.w.form.plan(s.w.words)
	if fault == nil {
		fault = s.unavailable(p)
	}
	for entry, e := range s.load.entries {
		var err error
		if fault != nil && fault.entry == entry {
			err = fault.err
		}
		e.SetValidationError(err)
	}
	for placement, row := range s.modes {
		row.paint(s.w.form.index(placement))
	}
	s.showBaselineCost()
	s.load.showTests()
	if !s.isPreset() {
		s.presets.UnselectAll() // so that a click brings it back
	}
	if fault != nil {
		s.say(s.w.words.Error(fault.err), widget.DangerImportance)
		s.run.Disable()
		return
	}
	s.shell.SetText(shellCommands(p))
	s.say(s.w.sizeLine(p), widget.MediumImportance)
	s.run.Enable()
}

// showBaselineCost says how much longer the run is with the MySQL baseline than without.
func (s *setup) showBaselineCost() {
	expected := func(ticked bool) (time.Duration, bool) {
		f := s.w.form
		f.Modes = slices.Clone(f.Modes)
		f.tick(plan.MySQL, ticked)
		p, fault := f.plan(s.w.words)
		return p.Expected(), fault == nil
	}
	cost := ""
	with, ok := expected(true)
	if without, alsoOK := expected(false); ok && alsoOK && with > without {
		cost = "+" + clock(with-without)
	}
	s.modes[plan.MySQL].cost.SetText(cost)
}

func (s *setup) say(sentence string, weight widget.Importance) {
	s.summary.Importance = weight
	s.summary.SetText(sentence)
}

// unavailable is a fault when the port is taken, or something that is ticked cannot run as it was typed.
func (s *setup) unavailable(p plan.Plan) *fault {
	if err := s.w.core.CheckHere(p); err != nil {
		var told *text.Error
		if p.Port > 0 && errors.As(err, &told) && strings.Contains(told.ID, "port") {
			return &fault{"port", err}
		}
		return &fault{err: err}
	}
	for _, placement := range s.w.form.Modes {
		if row := s.modes[placement]; row != nil && row.off != nil && s.w.form.has(placement) {
			return &fault{err: text.Err("window.mode-off", text.Args{
				"Mode": s.w.modeName(placement), "Reason": s.w.words.Error(row.off.Err)}, nil)}
		}
	}
	return nil
}

// testsOf counts the tests and scripts of p's loads, each once.
func testsOf(p plan.Plan) int {
	tests := map[string]bool{}
	for _, w := range p.EveryWorkload() {
		tests[w.Test] = true
	}
	return len(tests)
}

// sizeLine is "3 modes × 4 tests × 2 payloads × 4 rounds: 96 samples, 1:40",
// with what the MySQL baseline adds to it.
func (w *window) sizeLine(p plan.Plan) string {
	redis := p
	redis.Variants = slices.DeleteFunc(slices.Clone(p.Variants), func(v plan.Variant) bool { return v.Service == plan.MySQL })
	var factors []string
	if len(redis.Variants) > 0 {
		factors = append(factors, w.words.N("window.count-modes", len(redis.Variants)))
	}
	switch {
	case len(p.Loads) > 1 || len(p.OLTPs) > 1:
		factors = append(factors, w.words.N("window.count-loads", max(len(p.Loads), len(p.OLTPs))))
	case len(p.Loads) > 0 && len(redis.Variants) > 0:
		l := p.Loads[0]
		factors = append(factors, w.words.N("window.count-tests", len(l.Tests)), w.words.N("window.count-payloads", len(l.PayloadBytes)))
		for _, list := range []struct {
			id string
			n  int
		}{{"pipelines", len(l.Pipelines)}, {"clients", len(l.Clients)}, {"rates", len(l.Rates)}} {
			if list.n > 1 {
				factors = append(factors, w.words.N("window.count-"+list.id, list.n))
			}
		}
	}
	factors = append(factors, w.words.N("window.count-rounds", p.Rounds))
	line := strings.Join(factors, " × ")
	if added := p.Expected() - redis.Expected(); added > 0 {
		line = w.t("plus-mysql", text.Args{"Factors": line, "Time": clock(added)})
	}
	size := w.words.N("window.size", p.Samples(), text.Args{"Factors": line, "Time": clock(p.Expected())})
	if need := p.DiskBytes(); need >= 1<<30 {
		size = w.t("size-disk", text.Args{"Size": size, "Disk": fmt.Sprintf("%.1f", float64(need)/(1<<30))})
	}
	return size
}

// customName is the name of a plan that is no preset's as it stands.
const customName = "custom"

// clock writes d as 1:40 or 1:02:05.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// press starts the run, if the form is free of faults.
func (s *setup) press() {
	if s.run.Disabled() {
		return
	}
	p, fault := s.w.form.plan(s.w.words)
	if fault != nil {
		s.changed()
		return
	}
	if !s.isPreset() {
		p.Name = customName
	}
	s.w.remember(keyForm)
	start := func() {
		s.w.remember(keyLastRun)
		s.w.execute(p)
	}
	if p.Expected() > plan.LongPlan {
		s.w.ask("long-plan", s.w.t("long-plan-question", text.Args{"Time": clock(p.Expected())}), "run", start)
		return
	}
	start()
}
