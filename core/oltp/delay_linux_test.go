package oltp

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"berth/core/need"
)

// A delayer stands before a server and holds each answer back for a fixed time.
type delayer struct {
	address string
	delay   time.Duration
	server  string
	all     sync.WaitGroup
}

func startDelayer(t *testing.T, server string, delay time.Duration) *delayer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &delayer{address: l.Addr().String(), delay: delay, server: server}
	d.all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			d.all.Go(func() { d.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		d.all.Wait()
	})
	return d
}

func (d *delayer) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", d.server)
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(server, client) // ends when either side hangs up
		server.Close()
	})
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if n > 0 {
			sleep(d.delay)
			if _, err := client.Write(buffer[:n]); err != nil {
				break
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				client.Close()
			}
			break
		}
	}
	client.Close()
	both.Wait()
}

// Both load the server at the same time, so that what else the machine does meets both. Where
// that is more than the delays themselves, the delays are not what is compared: such pairs
// count only if there are no others, and then are held to less.
func TestThe95thPercentileIsSysbenchsOnAServerWithFixedDelays(t *testing.T) {
	need.Sysbench(t)
	m := startMariadb(t)
	job := m.job()
	job.Script, job.Threads, job.Duration = ReadOnly, 8, 3*time.Second
	m.prepared(t, job)
	const delay = 10 * time.Millisecond
	job.Target.Address = startDelayer(t, m.target.Address, delay).address
	const most, enough = 8, 3
	delays := 16 * milli(delay) // of one transaction's answers
	var quiet, all []float64
	for len(all) < most && len(quiet) < enough {
		var ours, theirs measurement
		var both sync.WaitGroup
		both.Go(func() { theirs = measureSysbench(t, job) })
		both.Go(func() { ours = measureBerth(t, job) })
		both.Wait()
		if ours.p95 < delays*0.98 { // a bucket is 1.8% wide
			t.Fatalf("a transaction of 16 answers held back %v took %.1f ms", delay, ours.p95)
		}
		t.Logf("sysbench %.2f ms, Berth %.2f ms", theirs.p95, ours.p95)
		all = append(all, ours.p95/theirs.p95)
		if theirs.p95 < delays*1.15 {
			quiet = append(quiet, ours.p95/theirs.p95)
		}
	}
	got, tolerance := median(all), 0.15
	if len(quiet) > 0 {
		got, tolerance = median(quiet), 0.03
	}
	if got < 1-tolerance || got > 1+tolerance {
		t.Errorf("the 95th percentile is %.3f of sysbench's, in %d quiet pairs of %d", got, len(quiet), len(all))
	}
}

// One thread, a server that answers after 20 ms, and ten transactions a second of one
// query each would wait for nobody; fifty do, and say so in their latency.
func TestAtARateLatencyIncludesTheWait(t *testing.T) {
	m := startMariadb(t)
	job := m.job()
	job.Script, job.Threads, job.Duration, job.Draw.Seed = PointSelect, 1, 2*time.Second, 5
	m.prepared(t, job)
	job.Target.Address = startDelayer(t, m.target.Address, 20*time.Millisecond).address
	latency := map[float64]float64{}
	for _, rate := range []float64{5, 100} {
		job.Rate = rate
		r, err := Run(context.Background(), job, nil)
		if err != nil {
			t.Fatal(err)
		}
		latency[rate] = r.Buckets.Percentile(95)
		if rate == 5 && (r.Events < 3 || r.Events > 25) {
			t.Errorf("%d transactions in 2 s at 5 a second", r.Events)
		}
	}
	// At 100 a second, twice what one thread gets done, the last wait for about a second.
	if latency[100] < 500 || latency[5] > latency[100]/4 {
		t.Errorf("95th percentiles %v ms", latency)
	}
}
