package redisload

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/need"
)

// childJob is the environment variable that makes the test program carry out
// one job and print its figures, so that its CPU time can be told like that of
// any other program, start and end included.
const childJob = "BERTH_REDISLOAD_JOB"

type childFigures struct {
	Requests int64         `json:"requests"`
	Elapsed  time.Duration `json:"elapsed_ns"`
	Failed   string        `json:"failed,omitempty"`
}

func TestMain(m *testing.M) {
	if raw := os.Getenv(childJob); raw != "" {
		os.Exit(runChild(raw))
	}
	os.Exit(m.Run())
}

func runChild(raw string) int {
	var job Job
	var out childFigures
	err := json.Unmarshal([]byte(raw), &job)
	if err == nil {
		var r Result
		r, err = Run(context.Background(), job, nil)
		out = childFigures{Requests: r.Requests, Elapsed: r.Elapsed, Failed: r.Cut}
	}
	if err != nil {
		out.Failed = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		return 1
	}
	return 0
}

// A figure is what one program did in one sample.
type figure struct {
	rps          float64
	cpuByRequest time.Duration // user and system
}

const (
	benchClientCPU = "0"
	benchServerCPU = "1"
)

// BenchmarkAgainstRedisBenchmark runs this engine and redis-benchmark in turn
// against one redis-server on CPU 1, each on CPU 0, and reports by test the
// ratios of the CPU a request and of the throughput: median, lowest, highest.
// An iteration is a pair: run it with -benchtime=7x or more.
func BenchmarkAgainstRedisBenchmark(b *testing.B) {
	need.Linux(b)
	need.RedisBenchmark(b)
	b.Setenv("BERTH_BENCH_SERVER_CPU", benchServerCPU)
	address := realServer(b)
	ask(b, address, "SET", "key:__rand_int__", strings.Repeat("x", 100))
	for range 600 {
		ask(b, address, "RPUSH", "mylist", strings.Repeat("x", 100))
	}
	for _, c := range []struct {
		test     string
		args     []string
		pipeline int
		requests int64
	}{
		{"SET", []string{"-t", "set"}, 1, 150_000},
		{"GET", []string{"-t", "get"}, 1, 150_000},
		{"SET", []string{"-t", "set"}, 16, 1_200_000},
		{"GET", []string{"-t", "get"}, 16, 1_200_000},
		{"SET", []string{"-t", "set"}, 200, 3_000_000},
		{"GET", []string{"-t", "get"}, 200, 3_000_000},
		{"LRANGE_100", []string{"LRANGE", "mylist", "0", "99"}, 1, 60_000},
	} {
		b.Run(fmt.Sprintf("%s/P=%d", c.test, c.pipeline), func(b *testing.B) {
			job := jobFor(address, c.test)
			job.Pipeline, job.Clients, job.Requests = c.pipeline, 50, c.requests
			var cpu, rps []float64
			var ours, theirs figure
			pair := 0
			for b.Loop() {
				if pair++; pair%2 == 0 {
					ours = sampleBerth(b, job)
					theirs = sampleRedisBenchmark(b, job, c.args)
				} else {
					theirs = sampleRedisBenchmark(b, job, c.args)
					ours = sampleBerth(b, job)
				}
				cpu = append(cpu, float64(ours.cpuByRequest)/float64(theirs.cpuByRequest))
				rps = append(rps, ours.rps/theirs.rps)
			}
			b.ReportMetric(0, "ns/op")
			report(b, cpu, "cpu-ratio")
			report(b, rps, "rps-ratio")
			b.Logf("last pair: Berth %.0f requests/s, %v CPU each; redis-benchmark %.0f, %v",
				ours.rps, ours.cpuByRequest, theirs.rps, theirs.cpuByRequest)
		})
	}
}

func report(b *testing.B, ratios []float64, name string) {
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], name)
	b.ReportMetric(ratios[0], name+"-low")
	b.ReportMetric(ratios[len(ratios)-1], name+"-high")
}

func sampleBerth(b *testing.B, job Job) figure {
	b.Helper()
	raw, err := json.Marshal(job)
	if err != nil {
		b.Fatal(err)
	}
	child := exec.Command("taskset", "-c", benchClientCPU, os.Args[0])
	child.Env = append(os.Environ(), childJob+"="+string(raw))
	out, err := child.Output()
	if err != nil {
		b.Fatal(err)
	}
	var got childFigures
	if err := json.Unmarshal(out, &got); err != nil || got.Failed != "" {
		b.Fatalf("%s (%v)", got.Failed, err)
	}
	return figure{rps: float64(got.Requests) / got.Elapsed.Seconds(), cpuByRequest: cpuOf(child) / time.Duration(job.Requests)}
}

var quietLine = regexp.MustCompile(`: ([0-9.]+) requests per second`)

func sampleRedisBenchmark(b *testing.B, job Job, args []string) figure {
	b.Helper()
	host, port, _ := strings.Cut(job.Target.Address, ":")
	options := []string{
		"-c", benchClientCPU, "redis-benchmark", "-h", host, "-p", port, "-q",
		"-d", strconv.Itoa(job.PayloadBytes), "-c", strconv.Itoa(job.Clients),
		"-P", strconv.Itoa(job.Pipeline), "-n", strconv.FormatInt(job.Requests, 10),
	}
	child := exec.Command("taskset", append(options, args...)...)
	out, err := child.Output()
	if err != nil {
		b.Fatal(err)
	}
	last := quietLine.FindSubmatch(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\r')+1:])
	if last == nil {
		b.Fatalf("redis-benchmark printed %q", out)
	}
	rps, err := strconv.ParseFloat(string(last[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return figure{rps: rps, cpuByRequest: cpuOf(child) / time.Duration(job.Requests)}
}

func cpuOf(c *exec.Cmd) time.Duration { return c.ProcessState.UserTime() + c.ProcessState.SystemTime() }
