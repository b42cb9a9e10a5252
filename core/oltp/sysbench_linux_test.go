package oltp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
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

// ratios are those of Berth's figures to sysbench's, one for each pair.
type ratios []float64

// report gives their median, their lowest and their highest.
func (r ratios) report(b *testing.B, name string) {
	b.ReportMetric(median(r), name)
	b.ReportMetric(slices.Min(r), name+"-low")
	b.ReportMetric(slices.Max(r), name+"-high")
}

// inTurn does both, ours first in every other pair.
func inTurn(pair int, ours, theirs func()) {
	if pair%2 == 0 {
		theirs, ours = ours, theirs
	}
	theirs()
	ours()
}

// BenchmarkAgainstSysbench loads one server, in turn, with sysbench and with Berth, and
// reports the ratios of the transactions a second and of the client's CPU a
// transaction: median, lowest, highest. An iteration is a pair: run it with
// -benchtime=7x or more. BERTH_BENCH_SECONDS is how long each takes.
func BenchmarkAgainstSysbench(b *testing.B) {
	need.Sysbench(b)
	seconds := 2
	if n, err := strconv.Atoi(os.Getenv("BERTH_BENCH_SECONDS")); err == nil && n > 0 {
		seconds = n
	}
	m := startMariadb(b, "--innodb-buffer-pool-size=256M")
	for _, script := range []string{ReadWrite, ReadOnly, PointSelect, UpdateNonIndex} {
		b.Run(script, func(b *testing.B) {
			job := m.job()
			job.Script, job.Threads, job.Duration = script, 4, time.Duration(seconds)*time.Second
			job.Schema.Tables, job.Schema.TableSize = 4, 20_000
			job.ForcePortable = os.Getenv("BERTH_BENCH_PORTABLE") != ""
			m.prepared(b, job)
			defer m.cleaned(b, job)
			measureSysbench(b, job) // what is first reads what nobody has read
			var rate, cpu ratios
			var ours, theirs measurement
			for pair := 0; b.Loop(); pair++ {
				inTurn(pair, func() { ours = measureBerth(b, job) }, func() { theirs = measureSysbench(b, job) })
				rate = append(rate, ours.perSecond/theirs.perSecond)
				cpu = append(cpu, float64(ours.cpu)/float64(theirs.cpu))
			}
			b.ReportMetric(0, "ns/op")
			rate.report(b, "tps-ratio")
			cpu.report(b, "cpu-ratio")
			b.Logf("last pair: Berth %.0f transactions/s, %v CPU each; sysbench %.0f, %v", ours.perSecond, ours.cpu, theirs.perSecond, theirs.cpu)
		})
	}
}

// BenchmarkPrepareAgainstSysbench makes the same tables in turn with sysbench and with
// Berth, with as many threads, and reports the ratio of the rows a second.
func BenchmarkPrepareAgainstSysbench(b *testing.B) {
	need.Sysbench(b)
	m := startMariadb(b, "--innodb-buffer-pool-size=256M")
	job := m.job()
	job.Threads, job.Schema.Tables, job.Schema.TableSize = 4, 4, 50_000
	var rate ratios
	var ours, theirs time.Duration
	for pair := 0; b.Loop(); pair++ {
		inTurn(pair, func() {
			began := time.Now()
			m.prepared(b, job)
			ours = time.Since(began)
			m.cleaned(b, job)
		}, func() {
			began := time.Now()
			runSysbench(b, job, "prepare")
			theirs = time.Since(began)
			runSysbench(b, job, "cleanup")
		})
		rate = append(rate, float64(theirs)/float64(ours))
	}
	b.ReportMetric(0, "ns/op")
	rate.report(b, "rows-ratio")
	b.Logf("last pair: Berth %v, sysbench %v", ours.Round(time.Millisecond), theirs.Round(time.Millisecond))
}

func runSysbench(t testing.TB, job Job, command string) {
	t.Helper()
	if out, err := exec.Command("sysbench", sysbenchArgs(t, job, command)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
