package result

import (
	"testing"

	"berth/core/plan"
)

func TestAnOrderNamesEachVariantOfTheRunOnce(t *testing.T) {
	r := &Run{RunEvent: RunEvent{Plan: plan.Plan{Variants: []plan.Variant{{Label: "native"}, {Label: "pinned"}}}}}
	for order, good := range map[string]bool{"": true, "pinned": true, "pinned\nnative": true, "native\nnative": false, "native\nother": false} {
		if err := CheckEdits(r, []EditEvent{{Key: EditOrder, Value: order}}); (err == nil) != good {
			t.Errorf("%q: %v", order, err)
		}
	}
}
