package result

import (
	"slices"
	"strings"

	"berth/core/plan"
	"berth/core/text"
)

// Name is what people read for the variant called label: the name that the
// user gave it, else its placement's short name when the label is no more than the
// placement (or the service MySQL), else the label itself. Charts, reports and
// the window all take it from here. Of "label@run", as comparisons of runs call a variant, the
// label is named so.
func Name(r *Run, label string, c *text.Catalogue) string {
	if name := r.Edits[EditNameOf(label)]; name != "" {
		return name
	}
	if of, run, ok := strings.Cut(label, "@"); ok {
		return Name(&Run{}, of, c) + "@" + run
	}
	switch label {
	case plan.Native, plan.Pinned, plan.DockerNAT, plan.DockerDirect, plan.DockerHost, plan.Existing, plan.StandIn, plan.MySQL:
		return c.T("placement.short." + label)
	}
	return label
}

// LoadName is what people read for the plan's load called name: the catalogue's words for
// those of the presets, else the name itself.
func LoadName(name string, c *text.Catalogue) string {
	id := "plan.load-" + name
	if said := c.T(id); said != id {
		return said
	}
	return name
}

// Order is the labels of the plan's variants as people see them: first those that the user
// put in an order (the edit "order", a label a line), then the others as planned.
func Order(r *Run) []string {
	var planned, out []string
	for _, v := range r.Plan.Variants {
		planned = append(planned, v.Label)
	}
	for label := range strings.SplitSeq(r.Edits[EditOrder], "\n") {
		if slices.Contains(planned, label) && !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	for _, label := range planned {
		if !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	return out
}
