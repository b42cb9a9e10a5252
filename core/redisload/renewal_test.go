package redisload

import (
	"context"
	"testing"
	"time"
)

// A server may see the connection of the batch before as open still when the next comes, and
// has then no place for it.
func TestNewConnectionsWaitForAPlace(t *testing.T) {
	address := realServer(t, "--maxclients", "22")
	engines(t, func(t *testing.T, portable bool) {
		for _, pipeline := range []int{1, 7} {
			for _, database := range []int{0, 1} { // which greets each connection
				ask(t, address, "CONFIG", "RESETSTAT")
				job := jobFor(address, "INCR")
				job.Clients, job.Pipeline, job.Requests, job.Reconnect, job.ForcePortable = 20, pipeline, 3001, true, portable
				job.Target.Database = database
				r := runJob(t, job)
				if got := calls(t, address, "incr"); got != job.Requests || r.Requests != job.Requests || r.Errors != 0 {
					t.Errorf("P=%d, database %d: %d INCR by the server's count, %d replies, %d errors (%v), want %d, the same, 0", pipeline, database, got, r.Requests, r.Errors, r.FirstErrors, job.Requests)
				}
			}
		}
	})
}

func TestAServerWithoutAnyPlaceForNewConnectionsIsNamed(t *testing.T) {
	address := fakeServer(t, redisLike(func([]string) string { return "-ERR max number of clients reached\r\n" }))
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "SET")
		job.Reconnect, job.ForcePortable, job.Deadline = true, portable, 300*time.Millisecond
		began := time.Now()
		r, err := Run(context.Background(), job, nil)
		if Kind(err) != KindMaxClients || r.Requests != 0 {
			t.Errorf("%d replies, %v", r.Requests, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
