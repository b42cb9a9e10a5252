package report

import (
	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/result"
)

// fiveRun has all five placements, a published port that loses half, and a
// container's own address that loses an eighth.
func fiveRun(rounds int, tests ...string) *result.Run {
	variants := simulated.Five()
	for i := range variants {
		variants[i].Facts = host.Facts{"redis.version": "7.0.15", "redis.persistence": "none", "path": variants[i].Placement}
	}
	return simulated.Run(simulated.Options{Seed: 11, Rounds: rounds, Variants: variants, Tests: tests, SampleNoise: 0.01, Histograms: true})
}

// two is a run of native and of another variant with these speeds by test.
func two(rounds int, label, placement string, speed map[string]float64, tests ...string) *result.Run {
	return simulated.Run(simulated.Options{Seed: 5, Rounds: rounds, SampleNoise: 0.01, Tests: tests, Histograms: true, Variants: []simulated.Variant{
		{Label: "native", Placement: "native", StartNoise: 0.01}, {Label: label, Placement: placement, StartNoise: 0.01, Speed: speed}}})
}
