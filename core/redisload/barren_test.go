package redisload

import (
	"errors"
	"testing"
	"time"
)

func TestAServerThatClosesEachConnectionOnItsFirstRequestsIsNamed(t *testing.T) {
	address := realServer(t)
	ask(t, address, "CONFIG", "SET", "client-query-buffer-limit", "1048576")
	engines(t, func(t *testing.T, portable bool) {
		for _, c := range []struct {
			name     string
			requests int64
			duration time.Duration
			rate     float64
		}{{"by count", 50, 0, 0}, {"by time", 0, 700 * time.Millisecond, 0}, {"at a rate", 50, 0, 200}} {
			t.Run(c.name, func(t *testing.T) {
				job := jobFor(address, "SET")
				job.ForcePortable, job.PayloadBytes, job.Clients = portable, 3_000_000, 4
				job.Requests, job.Duration, job.Rate, job.Deadline = c.requests, c.duration, c.rate, time.Second
				began := time.Now()
				r, err := Run(t.Context(), job, nil)
				if Kind(err) != KindCloses || r.Requests != 0 {
					t.Errorf("%d replies, then: %v", r.Requests, err)
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it took %v to tell", took)
				}
			})
		}
	})
}

func TestEachConnectionMayBeLostOnceWithoutAReply(t *testing.T) {
	var b barren
	target := Target{Network: "tcp", Address: "127.0.0.1:1"}
	for range 3 {
		b.add(time.Second, target)
	}
	if b.lasts(3, time.Hour, time.Second) {
		t.Error("a restart, which loses each connection once, counts")
	}
	b.add(90*time.Second, target)
	if b.lasts(3, 91*time.Second, 100*time.Second) || !b.lasts(3, 102*time.Second, 100*time.Second) {
		t.Error("the time is not counted from the first loss")
	}
	if Kind(b.why) != KindCloses || errors.Unwrap(b.why) != nil {
		t.Errorf("%v", b.why)
	}
}
