package result

import (
	"berth/core/plan"
	"berth/core/text"
)

// Name is what people read for the variant called label: the name that the
// user gave it, else its placement's short name when the label is no more than the
// placement (or the service MySQL), else the label itself. Charts, reports and
// the window all take it from here.
func Name(r *Run, label string, c *text.Catalogue) string {
	if name := r.Edits["name:"+label]; name != "" {
		return name
	}
	switch label {
	case plan.Native, plan.Pinned, plan.DockerNAT, plan.DockerDirect, plan.DockerHost, plan.Existing, plan.StandIn, plan.MySQL:
		return c.T("placement.short." + label)
	}
	return label
}
