package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/agent"
	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
)

// asBerth makes the test's program the whole command, in a process of its own;
// asStuck the same with a run that no signal stops.
const (
	asBerth = "__berth"
	asStuck = "__stuck"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case agent.Command:
			os.Exit(agent.Main(os.Stdin, os.Stdout))
		case server.GuardCommand:
			os.Exit(server.GuardMain(os.Stdin))
		case server.StandInCommand:
			os.Exit(server.StandInMain(os.Args[2:]))
		case asBerth:
			os.Exit(Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case asStuck:
			os.Exit(mainOn(stuckCore{}, os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		}
	}
	code := m.Run()
	for _, folder := range removedAfterwards {
		if err := os.RemoveAll(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// removedAfterwards are folders that tests share.
var removedAfterwards []string

// process is berth as a process of its own, with folders of the test's own.
func process(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(self, append([]string{as}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home)
	return cmd
}

// A stuckCore says when it is told to stop, and does not.
type stuckCore struct{ machine }

func (stuckCore) Available(context.Context, plan.Variant) server.Availability {
	return server.Availability{OK: true}
}

func (stuckCore) Execute(ctx context.Context, _ run.Options) (*result.Run, error) {
	fmt.Fprintln(os.Stderr, "begun")
	<-ctx.Done()
	fmt.Fprintln(os.Stderr, "told")
	select {}
}

// TestAnInterruptAfterTheFirstEndsTheProgramAtOnce sends a second one at once, which is
// the same wish, and a third later.
func TestAnInterruptAfterTheFirstEndsTheProgramAtOnce(t *testing.T) {
	need.Linux(t)
	cmd := process(t, asStuck, "run", "--out", t.TempDir())
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	interrupt := func() {
		t.Helper()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	var first, last time.Time
	said := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		switch said = lines.Text(); said {
		case "begun":
			first = time.Now()
			interrupt()
		case "told":
			interrupt()
			time.Sleep(time.Until(first.Add(sameWish + 500*time.Millisecond)))
			last = time.Now()
			interrupt()
		}
	}
	ended := time.Now()
	_ = cmd.Wait() // its exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || last.IsZero() || ended.Sub(last) > time.Second || !strings.Contains(said, "berth clean removes what is left") {
		t.Errorf("exit code %d, %v after the last interrupt, and it said %q", code, ended.Sub(last), said)
	}
}

func TestARealRunIsMeasuredPrintedAndWritten(t *testing.T) {
	need.Redis(t)
	need.Linux(t)
	out := t.TempDir()
	cmd := process(t, asBerth, "run", "--set", "modes=native,pinned", "--set", "tests=SET,GET", "--set", "rounds=3", "--set", "seconds=0.2", "--out", out)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	r, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 2*2*3 {
		t.Errorf("%d samples, want 12", len(r.Samples))
	}
	for i := range r.Samples {
		if s := &r.Samples[i]; s.RPS() < 1000 {
			t.Errorf("%s %s of round %d: %.0f requests/s", s.Variant, s.Workload.Test, s.Round, s.RPS())
		}
	}
	for _, want := range []string{"SET", "GET", "native", "pinned"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the table has no %s:\n%s", want, stdout.String())
		}
	}
	for _, name := range []string{"samples.csv", "summary.csv", "comparisons.csv", "report.html", "report.md", "throughput.png", "throughput.svg"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", name, err)
		}
	}
}

func TestAnInterruptStopsWithinTwoSecondsAndKeepsWhatWasMeasured(t *testing.T) {
	need.Redis(t)
	need.Linux(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		out := t.TempDir()
		cmd := process(t, asBerth, "run", "--set", "modes=native", "--set", "tests=SET", "--set", "rounds=50", "--set", "seconds=0.3", "--out", out)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			told.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), " 2/50 ") {
				break
			}
		}
		signalled := time.Now()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			told.WriteString(lines.Text() + "\n")
		}
		err = cmd.Wait()
		if took := time.Since(signalled); took > 2*time.Second {
			t.Errorf("%v: it took %v to stop", signal, took)
		}
		if code := cmd.ProcessState.ExitCode(); code != exitFailed {
			t.Errorf("%v: exit code %d (%v), want %d:\n%s", signal, code, err, exitFailed, told.String())
		}
		r, err := result.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Samples) < 2 || r.End == nil || r.End.Reason != result.EndStopped {
			t.Errorf("%v: %d samples are kept, and the end is %v", signal, len(r.Samples), r.End)
		}
		for _, s := range r.Servers {
			if c, err := net.DialTimeout("tcp", s.Address, time.Second); err == nil {
				c.Close()
				t.Errorf("%v: a server still answers at %s", signal, s.Address)
			}
		}
	}
}
