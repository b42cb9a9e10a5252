package oltp

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// Types of draws, by sysbench's names.
const (
	Special  = "special"
	Uniform  = "uniform"
	Gaussian = "gaussian"
	Pareto   = "pareto"
)

// Draws are all types of draws.
func Draws() []string { return []string{Special, Uniform, Gaussian, Pareto} }

// A random draws for one thread. Formulas are those of
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sb_rand.c; numbers are in
// [a, b], both among them, b at least a.
type random struct {
	source     *rand.PCG
	draw       func(a, b uint32) uint32
	iterations int
	// What sb_rand_init works out beforehand.
	iterationsMult, percentMult, halfPercentMult, shareMult, paretoPower float64
}

// newRandom gives the streams of one seed, numbered.
func newRandom(d Draw, seed, stream uint64) *random {
	r := &random{
		source:          rand.NewPCG(seed, stream),
		iterations:      d.Iterations,
		iterationsMult:  1 / float64(d.Iterations),
		percentMult:     float64(d.SpecialPercent) / 100,
		halfPercentMult: float64(d.SpecialPercent) / 200,
		shareMult:       100 / (100 - float64(d.SpecialShare)),
		paretoPower:     math.Log(d.ParetoH) / math.Log(1-d.ParetoH),
	}
	switch d.Type {
	case Uniform:
		r.draw = r.uniform
	case Gaussian:
		r.draw = r.gaussian
	case Pareto:
		r.draw = r.pareto
	default:
		r.draw = r.special
	}
	return r
}

// fraction is in [0, 1).
func (r *random) fraction() float64 { return float64(r.source.Uint64()>>11) / (1 << 53) }

// row draws a row's number, 1 to size, as the job says.
func (r *random) row(size int) int64 { return int64(r.draw(1, uint32(size))) }

// sb_rand_uniform
func (r *random) uniform(a, b uint32) uint32 {
	return uint32(float64(a) + r.fraction()*(float64(b-a)+1))
}

// sb_rand_gaussian
func (r *random) gaussian(a, b uint32) uint32 {
	t := float64(b-a) + 1
	sum := 0.0
	for range r.iterations {
		sum += r.fraction() * t
	}
	return a + uint32(sum*r.iterationsMult)
}

// sb_rand_special: a share of draws falls, uniformly, in the middle few percent of the
// range; the rest is spread around the middle like gaussian's.
func (r *random) special(a, b uint32) uint32 {
	t := float64(b - a)
	f := r.fraction()
	if f*t*r.shareMult < t {
		sum := 0.0
		for range r.iterations {
			sum += r.fraction()
		}
		return uint32(float64(a) + sum*t*r.iterationsMult)
	}
	middle := f*(t*r.percentMult+1) + t/2 - t*r.halfPercentMult
	return a + uint32(middle)
}

// sb_rand_pareto
func (r *random) pareto(a, b uint32) uint32 {
	return a + uint32((float64(b-a)+1)*math.Pow(r.fraction(), r.paretoPower))
}

// exponential draws a time with the mean 1.
func (r *random) exponential() float64 { return -math.Log(1 - r.fraction()) }

// digits fills text with groups of 11 random digits joined by "-": sb_rand_str with the
// templates of c and pad.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L132
func (r *random) digits(text []byte) {
	const group, below = 11, 100_000_000_000
	for at := 0; at < len(text); at += group + 1 {
		if at > 0 {
			text[at-1] = '-'
		}
		n := uint64(r.fraction() * below)
		for i := group - 1; i >= 0; i-- {
			text[at+i] = '0' + byte(n%10)
			n /= 10
		}
	}
}

// A uniqueSequence gives every 32-bit number once, in an order that looks
// random, to all threads: sb_rand_unique.
type uniqueSequence struct {
	index  atomic.Uint32
	offset uint32
}

func newUniqueSequence(index, offset uint32) *uniqueSequence {
	s := &uniqueSequence{offset: permute(permute(offset) + 0x46790905)}
	s.index.Store(permute(permute(index) + 0x682f0161))
	return s
}

func (s *uniqueSequence) next() uint32 {
	return permute((permute(s.index.Add(1)-1) + s.offset) ^ 0x5bf03635)
}

// permute maps the 32-bit numbers onto themselves by quadratic residues of a prime
// that is 3 modulo 4 (Preshing, "How to Generate a Sequence of Unique Random Integers").
func permute(x uint32) uint32 {
	const prime = 4294967291
	if x >= prime {
		return x
	}
	residue := uint32(uint64(x) * uint64(x) % prime)
	if x <= prime/2 {
		return residue
	}
	return prime - residue
}
