package agent

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"berth/core/need"
	"berth/core/redisload"
	"berth/core/result"
)

// startRedis starts a redis-server of this test's own and waits until it answers.
func startRedis(t testing.TB) (pid int, control *redis.Client) {
	t.Helper()
	need.Redis(t)
	port := freePort(t)
	cmd := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	log, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, so an error
	})
	for lines := bufio.NewScanner(log); ; {
		if !lines.Scan() {
			t.Fatalf("redis-server on port %s ended: %v", port, lines.Err())
		}
		if strings.Contains(lines.Text(), "eady to accept connections") {
			break
		}
	}
	control = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
	t.Cleanup(func() { control.Close() })
	return cmd.Process.Pid, control
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func setJob(pid int, control *redis.Client) Job {
	return Job{
		Watch: Watch{Server: []int{pid}},
		Redis: &redisload.Job{
			Target: redisload.Target{Network: "tcp", Address: control.Options().Addr},
			Suite:  "classic", Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50, Threads: 1,
		},
	}
}

// serverCPU is what the server says that it used.
func serverCPU(t *testing.T, control *redis.Client) time.Duration {
	t.Helper()
	info, err := control.Info(t.Context(), "cpu").Result()
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	found := 0
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			var seconds float64
			if _, err := fmt.Sscan(value, &seconds); err != nil {
				t.Fatal(err)
			}
			sum += seconds
			found++
		}
	}
	if found != 2 {
		t.Fatalf("no CPU in %q", info)
	}
	return time.Duration(sum * float64(time.Second))
}

func TestAgentLoadsARealServer(t *testing.T) {
	pid, control := startRedis(t)
	job := setJob(pid, control)
	job.Redis.Requests = 20_000
	var phases []redisload.Phase
	r, err := Run(t.Context(), job, func(e Event) {
		if e.Phase != "" {
			phases = append(phases, e.Phase)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Requests != 20_000 || r.Errors != 0 || r.Elapsed <= 0 || r.Cut != "" || r.Threads != 1 {
		t.Errorf("%+v", r)
	}
	latency, err := result.DecodeHistogram(r.Latency)
	if err != nil || latency.TotalCount() != 20_000 || latency.Max() <= 0 {
		t.Errorf("latencies %v, %v", latency, err)
	}
	if want := "[connecting measuring measured]"; fmt.Sprint(phases) != want {
		t.Errorf("phases %v, want %s", phases, want)
	}
	n, err := control.Exists(t.Context(), "key:__rand_int__").Result()
	if err != nil || n != 1 {
		t.Errorf("the key is not there: %d, %v", n, err)
	}
}

func TestCPUIsWhatTheServerSays(t *testing.T) {
	need.Linux(t)
	pid, control := startRedis(t)
	job := setJob(pid, control)
	job.Redis.Duration = 1500 * time.Millisecond
	before := serverCPU(t, control)
	r, err := Run(t.Context(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The server's own account also has the connections, which the measured part has not.
	said := serverCPU(t, control) - before
	if r.CPU.Server == nil {
		t.Fatalf("no CPU of the server in %+v", r.CPU)
	}
	if got := *r.CPU.Server; got > said || got < said*96/100 {
		t.Errorf("server used %v, by its INFO %v", got, said)
	}
	cpu := r.CPU
	if cpu.Client == nil || len(cpu.Threads) != 1 || cpu.Machine == nil || cpu.Steal == nil || cpu.Proxy != nil {
		t.Fatalf("not all meters, or one too many: %+v", cpu)
	}
	if *cpu.Client < cpu.Threads[0] || *cpu.Client > r.Elapsed*2 {
		t.Errorf("client %v, its event loop %v, in %v", *cpu.Client, cpu.Threads[0], r.Elapsed)
	}
	both := 100 * float64(*cpu.Client+*cpu.Server) / float64(r.Elapsed)
	if *cpu.Machine < both*0.95 {
		t.Errorf("machine %.0f%% busy, client and server alone %.0f%%", *cpu.Machine, both)
	}
}

func TestCancelKeepsWhatWasMeasured(t *testing.T) {
	pid, control := startRedis(t)
	job := setJob(pid, control)
	job.Redis.Duration = time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped time.Time
	r, err := Run(ctx, job, func(e Event) {
		if e.Tick != nil && stopped.IsZero() {
			stopped = time.Now()
			cancel()
		}
	})
	took := time.Since(stopped)
	if err != nil || r == nil || r.Requests == 0 || r.Cut == "" || r.CPU.Client == nil {
		t.Fatalf("result %+v, error %v", r, err)
	}
	if took > killGrace {
		t.Errorf("stopping took %v", took)
	}
}

func TestServerThatIsNotThereIsNamed(t *testing.T) {
	job := Job{Redis: &redisload.Job{
		Target: redisload.Target{Network: "tcp", Address: "127.0.0.1:" + freePort(t)},
		Suite:  "classic", Test: "SET", PayloadBytes: 3, Pipeline: 1, Clients: 1, Threads: 1, Requests: 1,
	}}
	_, err := Run(t.Context(), job, nil)
	isSentence(t, err, "redisload.refused")
	if kind := redisload.Kind(err); kind != redisload.KindRefused {
		t.Errorf("kind %q", kind)
	}
}

// What a sample costs before it measures: from Run to the moment before the
// first request, 50 connections opened.
func BenchmarkStartToFirstRequest(b *testing.B) {
	pid, control := startRedis(b)
	job := setJob(pid, control)
	job.Redis.Requests = 1000
	var total time.Duration
	for b.Loop() {
		start := time.Now()
		_, err := Run(b.Context(), job, func(e Event) {
			if e.Phase == redisload.Measuring {
				total += time.Since(start)
			}
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(total.Seconds()*1000/float64(b.N), "ms-to-first-request")
}
