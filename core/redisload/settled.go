package redisload

import (
	"slices"
	"time"
)

// What tells a part that began before throughput was flat: its first fifth was slower or
// faster than every other fifth, by more than a twentieth of the nearest of them; and by more
// than those differ among each other, or on a way that led from the first to the last fifth without a
// turn. What only varies seldom has such a first: of five values that vary alike, whatever by how
// much, fewer than one in ten.
const (
	fifths      = 5
	settledGap  = 0.05
	watchEvery  = 50 * time.Millisecond // of the counts that this is told from
	mostWatched = 400                   // after which every second one is kept
)

// A watch is how far a part was, again and again. The zero value is ready.
type watch struct {
	every int // of its readings so many are left out but one; 0 is 1
	skip  int
	seen  []Tick
}

func (w *watch) add(t Tick) {
	if w.skip++; w.skip < max(1, w.every) {
		return
	}
	w.skip = 0
	w.seen = append(w.seen, t)
	if len(w.seen) < mostWatched {
		return
	}
	for i := range len(w.seen) / 2 {
		w.seen[i] = w.seen[2*i+1]
	}
	w.seen = w.seen[:len(w.seen)/2]
	w.every = 2 * max(1, w.every)
}

// unsettled says whether a part that had so many replies after elapsed began before its
// throughput was flat. Too few readings to tell, two for each fifth, say nothing.
func (w *watch) unsettled(elapsed time.Duration, requests int64) bool {
	if len(w.seen) < 2*fifths {
		return false
	}
	var rates [fifths]float64
	before := 0.0
	for i := range rates {
		until := w.at(elapsed*time.Duration(i+1)/fifths, elapsed, requests)
		rates[i] = until - before
		before = until
	}
	low, high := rates[1], rates[1]
	for _, r := range rates[2:] {
		low, high = min(low, r), max(high, r)
	}
	gap := max(low-rates[0], rates[0]-high)
	far := rates[0] < low*(1-settledGap) || rates[0] > high*(1+settledGap)
	return low > 0 && far && (gap > high-low || oneWay(rates[:]))
}

// oneWay says whether rates only grow, or only fall.
func oneWay(rates []float64) bool {
	falling := slices.Clone(rates)
	slices.Reverse(falling)
	return slices.IsSorted(rates) || slices.IsSorted(falling)
}

// at is about how many replies there were at a time: on the line between the readings
// before and after it, of which the first is none at 0 and the last the part's end.
func (w *watch) at(t, elapsed time.Duration, requests int64) float64 {
	from := Tick{}
	for _, to := range append(w.seen[:len(w.seen):len(w.seen)], Tick{Elapsed: elapsed, Requests: requests}) {
		if to.Elapsed > elapsed {
			to = Tick{Elapsed: elapsed, Requests: requests}
		}
		if to.Elapsed >= t && to.Elapsed > from.Elapsed {
			return float64(from.Requests) + float64(to.Requests-from.Requests)*float64(t-from.Elapsed)/float64(to.Elapsed-from.Elapsed)
		}
		from = to
	}
	return float64(requests)
}
