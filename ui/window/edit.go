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

	"berth/core/result"
)

// A wording is what the user may write over a run, as it stands in the dialog.
type wording struct {
	title, caption, note *line
	order                []string         // labels
	names                map[string]*line // by label
}

// editTexts opens the dialog for title, caption, note, and the names and the order of the modes. They are
// kept with the run, as events at the end of its log.
func (s *results) editTexts() {
	w, r := s.w, s.kept
	x := wording{
		title:   w.newLine(r.Edits[result.EditTitle], r.Plan.Title),
		caption: w.newParagraph(r.Edits[result.EditCaption], 2),
		note:    w.newParagraph(r.Edits[result.EditNote], 2),
		order:   result.Order(r),
		names:   map[string]*line{},
	}
	bare := &result.Run{} // without the user's names
	for _, label := range x.order {
		x.names[label] = w.newLine(r.Edits[result.EditNameOf(label)], w.variantName(bare, label))
	}
	modes := container.NewVBox()
	var fill func()
	move := func(i, by int) func() {
		return func() {
			x.order[i], x.order[i+by] = x.order[i+by], x.order[i]
			fill()
			w.win.Canvas().Unfocus()
		}
	}
	fill = func() {
		modes.RemoveAll()
		for i, label := range x.order {
			up := widget.NewButtonWithIcon("", theme.MoveUpIcon(), nil)
			down := widget.NewButtonWithIcon("", theme.MoveDownIcon(), nil)
			if i > 0 {
				up.OnTapped = move(i, -1)
			} else {
				up.Disable()
			}
			if i < len(x.order)-1 {
				down.OnTapped = move(i, 1)
			} else {
				down.Disable()
			}
			modes.Add(container.NewBorder(nil, nil, swatch(colour(r.Plan, label)), container.NewHBox(up, down), x.names[label]))
		}
	}
	fill()
	form := container.NewVBox(container.New(layout.NewFormLayout(),
		widget.NewLabel(w.t("edit-title")), x.title,
		widget.NewLabel(w.t("edit-caption")), x.caption,
		widget.NewLabel(w.t("edit-note")), x.note),
		widget.NewLabelWithStyle(w.t("edit-modes"), fyne.TextAlignLeading, fyne.TextStyle{Bold: true}), modes, note(w.t("edit-hint")))
	height := min(form.MinSize().Height+140, w.win.Canvas().Size().Height-60)
	w.fillIn("edit-texts", "save", container.NewVScroll(form), fyne.NewSize(680, height), func() bool {
		return s.keep(x.edits(r))
	})
}

// edits are what x changes of r.
func (x wording) edits(r *result.Run) []result.EditEvent {
	var out []result.EditEvent
	change := func(key, value string) {
		if value = strings.TrimSpace(value); value != r.Edits[key] {
			out = append(out, result.EditEvent{Key: key, Value: value})
		}
	}
	change(result.EditTitle, x.title.Text)
	change(result.EditCaption, x.caption.Text)
	change(result.EditNote, x.note.Text)
	for _, label := range x.order {
		change(result.EditNameOf(label), x.names[label].Text)
	}
	if !slices.Equal(x.order, result.Order(r)) {
		out = append(out, result.EditEvent{Key: result.EditOrder, Value: strings.Join(x.order, "\n")})
	}
	return out
}

// keep keeps edits and shows the run with them; false, with the reason shown, if they cannot be kept.
func (s *results) keep(edits []result.EditEvent) bool {
	if len(edits) == 0 {
		return true
	}
	r, err := s.w.core.Edit(s.kept, edits)
	if err != nil {
		s.w.showError(err)
		return false
	}
	s.kept = r
	s.show()
	s.say(s.w.t("edited"), widget.SuccessImportance)
	return true
}
