//go:build !headless

package window

import (
	"context"
	"image/color"
	"net"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/plan"
	"berth/core/server"
	"berth/core/text"
)

// allModes are the modes in the form's order: every placement of Redis, then the MySQL baseline.
func allModes() []string { return append(slices.Clone(plan.Placements), plan.MySQL) }

// modeOf is the mode that a variant belongs to.
func modeOf(v plan.Variant) string {
	if v.Service == plan.MySQL {
		return plan.MySQL
	}
	return v.Placement
}

// A modeRow is one mode: its tick, its colour, what belongs to it alone, and,
// where it cannot run, why and what to do.
type modeRow struct {
	s         *setup
	placement string
	swatch    *canvas.Rectangle
	check     *widget.Check
	trouble   *fyne.Container // empty while the mode can run
	cpus      *widget.Label   // those that there are to be pinned to; nil of other modes
	cost      *widget.Label   // how much longer the run is for MySQL; nil of other modes
	more      *fyne.Container // what is asked of an existing server and of MySQL; nil of other modes
	// off is why the mode cannot run; nil while it can, or is not known yet.
	off *server.Availability
}

// modesColumn is a row for every mode.
func (s *setup) modesColumn() fyne.CanvasObject {
	rows := container.NewVBox()
	for _, mode := range allModes() {
		rows.Add(s.newModeRow(mode))
	}
	return column(s.w.t("modes"), container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 8, 8), rows)))
}

func (s *setup) newModeRow(placement string) fyne.CanvasObject {
	r := &modeRow{s: s, placement: placement, trouble: container.NewVBox()}
	s.modes[placement] = r
	square := swatch(-1)
	r.swatch = square.Objects[0].(*canvas.Rectangle)
	r.check = widget.NewCheck(s.w.modeName(placement), nil)
	r.check.Checked = s.w.form.has(placement)
	line := container.NewHBox(square, r.check)
	box := container.NewVBox(line)
	switch placement {
	case plan.Pinned:
		line.Add(r.cpuEntry())
		r.cpus = note("")
		line.Add(fixedWidth(200, r.cpus))
	case plan.Existing, plan.MySQL:
		more := r.existingForm()
		if placement == plan.MySQL {
			more = r.mysqlForm()
			r.cost = note("")
			line.Add(r.cost)
		}
		if !r.check.Checked {
			more.Hide()
		}
		r.more = more
		box.Add(more)
		r.check.OnChanged = func(on bool) {
			if on {
				more.Show()
			} else {
				more.Hide()
			}
			r.ticked(on)
		}
	}
	if r.check.OnChanged == nil {
		r.check.OnChanged = r.ticked
	}
	box.Add(r.trouble)
	return box
}

func (r *modeRow) ticked(on bool) {
	r.s.w.form.tick(r.placement, on)
	r.s.changed()
}

// paint shows the colour that the mode will have in the charts; hollow when it is not ticked.
func (r *modeRow) paint(index int) { paint(r.swatch, index, index >= 0) }

func (r *modeRow) cpuEntry() fyne.CanvasObject {
	f := r.s.load.entry("cpus", &r.s.w.form.CPUs, r.s.w.t("cpus-auto"))
	typed := f.OnChanged
	f.OnChanged = func(cpus string) {
		typed(cpus)
		r.ask()
	}
	return fixedWidth(90, f)
}

// existingForm asks where the existing server is, and tries to reach it.
func (r *modeRow) existingForm() *fyne.Container {
	f, w := &r.s.w.form, r.s.w
	address := r.s.load.entry("address", &f.Address, "127.0.0.1:6379")
	user := r.s.load.entry("user", &f.User, "default")
	password := r.s.load.entry("password", &f.Password, w.t("password-hint"))
	password.Password = true
	answer := note(w.t("existing-hint"))
	var test *widget.Button
	test = widget.NewButton(w.t("test-connection"), func() {
		test.Disable()
		answer.SetText(w.t("connecting"))
		w.testConnection(func(sentence string, weight widget.Importance) {
			answer.Importance = weight
			answer.SetText(sentence)
			test.Enable()
		})
	})
	return container.NewBorder(nil, nil, indent(), nil, container.NewVBox(
		container.New(layout.NewFormLayout(),
			widget.NewLabel(w.t("entry-address")), address,
			widget.NewLabel(w.t("entry-user")), user,
			widget.NewLabel(w.t("entry-password")), password),
		container.NewBorder(nil, nil, test, nil, answer)))
}

