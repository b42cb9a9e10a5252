package server

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"berth/core/need"
	"berth/core/plan"
)

func TestPinnedServerRunsOnItsCPUs(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	v := variant(plan.Pinned)
	v.CPUs = "00"
	s := start(t, newLauncher(t), v)
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(s.PIDs[0], &set); err != nil {
		t.Fatal(err)
	}
	if set.Count() != 1 || !set.IsSet(0) {
		t.Errorf("the server may run on %d CPUs, want CPU 0 alone", set.Count())
	}
	if !strings.HasPrefix(s.Commands[0], "taskset -c 0 ") {
		t.Errorf("by hand: %s", s.Commands[0])
	}
}
