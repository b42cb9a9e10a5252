package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

// One variant under two names, with the noise between starts of a native server or of a
// published port, a machine that slows down by a tenth, and starts and samples that now and
// then lose up to 30%.
func TestSameVariantUnderTwoNamesRarelyDiffers(t *testing.T) {
	const runs, limit = 2000, 0.06
	for _, noise := range []float64{0.03, 0.12} {
		for _, rounds := range []int{4, 6} {
			wrong := 0
			for seed := range uint64(runs) {
				r := simulated.Run(simulated.Options{Seed: seed, Rounds: rounds, Tests: []string{"SET", "GET", "INCR"},
					Variants:    []simulated.Variant{{Label: "a", Placement: plan.Native, StartNoise: noise}, {Label: "b", Placement: plan.Native, StartNoise: noise}},
					SampleNoise: 0.02, Drift: -0.1, HeavyTails: 0.05})
				if Compare(r, "")[0].Verdict != result.NoDifference {
					wrong++
				}
			}
			share := float64(wrong) / runs
			t.Logf("start noise %.2f, %d rounds: %d of %d runs show a difference (%.1f%%)", noise, rounds, wrong, runs, 100*share)
			if share > limit {
				t.Errorf("%.1f%% of A/A runs show a difference, at most %.1f%% may", 100*share, 100*limit)
			}
		}
	}
}

// Five placements without any effect: the first family as a whole keeps its level.
func TestFamilyOfFourComparisonsKeepsItsLevel(t *testing.T) {
	const runs, limit = 2000, 0.06
	wrong := 0
	for seed := range uint64(runs) {
		variants := simulated.Five()
		for i := range variants {
			variants[i].Speed = nil
		}
		r := simulated.Run(simulated.Options{Seed: seed, Rounds: 6, Variants: variants, Tests: []string{"SET", "GET"}, SampleNoise: 0.02, Drift: -0.1, HeavyTails: 0.05})
		for _, c := range Compare(r, "") {
			if c.Test == "" && c.Verdict != result.NoDifference {
				wrong++
				break
			}
		}
	}
	share := float64(wrong) / runs
	t.Logf("%d of %d runs show any difference (%.1f%%)", wrong, runs, 100*share)
	if share > limit {
		t.Errorf("%.1f%% of runs without an effect show one, at most %.1f%% may", 100*share, 100*limit)
	}
}

// One uncorrected comparison finds a known effect as often as the noncentral t says.
func TestKnownEffectsAreFoundAsOftenAsTheorySays(t *testing.T) {
	const runs = 2000
	for _, effect := range []float64{0.05, 0.10} {
		for _, rounds := range []int{4, 6, 8} {
			found := 0
			for seed := range uint64(runs) {
				r := simulated.Run(simulated.Options{Seed: seed, Rounds: rounds, Variants: []simulated.Variant{
					{Label: "a", Placement: plan.Native, StartNoise: 0.03},
					{Label: "b", Placement: plan.Native, StartNoise: 0.03, Speed: map[string]float64{"": 1 - effect}},
				}})
				if Compare(r, "")[0].Verdict == result.Slower {
					found++
				}
			}
			share, theory := float64(found)/runs, powerOf(-math.Log1p(-effect)/(0.03*math.Sqrt2), rounds)
			t.Logf("effect %.0f%%, %d rounds: found in %.1f%%, theory %.1f%%", 100*effect, rounds, 100*share, 100*theory)
			near(t, "share found", share, theory, 0.035)
		}
	}
}

// powerOf is the chance that a paired t test at 5% finds a mean of that many
// standard deviations.
func powerOf(deviations float64, rounds int) float64 {
	nu := float64(rounds - 1)
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: nu}.Quantile(0.975)
	d := distuv.NoncentralT{Nu: nu, Mu: deviations * math.Sqrt(float64(rounds))}
	return 1 - d.CDF(critical) + d.CDF(-critical)
}

// An effect of the size that a run says it could have seen is found in 80% of such runs.
func TestSmallestDetectableIsFoundInFourOfFive(t *testing.T) {
	const runs, rounds, sigma = 2000, 6, 0.05
	effect := DetectableDeviations(rounds, 1) * sigma
	source := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range runs {
		xs := make([]float64, rounds)
		for i := range xs {
			xs[i] = -effect + sigma*source.NormFloat64()
		}
		if estimateMean(xs).p < alpha {
			found++
		}
	}
	near(t, "share found", float64(found)/runs, power, 0.03)
}
