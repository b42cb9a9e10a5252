package cli

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/oltp"
	"berth/core/plan"
	"berth/core/server"
)

// mysqlOptions start a MySQL server for the test, and are how sysbench's options reach it.
func mysqlOptions(t *testing.T) []string {
	t.Helper()
	need.Mariadb(t)
	l, err := server.NewLauncher(t.Context(), server.Options{RunID: "test", WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	v := plan.Variant{Label: "mysql", Service: plan.MySQL, Placement: plan.Native}
	if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
		t.Fatal(err)
	}
	s, err := l.Start(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(s.Endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--mysql-host=" + host, "--mysql-port=" + port, "--mysql-user=" + s.Endpoint.User, "--mysql-password=" + s.Endpoint.Password,
		"--mysql-db=" + s.Endpoint.Schema, "--tables=2", "--table-size=1000", "--threads=2"}
}

func TestOLTPPreparesRunsAndCleansUpAsSysbenchDoes(t *testing.T) {
	options := mysqlOptions(t)
	oltpCommand := func(args ...string) said {
		return berth(t, &fakeCore{}, append(append([]string{"oltp"}, options...), args...)...)
	}
	if got := oltpCommand("run"); got.code != exitFailed || !strings.Contains(got.err, "prepare 2 tables of 1000 rows first") {
		t.Errorf("without tables: exit %d, %s", got.code, got.err)
	}
	if got := oltpCommand("prepare"); got.code != exitDone || got.err != "" || strings.Count(got.out, "Inserting 1000 records into 'sbtest") != 2 {
		t.Fatalf("prepare: exit %d, %s%s", got.code, got.out, got.err)
	}
	got := oltpCommand("oltp_read_write", "--time=2", "--report-interval=1", "--percentile=50,99", "--histogram", "run")
	if got.code != exitDone || got.err != "" {
		t.Fatalf("run: exit %d, %s", got.code, got.err)
	}
	for line, times := range map[string]int{
		"Threads started!\n": 1, "] thds: 2 tps: ": 2, "Latency histogram": 1, "SQL statistics:\n": 1, " 50th percentile:": 1, " 99th percentile:": 1, "Threads fairness:\n": 1,
	} {
		if strings.Count(got.out, line) != times {
			t.Errorf("%q is not there %d times in\n%s", line, times, got.out)
		}
	}
	// One thread: a deadlock of two begins a transaction again, and its queries count.
	got = oltpCommand("--threads=1", "--events=30", "--time=0", "--json", "run")
	var d oltpDocument
	if err := json.Unmarshal([]byte(got.out), &d); err != nil || d.Counts.Events != 30 || d.Counts.Queries() != 600 || d.Percentiles["p95"] <= 0 || d.Server.Version == "" {
		t.Errorf("%v: %s", err, got.out)
	}
	if got := oltpCommand("cleanup"); got.code != exitDone || strings.Count(got.out, "Dropping table 'sbtest") != 2 {
		t.Errorf("cleanup: exit %d, %s%s", got.code, got.out, got.err)
	}
}

func TestAnInterruptedOLTPRunStillPrintsItsSummary(t *testing.T) {
	need.Linux(t)
	options := mysqlOptions(t)
	if got := berth(t, &fakeCore{}, append(append([]string{"oltp"}, options...), "prepare")...); got.code != exitDone {
		t.Fatal(got.err)
	}
	c := process(t, asBerth, append(append([]string{"oltp"}, options...), "--time=60", "--report-interval=1", "run")...)
	var out, errw bytes.Buffer
	lines := &untilSeen{w: &out, want: "] thds:", seen: make(chan struct{})}
	c.Stdout, c.Stderr = lines, &errw
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-lines.seen:
	case <-time.After(20 * time.Second):
		t.Error("no interval is printed")
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_ = c.Wait() // its exit code is looked at
	if c.ProcessState.ExitCode() != exitFailed || time.Since(start) > 2*time.Second {
		t.Errorf("exit %d after %v", c.ProcessState.ExitCode(), time.Since(start))
	}
	if !strings.Contains(out.String(), "SQL statistics:") || !strings.Contains(errw.String(), "stopped by the user") {
		t.Errorf("printed\n%s%s", out.String(), errw.String())
	}
}

// An untilSeen tells when a word has been written.
type untilSeen struct {
	w    *bytes.Buffer
	want string
	seen chan struct{}
	done bool
}

func (u *untilSeen) Write(p []byte) (int, error) {
	u.w.Write(p)
	if !u.done && strings.Contains(u.w.String(), u.want) {
		u.done = true
		close(u.seen)
	}
	return len(p), nil
}

func FuzzOLTPOptions(f *testing.F) {
	f.Add("oltp_read_only --tables=2 --time=5 run")
	f.Add("--percentile=1,2 --mysql-ignore-errors=all --skip-trx=off prepare")
	f.Add("--= -- --_=x --rand-pareto-h=NaN run")
	f.Fuzz(func(t *testing.T, line string) {
		o := newOLTPOptions()
		script, command, err := o.read(strings.Fields(line))
		if err != nil || command == "help" {
			return
		}
		job, err := o.job(script)
		if err == nil {
			err = oltp.Check(job)
		}
		if err == nil && (job.Threads < 1 || job.Duration < 0 || job.Rate < 0) {
			t.Errorf("%q passes as %+v", line, job)
		}
	})
}
