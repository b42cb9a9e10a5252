package oltp

import (
	"sync"
	"time"
)

// longestQueue is how many transactions may wait at a fixed rate; sysbench
// gives up at the same length.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L94
const longestQueue = 131_072

// Arrivals are the times at which transactions are due at a fixed rate: a
// Poisson process of rate λ a second, that is with gaps of -ln(1-u)/λ. Whoever is
// free takes the next one, so they form one queue, first come first served.
type arrivals struct {
	mu      sync.Mutex
	rate    float64
	random  *random
	next    time.Duration   // the first that has not been put in the queue
	waiting []time.Duration // due, and taken by nobody
	running int64
}

func newArrivals(rate float64, r *random) *arrivals {
	a := &arrivals{rate: rate, random: r}
	a.next = a.gap()
	return a
}

func (a *arrivals) gap() time.Duration {
	return time.Duration(a.random.exponential() / a.rate * float64(time.Second))
}

// advance puts what is due by now in the queue.
func (a *arrivals) advance(now time.Duration) {
	for a.next <= now && len(a.waiting) <= longestQueue {
		a.waiting = append(a.waiting, a.next)
		a.next += a.gap()
	}
}

// take is the time at which the caller's next transaction is due, past or
// to come; full says that the queue is longer than is allowed.
func (a *arrivals) take(now time.Duration) (due time.Duration, full bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.advance(now)
	if len(a.waiting) > longestQueue {
		return 0, true
	}
	if len(a.waiting) > 0 {
		due = a.waiting[0]
		a.waiting = a.waiting[1:]
		return due, false
	}
	due = a.next
	a.next += a.gap()
	return due, false
}

func (a *arrivals) began() { a.add(1) }
func (a *arrivals) ended() { a.add(-1) }

func (a *arrivals) add(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running += n
}

// state is how many transactions wait and how many run.
func (a *arrivals) state(now time.Duration) (queue, concurrency int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.advance(now)
	return int64(len(a.waiting)), a.running
}
