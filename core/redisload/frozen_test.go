package redisload

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A freezer answers SETs at once, but for those that it is told to hold. It
// knows how long it really held each.
type freezer struct {
	mu     sync.Mutex
	calls  int
	hold   func(call int) time.Duration // calls count from 0
	frozen []time.Duration
}

func (f *freezer) reply([]string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	call := f.calls
	f.calls++
	if d := f.hold(call); d > 0 {
		began := time.Now()
		time.Sleep(d)
		f.frozen = append(f.frozen, time.Since(began))
	}
	return "+OK\r\n"
}

// within compares a histogram with latencies that arithmetic gives, and says
// whether they agree to 1%, at quantiles where they are far above the
// machine's own noise.
func within(t *testing.T, what string, h *hdrhistogram.Histogram, want []time.Duration, quantiles ...float64) bool {
	t.Helper()
	slices.Sort(want)
	if h.TotalCount() != int64(len(want)) {
		t.Fatalf("%s: %d latencies, want %d", what, h.TotalCount(), len(want))
	}
	agree := true
	for _, q := range quantiles {
		rank := max(1, int(q/100*float64(len(want))+0.5))
		w := want[rank-1]
		got := time.Duration(h.ValueAtPercentile(q)) * time.Microsecond
		t.Logf("%s: p%g is %v, arithmetic says %v", what, q, got, w)
		if diff := (got - w).Abs(); float64(diff) > 0.01*float64(w) {
			agree = false
		}
	}
	return agree
}

// onQuietMachine tries a measurement up to three times: other programs can
// take the CPU from this one and so add to latencies, but an engine that
// reckons wrongly does so each time.
func onQuietMachine(t *testing.T, measure func() bool) {
	t.Helper()
	for range 3 {
		if measure() {
			return
		}
	}
	t.Error("three times the percentiles were not within 1% of what arithmetic says")
}

func TestFrozenServerShowsInUncorrectedPercentilesAsLongAsItFroze(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		onQuietMachine(t, func() bool {
			f := &freezer{hold: func(call int) time.Duration {
				if call%10 == 3 {
					return time.Second / 2
				}
				return 0
			}}
			job := jobFor(fakeServer(t, redisLike(f.reply)), "SET")
			job.Clients, job.Requests, job.ForcePortable = 1, 30, portable
			r := runJob(t, job)
			want := slices.Clone(f.frozen)
			for len(want) < 30 {
				want = append(want, 0)
			}
			p50 := r.Latency.ValueAtPercentile(50) // no freeze is in it
			return within(t, "no rate", r.Latency, want, 92, 95, 100) && p50 < 50_000
		})
	})
}

func TestFrozenServerShowsInCorrectedPercentilesFromTheDueTime(t *testing.T) {
	const (
		rate  = 100
		total = 300
		at    = 50 // the request that is held, due half a second after the start
		hold  = 2 * time.Second
	)
	engines(t, func(t *testing.T, portable bool) {
		onQuietMachine(t, func() bool {
			f := &freezer{hold: func(call int) time.Duration {
				if call == at {
					return hold
				}
				return 0
			}}
			job := jobFor(fakeServer(t, redisLike(f.reply)), "SET")
			job.Clients, job.Requests, job.Rate, job.ForcePortable = 1, total, rate, portable
			job.Pipeline = 50 // so that what has piled up is not served one by one
			r := runJob(t, job)
			var corrected, service []time.Duration
			for i := range total {
				// Requests that become due while the server is frozen are answered
				// when it goes on, each 1/rate later due than the one before.
				left := f.frozen[0] - time.Duration(i-at)*time.Second/rate
				if i < at {
					left = 0
				}
				corrected = append(corrected, max(0, left))
				service = append(service, 0)
			}
			service[at] = f.frozen[0]
			p99 := r.Service.ValueAtPercentile(99) // one request of 300 is not in it
			return within(t, "corrected", r.Latency, corrected, 60, 75, 90, 95, 99, 100) &&
				within(t, "uncorrected", r.Service, service, 100) && p99 < 100_000
		})
	})
}
