package result

import (
	"errors"
	"slices"
	"strings"
	"time"

	"berth/core/text"
)

// Keys of edits. An empty value takes the text before away.
const (
	EditTitle   = "title"
	EditCaption = "caption"
	EditNote    = "note"
	EditOrder   = "order" // labels, a line each
	editName    = "name:" // before a label
)

// EditNameOf is the key of the name that the variant labelled so is shown under.
func EditNameOf(label string) string { return editName + label }

// Edit keeps texts with the run whose log is at path, as events at the end of it, and of each
// of copies that holds the same, and returns the run as it then is. Edits that CheckEdits
// refuses are not kept.
func Edit(path string, edits []EditEvent, copies ...string) (*Run, error) {
	log, r, err := Resume(path, copies...)
	if err != nil {
		return nil, err
	}
	if err := CheckEdits(r, edits); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	for i := range edits {
		e := Event{Type: TypeEdit, At: time.Now().UTC(), Edit: &edits[i]}
		if err := log.Append(e); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		r.Add(e)
	}
	return r, log.Close()
}

// CheckEdits says what is wrong with edits of r: a name or an order for a variant that r
// has not or has in an order already, or one name for two variants, which nobody could tell apart.
func CheckEdits(r *Run, edits []EditEvent) error {
	labels := Order(r)
	shown := map[string]string{}
	for _, l := range labels {
		shown[l] = r.Edits[EditNameOf(l)]
	}
	known := func(label string) error {
		if slices.Contains(labels, label) {
			return nil
		}
		return text.Err("result.variant-unknown", text.Args{"Variant": label, "Variants": strings.Join(labels, ", ")}, nil)
	}
	for _, e := range edits {
		if label, ok := strings.CutPrefix(e.Key, editName); ok {
			if err := known(label); err != nil {
				return err
			}
			shown[label] = e.Value
		}
		if e.Key == EditOrder && e.Value != "" {
			ordered := map[string]bool{}
			for label := range strings.SplitSeq(e.Value, "\n") {
				if err := known(label); err != nil {
					return err
				}
				if ordered[label] {
					return text.Err("result.order-twice", text.Args{"Variant": label}, nil)
				}
				ordered[label] = true
			}
		}
	}
	for _, a := range labels {
		for _, b := range labels {
			if a != b && shown[a] != "" && (shown[a] == shown[b] || shown[a] == b) {
				return text.Err("result.name-taken", text.Args{"Name": shown[a], "Variant": b}, nil)
			}
		}
	}
	return nil
}
