package figure

import (
	"strings"
	"testing"

	"berth/core/internal/simulated"
	"berth/core/result"
)

// A figure of samples in which the load client was the limit says so: what it shows of the
// server is a lower bound.
func TestEveryFigureSaysWhereTheClientWasTheLimit(t *testing.T) {
	const sentence = "the load client was the limit"
	o := simulated.Options{Seed: 3, Rounds: 6, Variants: simulated.Five(), Tests: []string{"SET", "GET"}, PayloadBytes: []int{10, 100, 1000}, SampleNoise: 0.01, Histograms: true}
	r := simulated.Run(o)
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Variant == "native" && s.Workload.Test == "SET" {
			s.Flags, s.Bottleneck = []string{result.FlagClientBound}, result.BottleneckClient
		}
	}
	calm := simulated.Run(o)
	for _, name := range Names(r) {
		if !says(t, name, r, sentence) {
			t.Errorf("%s does not say that the client was the limit", name)
		}
		if says(t, name, calm, sentence) {
			t.Errorf("%s says of a calm run that the client was the limit", name)
		}
	}
}

// says whether a text of the figure has sentence in it.
func says(t *testing.T, name string, r *result.Run, sentence string) bool {
	t.Helper()
	f, err := New(name, r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, m := range f.canvas.marks {
		words = append(words, m.text)
	}
	return strings.Contains(strings.Join(words, " "), sentence)
}
