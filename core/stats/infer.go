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

// An estimate is what rounds say about a mean log ratio.
type estimate struct {
	mean, low, high float64 // 95% t interval
	standardError   float64 // of the mean
	freedom         float64 // degrees of freedom of its t
	p               float64 // two-sided, of a mean of 0
}

// estimateMean is the one-sample t interval and test of xs. Below two values
// there is a mean only, and p is 1.
func estimateMean(xs []float64) estimate {
	mean := stat.Mean(xs, nil)
	if len(xs) < 2 {
		return estimate{mean: mean, low: mean, high: mean, p: 1}
	}
	return estimateOf(mean, stat.StdDev(xs, nil)/math.Sqrt(float64(len(xs))), float64(len(xs)-1))
}

// estimateDifference is the mean of xs less the mean of ys, which are no pairs and may
// have spreads of their own (B. L. Welch, "The generalization of 'Student's' problem
// when several different population variances are involved", 1947), with F. E.
// Satterthwaite's degrees of freedom (1946), rounded down: where the fewer rounds are also
// the noisier ones, unrounded they find a difference in up to 6.5% of pairs without any
// (6 rounds against 3 of four times the deviation), and rounded down in 5.4%. Below two values
// on a side there is a difference only, and p is 1.
func estimateDifference(xs, ys []float64) estimate {
	mean := stat.Mean(xs, nil) - stat.Mean(ys, nil)
	if len(xs) < 2 || len(ys) < 2 {
		return estimate{mean: mean, low: mean, high: mean, p: 1}
	}
	fx, fy := float64(len(xs)-1), float64(len(ys)-1)
	x, y := stat.Variance(xs, nil)/(fx+1), stat.Variance(ys, nil)/(fy+1)
	freedom := fx + fy // of rounds without any spread
	if x+y > 0 {
		freedom = math.Floor((x + y) * (x + y) / (x*x/fx + y*y/fy))
	}
	return estimateOf(mean, math.Sqrt(x+y), freedom)
}

func estimateOf(mean, standardError, freedom float64) estimate {
	half := tQuantile(1-alpha/2, freedom) * standardError
	return estimate{mean: mean, low: mean - half, high: mean + half, standardError: standardError, freedom: freedom,
		p: tTest(mean, standardError, freedom)}
}

func tTest(mean, standardError, freedom float64) float64 {
	if mean == 0 {
		return 1
	}
	t := math.Abs(mean) / standardError
	if math.IsInf(t, 0) { // rounds without any spread
		return smallestP
	}
	return max(2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.CDF(-t), smallestP)
}

func tQuantile(p, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(p)
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
// 80% power at the strictest corrected level of so many comparisons. rounds is 2 or
// more, comparisons 1 or more.
func DetectableDeviations(rounds, comparisons int) float64 {
	return detectableErrors(float64(rounds-1), comparisons) / math.Sqrt(float64(rounds))
}

// detectableErrors is the smallest difference, in its standard errors, that a t test
// of so many degrees of freedom finds with 80% power at the strictest corrected level of
// so many comparisons: the noncentrality with which a noncentral t exceeds the critical t
// in 80% of cases.
func detectableErrors(freedom float64, comparisons int) float64 {
	critical := tQuantile(1-alpha/(2*float64(comparisons)), freedom)
	found := func(noncentrality float64) float64 {
		d := distuv.NoncentralT{Nu: freedom, Mu: noncentrality}
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
	return high
}

// A detectableCache keeps detectableErrors by degrees of freedom and comparisons:
// the comparisons within a run share very few pairs of them.
type detectableCache map[detectableKey]float64

type detectableKey struct {
	freedom     float64
	comparisons int
}

func (c detectableCache) errors(freedom float64, comparisons int) float64 {
	key := detectableKey{freedom, comparisons}
	d, ok := c[key]
	if !ok {
		d = detectableErrors(freedom, comparisons)
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
