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

// wantQuantiles compares a histogram with latencies that arithmetic gives,
// within 1%, at quantiles where they are far above the machine's own noise.
func wantQuantiles(t *testing.T, what string, h *hdrhistogram.Histogram, want []time.Duration, quantiles ...float64) {
	t.Helper()
	slices.Sort(want)
	if h.TotalCount() != int64(len(want)) {
		t.Fatalf("%s: %d latencies, want %d", what, h.TotalCount(), len(want))
	}
	for _, q := range quantiles {
		rank := max(1, int(q/100*float64(len(want))+0.5))
		w := want[rank-1]
		got := time.Duration(h.ValueAtPercentile(q)) * time.Microsecond
		t.Logf("%s: p%g is %v, arithmetic says %v", what, q, got, w)
		if diff := (got - w).Abs(); float64(diff) > 0.01*float64(w) {
			t.Errorf("%s: p%g is %v, want %v within 1%%", what, q, got, w)
		}
	}
}

func TestFrozenServerShowsInUncorrectedPercentilesAsLongAsItFroze(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		f := &freezer{hold: func(call int) time.Duration {
			if call%10 == 3 {
				return time.Second
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
		wantQuantiles(t, "no rate", r.Latency, want, 92, 95, 100)
		if p50 := r.Latency.ValueAtPercentile(50); p50 > 20_000 {
			t.Errorf("p50 is %d µs: a freeze of one request in ten shows in it", p50)
		}
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
		wantQuantiles(t, "corrected", r.Latency, corrected, 60, 75, 90, 95, 99, 100)
		wantQuantiles(t, "service time", r.Service, service, 100)
		if p99 := r.Service.ValueAtPercentile(99); p99 > 100_000 {
			t.Errorf("the uncorrected p99 is %d µs, though one request of %d was held", p99, total)
		}
	})
}
