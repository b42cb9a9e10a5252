package server

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// stat is /proc/PID/stat from field 3 on, 20 fields or more; an error if the process is not there or a zombie.
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// The name, field 2, is in parentheses and may hold anything.
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return nil, os.ErrProcessDone
	}
	return fields, nil
}

// startTime is field 22 of /proc/PID/stat.
func startTime(pid int) (uint64, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(fields[19], 10, 64)
}

// groupOf are the other processes of the group that leader began. Where leader has ended,
// its id is no other's as long as the group has processes; where another process has it, there are none.
func groupOf(leader identity) []identity {
	if start, err := startTime(leader.PID); err == nil && start != leader.Start {
		return nil
	}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var others []identity
	for _, f := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		fields, err := stat(pid)
		if err != nil || pid == leader.PID || fields[2] != strconv.Itoa(leader.PID) {
			continue
		}
		if one, err := identify(pid); err == nil {
			others = append(others, one)
		}
	}
	return others
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
