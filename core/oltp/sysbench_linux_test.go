package oltp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/need"
)

// sysbenchArgs are what makes sysbench do the same as job.
func sysbenchArgs(t testing.TB, job Job, command string) []string {
	t.Helper()
	host, port, ok := strings.Cut(job.Target.Address, ":")
	if !ok {
		t.Fatalf("no port in %q", job.Target.Address)
	}
	return []string{
		job.Script, "--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=" + job.Target.User, "--mysql-password=" + job.Target.Password, "--mysql-db=" + job.Target.Database,
		fmt.Sprintf("--tables=%d", job.Schema.Tables), fmt.Sprintf("--table-size=%d", job.Schema.TableSize), fmt.Sprintf("--threads=%d", job.Threads),
		fmt.Sprintf("--time=%d", int(job.Duration/time.Second)), "--rand-type=" + job.Draw.Type, command,
	}
}

// A measurement is what one client did in one run.
type measurement struct {
	perSecond float64       // transactions
	cpu       time.Duration // of the client, a transaction
	p95       float64       // milliseconds
}

// measureSysbench runs the real sysbench; its CPU includes its start.
func measureSysbench(t testing.TB, job Job) measurement {
	t.Helper()
	need.Sysbench(t)
	c := exec.Command("sysbench", sysbenchArgs(t, job, "run")...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
		return measurement{}
	}
	field := func(expression string) float64 {
		found := regexp.MustCompile(expression).FindSubmatch(out)
		if found == nil {
			t.Errorf("no %q in\n%s", expression, out)
			return 0
		}
		f, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Error(err)
		}
		return f
	}
	events := field(`transactions: +(\d+)`)
	cpu := c.ProcessState.SystemTime() + c.ProcessState.UserTime()
	return measurement{field(`transactions: +\d+ +\(([0-9.]+) per sec`), time.Duration(float64(cpu) / events), field(`95th percentile: +([0-9.]+)`)}
}

// measureBerth runs the same with this package; its CPU includes its start, too.
func measureBerth(t testing.TB, job Job) measurement {
	t.Helper()
	order, err := json.Marshal(job)
	if err != nil {
		t.Error(err)
		return measurement{}
	}
	c := exec.Command(os.Args[0], loadCommand)
	c.Stdin = bytes.NewReader(order)
	out, err := c.Output()
	if err != nil {
		t.Errorf("%v: %s", err, out)
		return measurement{}
	}
	var r loaded
	if err := json.Unmarshal(out, &r); err != nil || r.Cut != "" {
		t.Errorf("%v, cut %q", err, r.Cut)
		return measurement{}
	}
	cpu := c.ProcessState.SystemTime() + c.ProcessState.UserTime()
	return measurement{float64(r.Events) / r.Elapsed.Seconds(), cpu / time.Duration(r.Events), r.P95}
}

func median(values []float64) float64 {
	sorted := append([]float64(nil), values...)
	sort.Float64s(sorted)
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// BenchmarkAgainstSysbench loads one server, in turn, with sysbench and with
// Berth. BERTH_BENCH_PAIRS is how many pairs, BERTH_BENCH_SECONDS how long each
// takes; the ratios are medians over the pairs.
func BenchmarkAgainstSysbench(b *testing.B) {
	need.Sysbench(b)
	setting := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
			return n
		}
		return otherwise
	}
	pairs, seconds := setting("BERTH_BENCH_PAIRS", 7), setting("BERTH_BENCH_SECONDS", 2)
	m := startMariadb(b, "--innodb-buffer-pool-size=256M")
	for _, script := range []string{ReadWrite, PointSelect} {
		b.Run(script, func(b *testing.B) {
			job := m.job()
			job.Script, job.Threads, job.Duration = script, 4, time.Duration(seconds)*time.Second
			job.Schema.Tables, job.Schema.TableSize = 4, 20_000
			job.ForcePortable = os.Getenv("BERTH_BENCH_PORTABLE") != ""
			m.prepared(b, job)
			defer func() {
				if err := Cleanup(context.Background(), job, nil); err != nil {
					b.Error(err)
				}
			}()
			for b.Loop() {
				var rate, cpu []float64
				var ours, theirs measurement
				for i := range pairs {
					if i%2 == 0 {
						theirs, ours = measureSysbench(b, job), measureBerth(b, job)
					} else {
						ours, theirs = measureBerth(b, job), measureSysbench(b, job)
					}
					b.Logf("pair %d: sysbench %.0f/s, %v a transaction; Berth %.0f/s, %v", i+1, theirs.perSecond, theirs.cpu, ours.perSecond, ours.cpu)
					rate = append(rate, ours.perSecond/theirs.perSecond)
					cpu = append(cpu, float64(ours.cpu)/float64(theirs.cpu))
				}
				b.ReportMetric(median(rate), "throughput/sysbench")
				b.ReportMetric(median(cpu), "cpu/sysbench")
			}
		})
	}
}
