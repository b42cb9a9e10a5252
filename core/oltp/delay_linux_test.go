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

func TestThe95thPercentileIsSysbenchsOnAServerWithFixedDelays(t *testing.T) {
	need.Sysbench(t)
	m := startMariadb(t)
	job := m.job()
	job.Script, job.Threads, job.Duration = ReadOnly, 2, 2*time.Second
	m.prepared(t, job)
	job.Target.Address = startDelayer(t, m.target.Address, 3*time.Millisecond).address
	const pairs = 3
	var ratios []float64
	for range pairs {
		theirs := measureSysbench(t, job)
		r, err := Run(context.Background(), job, nil)
		if err != nil {
			t.Fatal(err)
		}
		if least := float64(16 * 3); r.Buckets.Percentile(1) < least*0.98 {
			t.Fatalf("a transaction of 16 answers held back 3 ms took %.1f ms", r.Buckets.Percentile(1))
		}
		t.Logf("sysbench %.2f ms, Berth %.2f ms", theirs.p95, r.Buckets.Percentile(95))
		ratios = append(ratios, r.Buckets.Percentile(95)/theirs.p95)
	}
	if got := median(ratios); got < 0.97 || got > 1.03 {
		t.Errorf("the 95th percentile is %.3f of sysbench's", got)
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
	if latency[100] < 500 || latency[5] > 100 {
		t.Errorf("95th percentiles %v ms", latency)
	}
}
