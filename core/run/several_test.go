package run

import (
	"testing"

	"berth/core/need"
	"berth/core/plan"
)

func TestEachLoadAndRateIsMeasuredAsItWasAsked(t *testing.T) {
	need.Redis(t)
	p := short(1)
	p.Variants = p.Variants[:1]
	plain, paced := p.Loads[0], p.Loads[0]
	plain.Name, plain.Tests, plain.Seconds, plain.Requests = "plain", []string{"SET"}, 0, 5000
	paced.Name, paced.Tests, paced.Rates, paced.Seconds = "paced", []string{"SET"}, []int{1000, 0}, 0.5
	p.Loads = []plan.Load{plain, paced}
	r, err := Execute(t.Context(), Options{Plan: p})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 3 {
		t.Fatalf("%d samples, want 3", len(r.Samples))
	}
	if s := r.Samples[0]; s.Workload.Load != "plain" || s.Requests != 5000 {
		t.Errorf("%d requests of %+v", s.Requests, s.Workload)
	}
	slow, fast := r.Samples[1], r.Samples[2]
	if slow.Workload.Rate != 1000 || slow.RPS() > 1100 {
		t.Errorf("at %d requests a second %.0f were answered", slow.Workload.Rate, slow.RPS())
	}
	if fast.Workload.Rate != 0 || fast.RPS() < 2*slow.RPS() {
		t.Errorf("as fast as it goes %.0f a second, with a pace %.0f", fast.RPS(), slow.RPS())
	}
	nothingLeft(t)
}
