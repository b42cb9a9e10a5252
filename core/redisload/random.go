package redisload

import "math/bits"

// A random is a generator of one event loop: xorshift64* (Vigna, "An
// experimental exploration of Marsaglia's xorshift generators, scrambled",
// 2016). Its whole state is its value, so a copy repeats what it drew.
type random uint64

// newRandom gives the streams of one seed, numbered, that do not run into one
// another: each starts where splitmix64 of seed and stream puts it.
func newRandom(seed, stream uint64) random {
	z := seed + (stream+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	if z == 0 {
		z = 1 // the one state that xorshift never leaves
	}
	return random(z)
}

// below draws a number from 0 to n-1, n above 0.
func (r *random) below(n uint64) uint64 {
	x := uint64(*r)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = random(x)
	high, _ := bits.Mul64(x*0x2545f4914f6cdd1d, n)
	return high
}
