package server

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// startTime is field 22 of /proc/PID/stat; an error if the process is not there or a zombie.
func startTime(pid int) (uint64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, field 2, is in parentheses and may hold anything.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0, os.ErrProcessDone
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

func pidNamespace() string {
	name, _ := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	return strings.Trim(strings.TrimPrefix(name, "pid:"), "[]")
}

// end ends the process: SIGTERM, and SIGKILL if it still runs after wait. It reports
// whether there was such a process. The pidfd is taken before the start time is
// looked at, so that no later process of the same pid can be meant.
func (i identity) end(wait time.Duration) (bool, error) {
	fd, err := unix.PidfdOpen(i.PID, 0)
	if err != nil {
		if errors.Is(err, unix.ESRCH) {
			return false, nil
		}
		return false, err
	}
	defer unix.Close(fd)
	if !i.alive() {
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0); err != nil {
		return !errors.Is(err, unix.ESRCH), ignoreGone(err)
	}
	if ended(fd, wait) {
		return true, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil {
		return true, ignoreGone(err)
	}
	if !ended(fd, wait) {
		return true, fmt.Errorf("process %d does not end", i.PID)
	}
	return true, nil
}

func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// ended waits until a pidfd's process has ended, which makes the descriptor readable.
func ended(fd int, wait time.Duration) bool {
	deadline := time.Now().Add(wait)
	for {
		left := time.Until(deadline)
		if left < 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
	}
}
