package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"berth/core/plan"
	"berth/core/result"
)

// A PathShare says how much of what a published port costs is the docker-proxy
// process: ln(direct ÷ nat) ÷ ln(native ÷ nat), the rest being the bridge. It holds
// for clients on the same machine through 127.0.0.1.
type PathShare struct {
	Native, Direct, NAT string // labels
	plan.Cell                  // empty: the geometric mean over all tests
	Rounds              int    // in which all three were measured
	Share               float64
	Low, High           float64  // its 95% interval; infinite where that has no ends
	ProxyCPU            *float64 // median, percent of one core; nil is unknown
}

// Apart says whether the two can be told apart: the interval holds something that a part of a whole can be, and
// leaves out some of that.
func (p PathShare) Apart() bool {
	return p.Low < 1 && p.High > 0 && (p.Low > 0 || p.High < 1)
}

// Within is Share within 0 to 1: all or nothing where noise leads beyond it.
func (p PathShare) Within() float64 { return max(0, min(p.Share, 1)) }

// Bounds are the interval's ends within 0 to 1: noise alone leads beyond what a share can be.
func (p PathShare) Bounds() (low, high float64) {
	return max(0, min(p.Low, 1)), max(0, min(p.High, 1))
}

// PathShares splits the loss of each docker-nat variant of r, over all tests
// and for each test, where that loss is significant in its family and 3 rounds or more
// have all three placements. It is empty where the run has not all three.
func PathShares(r *result.Run) []PathShare {
	native, direct := labelled(r, plan.Native), labelled(r, plan.DockerDirect)
	if native == "" || direct == "" {
		return nil
	}
	byDirect := map[[2]any]Comparison{}
	for _, c := range Comparisons(r, direct) {
		byDirect[[2]any{c.A, c.Cell}] = c
	}
	t := newTable(r)
	var out []PathShare
	for _, loss := range Comparisons(r, native) {
		if t.placement(loss.A) != plan.DockerNAT || loss.Verdict != result.Slower {
			continue
		}
		bridge, ok := byDirect[[2]any{loss.A, loss.Cell}]
		if !ok {
			continue
		}
		// Both are logarithms of nat ÷ another: the signs cancel in the share.
		numerator, denominator := sameRounds(bridge, loss)
		share, low, high, ok := fieller(numerator, denominator)
		if !ok {
			continue
		}
		out = append(out, PathShare{
			Native: native, Direct: direct, NAT: loss.A,
			Cell: loss.Cell, Rounds: len(numerator), Share: share, Low: low, High: high,
			ProxyCPU: t.proxyCPU(loss.A, loss.Cell),
		})
	}
	return out
}

// labelled is the label of r's first Redis variant in that placement; "" if there is none.
func labelled(r *result.Run, placement string) string {
	for _, v := range r.Plan.Variants {
		if v.Placement == placement && v.Service == plan.Redis {
			return v.Label
		}
	}
	return ""
}

// sameRounds is a's and b's log ratios of the rounds that both have.
func sameRounds(a, b Comparison) (xs, ys []float64) {
	for i, round := range a.RoundsIn {
		if j := slices.Index(b.RoundsIn, round); j >= 0 {
			xs, ys = append(xs, a.LogRatios[i]), append(ys, b.LogRatios[j])
		}
	}
	return xs, ys
}

// fieller is the ratio of the means of paired xs and ys with its 95% interval (E. C.
// Fieller, "Some problems in interval estimation", 1954), which allows for the
// noise that both share. Where the mean of ys is not clearly off 0 the interval has no ends.
// ok is false below 3 pairs.
func fieller(xs, ys []float64) (ratio, low, high float64, ok bool) {
	n := len(xs)
	if n < minRounds {
		return 0, 0, 0, false
	}
	mx, my := stat.Mean(xs, nil), stat.Mean(ys, nil)
	t := tQuantile(1-alpha/2, float64(n-1))
	k := t * t / float64(n)
	// The interval is where a·θ² - 2b·θ + c is at most 0.
	a := my*my - k*stat.Variance(ys, nil)
	b := mx*my - k*stat.Covariance(xs, ys, nil)
	c := mx*mx - k*stat.Variance(xs, nil)
	if a <= 0 {
		return mx / my, math.Inf(-1), math.Inf(1), true
	}
	root := math.Sqrt(max(b*b-a*c, 0))
	return mx / my, (b - root) / a, (b + root) / a, true
}

// proxyCPU is the median over the variant's samples of w; over all its samples
// when w names no test.
func (t *table) proxyCPU(variant string, w plan.Cell) *float64 {
	var xs []float64
	for at, c := range t.cells[variant] {
		if w.Test != "" && at != w {
			continue
		}
		for _, s := range c.samples {
			if s.ProxyCPU != nil {
				xs = append(xs, *s.ProxyCPU)
			}
		}
	}
	m, ok := Median(xs)
	if !ok {
		return nil
	}
	return &m
}
