package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// 50 connections cost an agent little, with one request in flight on each or with 64 KiB of them.
func TestAgentStaysSmall(t *testing.T) {
	pid, control := startRedis(t)
	for _, pipeline := range []int{1, 400} {
		job := setJob(pid, control)
		job.Redis.Pipeline = pipeline
		job.Redis.Duration = 1300 * time.Millisecond // long enough for one tick
		peak := 0
		_, err := Run(t.Context(), job, func(e Event) {
			if e.Tick != nil {
				peak = max(peak, peakMemory(t, pid))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("pipeline %d: %d MiB at most", pipeline, peak>>10)
		if peak == 0 || peak > 64<<10 {
			t.Errorf("pipeline %d: the agent's memory reached %d KiB", pipeline, peak)
		}
	}
}

// peakMemory is the most resident memory that a child of this process, other than
// the one named, has had so far, in KiB.
func peakMemory(t *testing.T, other int) int {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	peak := 0
	for _, list := range lists {
		raw, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, pid := range strings.Fields(string(raw)) {
			if pid != fmt.Sprint(other) {
				peak = max(peak, statusKiB(t, pid, "VmHWM"))
			}
		}
	}
	return peak
}

func statusKiB(t *testing.T, pid, key string) int {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), key+":")
	kib := 0
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatalf("no %s in the status of %s: %v", key, pid, err)
	}
	return kib
}
