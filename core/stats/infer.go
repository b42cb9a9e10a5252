package stats

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	// gonum has Student's t and its noncentral form, which power needs.
	"gonum.org/v1/gonum/stat/distuv"
)

// smallestP is the least p value that is given: a test that ends at zero has
// run out of digits, not of doubt.
const smallestP = 1e-15

// An estimate is what rounds say about the mean of their log ratios.
type estimate struct {
	mean, low, high float64 // 95% t interval
	deviation       float64 // standard deviation between rounds
	p               float64 // two-sided, of a mean of 0
}

// estimateMean is the one-sample t interval and test of xs. Below two values
// there is a mean only, and p is 1.
func estimateMean(xs []float64) estimate {
	mean := stat.Mean(xs, nil)
	if len(xs) < 2 {
		return estimate{mean: mean, low: mean, high: mean, p: 1}
	}
	e := estimate{mean: mean, deviation: stat.StdDev(xs, nil)}
	half := tQuantile(1-alpha/2, len(xs)-1) * e.deviation / math.Sqrt(float64(len(xs)))
	e.low, e.high = mean-half, mean+half
	e.p = tTest(mean, e.deviation, len(xs))
	return e
}

func tTest(mean, deviation float64, n int) float64 {
	if mean == 0 {
		return 1
	}
	t := math.Abs(mean) * math.Sqrt(float64(n)) / deviation
	if math.IsInf(t, 0) { // rounds without any spread
		return smallestP
	}
	return max(2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.CDF(-t), smallestP)
}

func tQuantile(p float64, freedom int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(p)
}

// holm corrects p values for their number, so that the chance of any wrong
// rejection among them stays at the level of one (S. Holm, "A simple sequentially
// rejective multiple test procedure", 1979). The order is ps's.
func holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, float64(len(ps)-rank)*ps[i]))
		out[i] = worst
	}
	return out
}

// DetectableDeviations is the smallest mean log ratio, in standard deviations
// of the log ratio between rounds, that a paired t test over so many rounds finds with
// 80% power at the strictest corrected level of so many comparisons: the d for which a
// noncentral t of rounds-1 degrees of freedom and noncentrality d·√rounds exceeds the critical t
// in 80% of cases. rounds is 2 or more, comparisons 1 or more.
func DetectableDeviations(rounds, comparisons int) float64 {
	freedom := rounds - 1
	critical := tQuantile(1-alpha/(2*float64(comparisons)), freedom)
	found := func(noncentrality float64) float64 {
		d := distuv.NoncentralT{Nu: float64(freedom), Mu: noncentrality}
		return 1 - d.CDF(critical) + d.CDF(-critical)
	}
	low, high := 0.0, critical+1
	for found(high) < power {
		high *= 2
	}
	for high-low > 1e-9*high {
		if mid := (low + high) / 2; found(mid) < power {
			low = mid
		} else {
			high = mid
		}
	}
	return high / math.Sqrt(float64(rounds))
}

// detectableCache keeps DetectableDeviations by rounds and comparisons: the
// comparisons of a family share very few pairs of them.
type detectableCache map[[2]int]float64

func (c detectableCache) deviations(rounds, comparisons int) float64 {
	key := [2]int{rounds, comparisons}
	d, ok := c[key]
	if !ok {
		d = DetectableDeviations(rounds, comparisons)
		c[key] = d
	}
	return d
}

// The sign-flip test counts every assignment of signs up to exactRounds, and
// draws so many beyond.
const (
	exactRounds = 16
	signDraws   = 20_000
)

// Permutation is the p value of the sign-flip test: the share of all ways to
// swap A and B within rounds that give a mean log ratio as far from 0 as the one seen.
// It is not corrected, and with n rounds it cannot go below 2/2ⁿ. ok is false below 6 rounds.
func (c Comparison) Permutation() (p float64, ok bool) {
	if len(c.LogRatios) < rankRounds {
		return 0, false
	}
	return signFlip(c.LogRatios), true
}

func signFlip(xs []float64) float64 {
	seen, scale := 0.0, 0.0
	for _, x := range xs {
		seen += x
		scale += math.Abs(x)
	}
	// Sums in another order round differently: a tie must still count.
	far := math.Abs(seen) - 1e-9*scale
	if len(xs) > exactRounds {
		return drawnSigns(xs, far)
	}
	// Gray code: each assignment differs from the one before in one sign.
	sum, count, flipped := seen, 1, make([]bool, len(xs))
	for i := 1; i < 1<<len(xs); i++ {
		bit := bits.TrailingZeros(uint(i))
		flipped[bit] = !flipped[bit]
		if flipped[bit] {
			sum -= 2 * xs[bit]
		} else {
			sum += 2 * xs[bit]
		}
		if math.Abs(sum) >= far {
			count++
		}
	}
	return float64(count) / float64(int(1)<<len(xs))
}

// drawnSigns draws assignments from a fixed seed, so that a run's figures are
// the same whenever they are computed; the one seen counts as drawn.
func drawnSigns(xs []float64, far float64) float64 {
	source := rand.New(rand.NewPCG(1, 2))
	count := 1
	for range signDraws {
		sum, signs := 0.0, uint64(0)
		for i, x := range xs {
			if i%64 == 0 {
				signs = source.Uint64()
			}
			if signs&1 == 1 {
				x = -x
			}
			signs >>= 1
			sum += x
		}
		if math.Abs(sum) >= far {
			count++
		}
	}
	return float64(count) / float64(signDraws+1)
}
