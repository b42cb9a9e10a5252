package redisload

import (
	"fmt"
	"testing"
	"time"
)

func TestServerCountsExactlyTheRequestsAskedFor(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		for _, pipeline := range []int{1, 7, 100} {
			for _, threads := range []int{1, 2} {
				for _, shape := range []struct{ clients, requests int }{{50, 10_007}, {50, 13}, {1, 1}} {
					t.Run(fmt.Sprintf("P=%d,threads=%d,c=%d,n=%d", pipeline, threads, shape.clients, shape.requests), func(t *testing.T) {
						job := jobFor(address, "SET")
						job.Pipeline, job.Threads, job.Clients, job.Requests = pipeline, threads, shape.clients, int64(shape.requests)
						job.ForcePortable = portable
						ask(t, address, "CONFIG", "RESETSTAT")
						r := runJob(t, job)
						if got := calls(t, address, "set"); got != job.Requests {
							t.Errorf("the server counts %d SETs, want %d", got, job.Requests)
						}
						if r.Requests != job.Requests || r.Latency.TotalCount() != job.Requests {
							t.Errorf("%d replies, %d latencies, want %d", r.Requests, r.Latency.TotalCount(), job.Requests)
						}
						if r.Errors+r.Misses != 0 {
							t.Errorf("%d errors, %d misses: %v", r.Errors, r.Misses, r.FirstErrors)
						}
					})
				}
			}
		}
	})
}

func TestWarmUpIsInNoFigure(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "INCR")
		job.Pipeline, job.WarmUp, job.Prepare, job.ForcePortable = 16, 50*time.Millisecond, true, portable
		r := runJob(t, job)
		if r.Requests != job.Requests || r.Latency.TotalCount() != job.Requests {
			t.Errorf("%d replies, %d latencies, want %d", r.Requests, r.Latency.TotalCount(), job.Requests)
		}
		if got := ask(t, address, "GET", "counter:__rand_int__"); got != fmt.Sprint(job.Requests) {
			t.Errorf("the counter is at %s, want %d: the measured part starts from an empty key", got, job.Requests)
		}
	})
}

func TestEveryTestOfBothSuitesRunsFromItsDataState(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		for _, suite := range []string{Classic, Modern} {
			list, err := Suite(suite)
			if err != nil {
				t.Fatal(err)
			}
			for _, test := range list {
				for _, keyspace := range []int64{0, 1000} {
					t.Run(fmt.Sprintf("%s/%s,r=%d", suite, test.Name, keyspace), func(t *testing.T) {
						job := jobFor(address, test.Name)
						job.Suite, job.Keyspace, job.Pipeline = suite, keyspace, 5
						job.Requests, job.WarmUp = 1201, 2*time.Millisecond
						job.Prepare, job.Cleanup, job.ForcePortable = true, true, portable
						r := runJob(t, job)
						if r.Requests != job.Requests || r.Errors != 0 || r.Misses != 0 {
							t.Errorf("%d replies, %d errors, %d misses, want %d, 0, 0: %v", r.Requests, r.Errors, r.Misses, job.Requests, r.FirstErrors)
						}
						if r.State == "" {
							t.Error("the data state is not recorded")
						}
						if size := ask(t, address, "DBSIZE"); size != "0" {
							t.Errorf("%s keys are left", size)
						}
					})
				}
			}
		}
	})
}
