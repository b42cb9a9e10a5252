package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	log, _, err := result.Resume(r.Path, filepath.Join(t.core.Folder(), r.ID, result.LogName))
	if err != nil {
		return failed(err)
	}
	for i := range edits {
		err = errors.Join(err, log.Append(result.Event{Type: result.TypeEdit, At: time.Now().UTC(), Edit: &edits[i]}))
	}
	if err = errors.Join(err, log.Close()); err != nil {
		return failed(err)
	}
	fmt.Fprintln(t.err, t.words.T("cli.edited", text.Args{"Path": r.Path}))
	return nil
}

// edits are what the flags ask for, checked whole. An empty text takes the one before away.
func (f editFlags) edits(r *result.Run, given func(flag string) bool) ([]result.EditEvent, error) {
	var out []result.EditEvent
	for _, x := range []struct{ key, value string }{{"title", f.title}, {"caption", f.caption}, {"note", f.note}} {
		if given(x.key) {
			out = append(out, result.EditEvent{Key: x.key, Value: x.value})
		}
	}
	labels := result.Order(r)
	shown := map[string]string{}
	for _, l := range labels {
		shown[l] = r.Edits["name:"+l]
	}
	unknown := func(label string) error {
		return text.Err("cli.variant-unknown", text.Args{"Variant": label, "Variants": strings.Join(labels, ", ")}, nil)
	}
	for _, s := range f.names {
		// A label may have a "=" in it, so the label that fits is looked for.
		i := slices.IndexFunc(labels, func(l string) bool { return strings.HasPrefix(s, l+"=") })
		if i < 0 {
			label, _, _ := strings.Cut(s, "=")
			return nil, unknown(label)
		}
		shown[labels[i]] = strings.TrimPrefix(s, labels[i]+"=")
		out = append(out, result.EditEvent{Key: "name:" + labels[i], Value: shown[labels[i]]})
	}
	for _, a := range labels {
		for _, b := range labels {
			if a != b && shown[a] != "" && (shown[a] == shown[b] || shown[a] == b) {
				return nil, text.Err("cli.name-taken", text.Args{"Name": shown[a], "Variant": b}, nil)
			}
		}
	}
	for _, label := range f.order {
		if !slices.Contains(labels, label) {
			return nil, unknown(label)
		}
	}
	if given("order") {
		out = append(out, result.EditEvent{Key: "order", Value: strings.Join(f.order, "\n")})
	}
	if len(out) == 0 {
		return nil, text.Err("cli.edit-nothing", nil, nil)
	}
	return out, nil
}
