package server

import (
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startTime is when the process started, in microseconds since 1970.
func startTime(pid int) (uint64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, err
	}
	const zombie = 5 // SZOMB of sys/proc.h
	if info.Proc.P_stat == zombie {
		return 0, os.ErrProcessDone
	}
	at := info.Proc.P_starttime
	return uint64(at.Sec)*1e6 + uint64(at.Usec), nil
}

// groupOf are the other processes of the group that leader began; none where another process
// has its id.
func groupOf(leader identity) []identity {
	if start, err := startTime(leader.PID); err == nil && start != leader.Start {
		return nil
	}
	all, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", leader.PID)
	if err != nil {
		return nil
	}
	var others []identity
	for i := range all {
		if pid := int(all[i].Proc.P_pid); pid != leader.PID {
			if one, err := identify(pid); err == nil {
				others = append(others, one)
			}
		}
	}
	return others
}

// bootID is empty: start times of processes are absolute here.
func bootID() string { return "" }

func pidNamespace() string { return "" }

// end ends the process: SIGTERM, and SIGKILL if it still runs after wait. Without pidfds
// a pid given again between the look and the signal cannot be told apart.
func (i identity) end(wait time.Duration) (bool, error) {
	if !i.alive() {
		return false, nil
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		if err := syscall.Kill(i.PID, signal); err != nil {
			if errors.Is(err, syscall.ESRCH) {
				return true, nil
			}
			return true, err
		}
		for deadline := time.Now().Add(wait); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if !i.alive() {
				return true, nil
			}
		}
	}
	return true, errors.New("the process does not end")
}
