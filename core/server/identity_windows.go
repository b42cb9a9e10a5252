package server

import (
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// startTime is when the process was created, in 100 ns since 1601.
func startTime(pid int) (uint64, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(h)
	if state, err := windows.WaitForSingleObject(h, 0); err == nil && state == windows.WAIT_OBJECT_0 {
		return 0, os.ErrProcessDone
	}
	var created, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exit, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime), nil
}

// groupOf is empty: a process has no group here that could be looked at.
func groupOf(leader identity) []identity { return nil }

// bootID is empty: start times of processes are absolute here.
func bootID() string { return "" }

func pidNamespace() string { return "" }

// end ends the process at once: Windows has no signal that asks. The handle is
// opened before the start time is looked at, so that no later process can be meant.
func (i identity) end(wait time.Duration) (bool, error) {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.SYNCHRONIZE, false, uint32(i.PID))
	if err != nil {
		return false, nil
	}
	defer windows.CloseHandle(h)
	if !i.alive() {
		return false, nil
	}
	if err := windows.TerminateProcess(h, 1); err != nil {
		return true, err
	}
	_, err = windows.WaitForSingleObject(h, uint32(wait.Milliseconds()))
	return true, err
}