// testConnection reaches the existing server beside the window and answers with a sentence.
func (w *window) testConnection(answer func(string, widget.Importance)) {
	read := reader{words: w.words}
	v := w.form.variant(plan.Existing, &read)
	if read.err != nil {
		answer(w.words.Error(read.err), widget.DangerImportance)
		return
	}
	w.beside(func(ctx context.Context) {
		facts, err := w.core.TestConnection(ctx, endpoint(v))
		w.do(func() {
			if err != nil {
				answer(w.words.Error(err), widget.DangerImportance)
				return
			}
			sentence, weight := w.t("connected", text.Args{"Version": facts["redis.version"]}), widget.SuccessImportance
			for _, caution := range server.Cautions(facts) {
				sentence, weight = sentence+"\n"+w.words.Error(caution)+".", widget.WarningImportance
			}
			answer(sentence, weight)
		})
	})
}

func endpoint(v plan.Variant) server.Endpoint {
	e := server.Endpoint{Network: "tcp", Address: hostPort(v.Host, v.Port),
		User: v.User, Password: v.Password, Database: v.Database, TLS: v.TLS}
	if v.Socket != "" {
		e.Network, e.Address = "unix", v.Socket
	}
	return e
}

// checkModes asks of every mode whether it can run here.
func (s *setup) checkModes() {
	for _, mode := range allModes() {
		if mode != plan.Existing { // it is reached on demand
			s.modes[mode].ask()
		}
	}
}

// ask finds out, beside the window, whether the mode can run here.
func (r *modeRow) ask() {
	read := reader{words: r.s.w.words}
	v := r.s.w.form.variant(r.placement, &read)
	if v.Placement == plan.Existing { // it is reached on demand
		r.answer(server.Availability{OK: true})
		return
	}
	r.s.w.beside(func(ctx context.Context) {
		a := r.s.w.core.Available(ctx, v)
		r.s.w.do(func() {
			if r.s.w.setup == r.s && r.s.w.form.variant(r.placement, &reader{words: r.s.w.words}) == v {
				r.answer(a)
			}
		})
	})
}

// answer shows whether the mode can run; where it cannot it is off, with what to do.
func (r *modeRow) answer(a server.Availability) {
	r.trouble.RemoveAll()
	r.off = nil
	f := &r.s.w.form
	// CPUs that were typed are a fault to mend, not a mode to leave out.
	typed := r.placement == plan.Pinned && f.CPUs != ""
	f.Off[r.placement] = !a.OK && !typed
	if !a.OK {
		r.off = &a
		r.explain(a)
		if r.more != nil { // it may run elsewhere
			r.more.Show()
		}
	}
	if online := a.Facts["host.cpus_online"]; r.cpus != nil && online != "" {
		r.cpus.SetText(r.s.w.t("cpus-of", text.Args{"CPUs": strings.ReplaceAll(online, "-", "–")}))
	}
	r.check.Checked = f.has(r.placement)
	if f.Off[r.placement] {
		r.check.Disable()
	} else {
		r.check.Enable()
	}
	r.check.Refresh()
	r.trouble.Refresh()
	r.s.changed()
}

func (r *modeRow) explain(a server.Availability) {
	words := r.s.w.words
	sentences := r.s.w.t("off", text.Args{"Reason": words.Error(a.Err)})
	if a.AdviceErr != nil {
		sentences += "\n" + words.Error(a.AdviceErr)
	}
	why := note(sentences)
	why.Importance = widget.WarningImportance
	buttons := container.NewHBox(container.NewHBox()) // as far in as the text above
	if a.Command != "" {
		command := widget.NewLabelWithStyle(a.Command, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
		command.SizeName = theme.SizeNameCaptionText
		buttons.Add(command)
		buttons.Add(r.s.w.copyButton(func() string { return a.Command }))
	}
	buttons.Add(widget.NewButton(r.s.w.t("check-again"), r.ask))
	r.trouble.Add(container.NewBorder(nil, nil, indent(), nil, container.New(layout.NewCustomPaddedVBoxLayout(-4), why, buttons)))
}

// indent sets what belongs to a mode under its name.
func indent() fyne.CanvasObject {
	space := canvas.NewRectangle(color.Transparent)
	space.SetMinSize(fyne.NewSize(48, 0))
	return space
}

func hostPort(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
