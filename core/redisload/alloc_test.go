package redisload

import (
	"context"
	"runtime"
	"testing"
	"time"

	"berth/core/need"
)

// allocations counts the heap objects made between Measuring and Measured.
type allocations struct {
	before, after runtime.MemStats
}

func (a *allocations) Phase(p Phase) {
	switch p {
	case Measuring:
		runtime.ReadMemStats(&a.before)
	case Measured:
		runtime.ReadMemStats(&a.after)
	}
}

func (a *allocations) Tick(Tick) {}

// perRequest is the heap objects made for each request. What a part needs
// once, histograms and goroutines, is in it and must vanish in the division.
func perRequest(t testing.TB, job Job) float64 {
	t.Helper()
	a := &allocations{}
	r, err := Run(context.Background(), job, a)
	if err != nil || r.Requests == 0 {
		t.Fatalf("%d requests, %v", r.Requests, err)
	}
	return float64(a.after.Mallocs-a.before.Mallocs) / float64(r.Requests)
}

func TestSteadyLoadAllocatesNothing(t *testing.T) {
	need.Linux(t)
	address := realServer(t)
	for _, test := range []string{"SET", "GET", "LRANGE_100"} {
		job := jobFor(address, test)
		job.Pipeline, job.Clients, job.Keyspace, job.Prepare = 16, 50, 1000, true
		job.Requests = 60_000
		if got := perRequest(t, job); got > 0.01 {
			t.Errorf("%s: %.4f allocations a request, want 0", test, got)
		}
	}
}

func BenchmarkEpollLoad(b *testing.B) {
	need.Linux(b)
	job := jobFor(realServer(b), "SET")
	job.Requests, job.Clients, job.WarmUp = int64(b.N), 50, 10*time.Millisecond
	b.ReportMetric(perRequest(b, job), "heap-objects/op")
	b.ReportAllocs()
}
