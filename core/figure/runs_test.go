package figure

import (
	"bytes"
	"strings"
	"testing"

	"berth/core/internal/simulated"
	"berth/core/result"
)

func TestRunsAreDrawnSideBySideWithTheirRatio(t *testing.T) {
	day := func(id string, seed uint64, share float64) *result.Run {
		variants := simulated.Five()[:2]
		variants[1].Speed = map[string]float64{"": share}
		r := simulated.Run(simulated.Options{Seed: seed, Rounds: 6, SampleNoise: 0.01, Variants: variants, Tests: []string{"SET", "GET"}, Histograms: true})
		r.ID = id
		return r
	}
	f, err := Runs([]*result.Run{day("monday", 1, 1), day("friday", 2, 0.5)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.SVG(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"@monday", "@friday", "% fewer requests", "(%) = of the same mode in monday", "run monday, friday"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the figure lacks %q", want)
		}
	}
	strange := day("other", 3, 1)
	for i := range strange.Samples {
		strange.Samples[i].Workload.Test = "INCR"
	}
	if _, err := Runs([]*result.Run{day("monday", 1, 1), strange}, Options{}); err == nil {
		t.Error("runs without a test in common were drawn")
	}
}
