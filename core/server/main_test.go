package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"berth/core/plan"
)

// launchCommand makes the test binary a Berth that starts the variants in its
// second argument, prints what it started, and waits until it is killed or its input ends.
const launchCommand = "__launch"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case GuardCommand:
			os.Exit(GuardMain(os.Stdin))
		case StandInCommand:
			os.Exit(StandInMain(os.Args[2:]))
		case launchCommand:
			os.Exit(launchMain(os.Args[2], os.Args[3]))
		}
	}
	os.Exit(m.Run())
}

// launched is what a Berth in a child process tells of itself.
type launched struct {
	Launch  string
	Guard   int
	PIDs    []int
	Address []string
}

func launchMain(workDir, variants string) int {
	var vs []plan.Variant
	if err := json.Unmarshal([]byte(variants), &vs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ctx := context.Background()
	l, err := NewLauncher(ctx, Options{RunID: "child", WorkDir: workDir})
	if err == nil {
		err = l.Prepare(ctx, vs, nil)
	}
	told := launched{}
	for _, v := range vs {
		if err != nil {
			break
		}
		var s *Server
		if s, err = l.Start(ctx, v); err == nil {
			told.PIDs = append(told.PIDs, s.PIDs...)
			told.Address = append(told.Address, s.Endpoint.Address)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	told.Launch, told.Guard = l.launch.ID, l.record.guard.Process.Pid
	json.NewEncoder(os.Stdout).Encode(told)
	io.Copy(io.Discard, os.Stdin)
	if err := l.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startBerth starts a Berth in a child process and returns when its servers answer.
func startBerth(t *testing.T, workDir string, vs ...plan.Variant) (*exec.Cmd, io.Closer, launched) {
	t.Helper()
	raw, err := json.Marshal(vs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], launchCommand, workDir, string(raw))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatalf("the child started nothing: %v", err)
	}
	var told launched
	if err := json.Unmarshal(line, &told); err != nil {
		t.Fatal(err)
	}
	return cmd, in, told
}

// eventually fails the test if what is not so within d.
func eventually(t *testing.T, d time.Duration, what string, is func() bool) {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > d {
			t.Fatalf("after %v still not: %s", d, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("%s after %v", what, time.Since(began).Round(time.Millisecond))
}

// gone reports whether none of pids runs; a zombie does not.
func gone(pids ...int) bool {
	for _, pid := range pids {
		if _, err := startTime(pid); err == nil {
			return false
		}
	}
	return true
}

func isEmpty(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) == 0
}

func variant(placement string) plan.Variant {
	v := plan.Variant{Label: placement, Service: plan.Redis, Placement: placement}
	if placement == plan.Pinned {
		v.CPUs = "0"
	}
	return v
}

// newLauncher makes a launcher that is closed, and has left nothing, at the end of the test.
func newLauncher(t testing.TB) *Launcher {
	t.Helper()
	l, err := NewLauncher(t.Context(), Options{RunID: "test", WorkDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(l.launch.Folder); err == nil {
			t.Errorf("%s is still there", l.launch.Folder)
		}
	})
	return l
}

// start prepares and starts v.
func start(t testing.TB, l *Launcher, v plan.Variant) *Server {
	t.Helper()
	if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
		t.Fatal(err)
	}
	s, err := l.Start(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
