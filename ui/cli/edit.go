package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/result"
	"berth/core/text"
)

type editFlags struct {
	title, caption, note string
	names, order         []string
}

func (t *terminal) editCommand() *cobra.Command {
	var f editFlags
	c := t.command("edit RUN", 1, func(c *cobra.Command, args []string) error { return t.edit(args[0], f, c.Flags().Changed) })
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.title, "title", "", t.words.T("cli.edit-title"))
	flags.StringVar(&f.caption, "caption", "", t.words.T("cli.edit-caption"))
	flags.StringVar(&f.note, "note", "", t.words.T("cli.edit-note"))
	flags.StringArrayVar(&f.names, "name", nil, t.words.T("cli.edit-name"))
	flags.StringSliceVar(&f.order, "order", nil, t.words.T("cli.edit-order"))
	return c
}

// edit keeps texts with a run: events at the end of its log, and of the user's
// own copy of it while that holds the same.
func (t *terminal) edit(run string, f editFlags, given func(flag string) bool) error {
	r, err := t.openRun(run)
	if err != nil {
		return err
	}
	edits, err := f.edits(r, given)
	if err != nil {
		return err
	}
	if _, err := result.Edit(r.Path, edits, filepath.Join(t.core.Folder(), r.ID, result.LogName)); err != nil {
		return failed(err)
	}
	fmt.Fprintln(t.err, t.words.T("cli.edited", text.Args{"Path": r.Path}))
	return nil
}

// edits are what the flags ask for, checked whole. An empty text takes the one before away.
func (f editFlags) edits(r *result.Run, given func(flag string) bool) ([]result.EditEvent, error) {
	var out []result.EditEvent
	for _, x := range []struct{ key, value string }{{result.EditTitle, f.title}, {result.EditCaption, f.caption}, {result.EditNote, f.note}} {
		if given(x.key) {
			out = append(out, result.EditEvent{Key: x.key, Value: x.value})
		}
	}
	labels := result.Order(r)
	for _, s := range f.names {
		// A label may have a "=" in it, so the label that fits is looked for.
		i := slices.IndexFunc(labels, func(l string) bool { return strings.HasPrefix(s, l+"=") })
		if i < 0 {
			label, _, _ := strings.Cut(s, "=")
			out = append(out, result.EditEvent{Key: result.EditNameOf(label)}) // which is refused below
			continue
		}
		out = append(out, result.EditEvent{Key: result.EditNameOf(labels[i]), Value: strings.TrimPrefix(s, labels[i]+"=")})
	}
	if given("order") {
		out = append(out, result.EditEvent{Key: result.EditOrder, Value: strings.Join(f.order, "\n")})
	}
	if len(out) == 0 {
		return nil, text.Err("cli.edit-nothing", nil, nil)
	}
	return out, result.CheckEdits(r, out)
}
