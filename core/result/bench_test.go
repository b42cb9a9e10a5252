package result_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"berth/core/internal/simulated"
	"berth/core/result"
)

// BenchmarkOpenTenThousandSamples opens the log of a run of 9,900 samples, which is to
// take less than a second.
func BenchmarkOpenTenThousandSamples(b *testing.B) {
	tests := make([]string, 90)
	for i := range tests {
		tests[i] = "TEST_" + string(rune('A'+i%26)) + string(rune('A'+i/26))
	}
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 22, Variants: simulated.Five(), Tests: tests, SampleNoise: 0.02, Histograms: true})
	path := filepath.Join(b.TempDir(), result.LogName)
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, e := range r.Events {
		if err := encoder.Encode(e); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		again, err := result.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if len(again.Samples) != len(r.Samples) {
			b.Fatalf("%d samples of %d", len(again.Samples), len(r.Samples))
		}
	}
	b.ReportMetric(float64(len(r.Samples)), "samples")
	b.ReportMetric(float64(lines.Len())/1e6, "MB")
}
