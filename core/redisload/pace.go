package redisload

import (
	"sync/atomic"
	"time"
)

// A pacer says when requests are due. With rate r, in requests a second,
// request number i, from 0, is due i/r after the start; with r of 0, at once.
type pacer struct {
	rate float64
}

// due is when request number i is due, after the start.
func (p pacer) due(i int64) time.Duration {
	if p.rate == 0 {
		return 0
	}
	return time.Duration(float64(i) / p.rate * float64(time.Second))
}

// pace says, after elapsed and with hits requests sent, how many more are
// due now, at most most; when none is, how long until the next is.
func (p pacer) pace(elapsed time.Duration, hits int64, most int) (ready int, wait time.Duration) {
	if p.rate == 0 {
		return most, 0
	}
	if next := p.due(hits); next > elapsed {
		return 0, next - elapsed
	}
	// Those with i/r <= elapsed: i from 0 to elapsed × r.
	passed := int64(elapsed.Seconds()*p.rate) + 1
	return int(max(1, min(int64(most), passed-hits))), 0
}

// A quota hands the requests of one part of a job out to its connections,
// whatever loop they are in: not more than limit, not after the end, not
// before they are due.
type quota struct {
	pacer pacer
	stop  time.Duration // after the start; 0: no end by time
	next  atomic.Int64  // requests handed out
	limit atomic.Int64  // at most; negative: no limit
}

func newQuota(rate float64, requests int64, stop time.Duration) *quota {
	q := &quota{pacer: pacer{rate: rate}, stop: stop}
	q.limit.Store(-1)
	if requests > 0 {
		q.limit.Store(requests)
	}
	return q
}

// take hands out up to most requests: n of them, the first of which has the
// number first. With n of 0, wait is how long until one is due; none will be
// if that is 0 too.
func (q *quota) take(elapsed time.Duration, most int) (first int64, n int, wait time.Duration) {
	if q.stop > 0 && elapsed >= q.stop {
		return 0, 0, 0
	}
	limit := q.limit.Load()
	if limit < 0 && q.pacer.rate == 0 {
		return 0, most, 0
	}
	for {
		hits := q.next.Load()
		m := most
		if limit >= 0 {
			m = int(min(int64(m), limit-hits))
		}
		if m <= 0 {
			return 0, 0, 0
		}
		ready, wait := q.pacer.pace(elapsed, hits, m)
		if ready == 0 {
			if q.stop > 0 && elapsed+wait >= q.stop {
				return 0, 0, 0
			}
			return 0, 0, wait
		}
		if q.next.CompareAndSwap(hits, hits+int64(ready)) {
			return hits, ready, 0
		}
	}
}

// giveBack returns n requests whose replies will never come, so that others
// are sent in their stead.
func (q *quota) giveBack(n int) {
	if q.limit.Load() >= 0 {
		q.limit.Add(int64(n))
	}
}
