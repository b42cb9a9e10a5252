package server

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
)

// wrapped is a variant whose program is a script that starts the server without becoming it.
func wrapped(t *testing.T) plan.Variant {
	t.Helper()
	need.Linux(t)
	need.Redis(t)
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "start-server")
	if err := os.WriteFile(script, []byte(fmt.Sprintf("#!/bin/sh\n%s \"$@\"\necho it has ended\n", program)), 0o700); err != nil {
		t.Fatal(err)
	}
	v := variant(plan.Native)
	v.Program = script
	return v
}

func TestAServerThatAScriptStartsIsMeasuredAndEndedWithIt(t *testing.T) {
	l := newLauncher(t)
	s := start(t, l, wrapped(t))
	if len(s.PIDs) != 2 {
		t.Fatalf("processes %v, want the script's and the server's", s.PIDs)
	}
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", s.PIDs[1]))
	if string(name) != "redis-server\n" {
		t.Errorf("the second is %q", name)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !gone(s.PIDs...) {
		t.Errorf("after the stop: %v run", s.PIDs)
	}
}

func TestAServerWhoseScriptIsKilledGoesWithIt(t *testing.T) {
	s := start(t, newLauncher(t), wrapped(t))
	if len(s.PIDs) != 2 {
		t.Fatalf("processes %v", s.PIDs)
	}
	if err := syscall.Kill(s.PIDs[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !within(s.Exited(), 3*time.Second) || !gone(s.PIDs...) {
		t.Errorf("%v: %v", s.PIDs, s.Failure())
	}
}

func TestKilledBerthLeavesNoServerThatAScriptStarted(t *testing.T) {
	v := wrapped(t)
	for name, alsoScript := range map[string]bool{"the script runs on": false, "the script is killed too": true} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			berth, _, told := startBerth(t, work, v)
			if len(told.PIDs) != 2 {
				t.Fatalf("processes %v", told.PIDs)
			}
			syscall.Kill(berth.Process.Pid, syscall.SIGSTOP) // so that it does not notice
			if alsoScript {
				syscall.Kill(told.PIDs[0], syscall.SIGKILL)
			}
			syscall.Kill(berth.Process.Pid, syscall.SIGKILL)
			eventually(t, 5*time.Second, "script, server, guard and folder are gone", func() bool {
				return gone(append(told.PIDs, told.Guard)...) && isEmpty(work)
			})
		})
	}
}
