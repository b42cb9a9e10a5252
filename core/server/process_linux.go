package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// dockerProxies are the docker-proxy processes that listen for a published port on ip, or on any
// address where ip is nil.
func dockerProxies(ip net.IP, port string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		// /usr/bin/docker-proxy -proto tcp -host-ip 127.0.0.1 -host-port 32768 …
		argv := strings.Split(string(bytes.TrimRight(raw, "\x00")), "\x00")
		after := func(option string) string {
			if i := slices.Index(argv, option); i > 0 && i+1 < len(argv) {
				return argv[i+1]
			}
			return ""
		}
		on := net.ParseIP(after("-host-ip"))
		if filepath.Base(argv[0]) == "docker-proxy" && after("-host-port") == port && (ip == nil || on == nil || on.IsUnspecified() || on.Equal(ip)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// family is a process and those that descend from it.
func family(pid int) []int {
	pids := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		raw, _ := os.ReadFile(l)
		for _, word := range strings.Fields(string(raw)) {
			if child, err := strconv.Atoi(word); err == nil {
				pids = append(pids, family(child)...)
			}
		}
	}
	return pids
}

// limitNames are those of Docker for the lines of /proc/PID/limits.
var limitNames = map[string]string{
	"Max open files": "nofile", "Max locked memory": "memlock", "Max core file size": "core", "Max stack size": "stack",
}

// nativeLimits are the limits that a native server runs under. They are read from a
// child: the Go runtime raises this process's own limit of open files and gives children the old one.
func nativeLimits(ctx context.Context) ([]*container.Ulimit, error) {
	out, err := exec.CommandContext(ctx, "cat", "/proc/self/limits").Output()
	if err != nil {
		return nil, err
	}
	var limits []*container.Ulimit
	for line := range strings.Lines(string(out)) {
		for title, name := range limitNames {
			rest, ok := strings.CutPrefix(line, title)
			f := strings.Fields(rest)
			if !ok || len(f) < 2 {
				continue
			}
			soft, err1 := limit(f[0])
			hard, err2 := limit(f[1])
			if name == "nofile" {
				soft = raised(soft, hard)
			}
			if err1 == nil && err2 == nil {
				limits = append(limits, &container.Ulimit{Name: name, Soft: soft, Hard: hard})
			}
		}
	}
	return limits, nil
}

// raised is the soft limit of open files that held gives.
func raised(soft, hard int64) int64 {
	const unlimited = -1
	if soft == unlimited {
		return soft
	}
	want := int64(openFiles)
	if hard != unlimited {
		want = min(want, hard)
	}
	return max(soft, want)
}

func limit(s string) (int64, error) {
	if s == "unlimited" {
		return -1, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

// kernelRelease is this machine's, as uname -r says it.
func kernelRelease() string {
	raw, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(string(raw))
}
