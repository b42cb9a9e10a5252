package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestProcessCPUIsWhatAChildBurned(t *testing.T) {
	const burn = 300 * time.Millisecond
	pid, said := startChild(t, burn, nil)
	got, err := ProcessCPU(pid)
	if err != nil {
		t.Fatal(err)
	}
	// The child writes its line and goes to sleep after it read its own meter: a few milliseconds at most.
	within(t, "against the time asked for", got, burn, burn/20)
	within(t, "against the child's getrusage", got, said.CPU, 5*time.Millisecond)
}

func TestProcessCPUCountsThreadsThatEnded(t *testing.T) {
	const burn = 200 * time.Millisecond
	pid, said := startChild(t, burn, nil)
	got, err := ProcessCPU(pid)
	if err != nil {
		t.Fatal(err)
	}
	if said.Ended < burn/4 {
		t.Fatalf("the thread that ended used %v", said.Ended)
	}
	within(t, "all threads, against those alive and the one that ended", got, schedstat(t, pid)+said.Ended, burn/20)
}

func TestProcessCPULeavesOutChildren(t *testing.T) {
	before, err := ProcessCPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	const burn = 200 * time.Millisecond
	startChild(t, burn, nil)
	after, err := ProcessCPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if after-before > burn/2 {
		t.Errorf("this process used %v while its child burned %v", after-before, burn)
	}
}

func TestNoCPUOfAProcessThatIsNot(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 22} {
		if got, err := ProcessCPU(pid); err == nil {
			t.Errorf("process %d used %v", pid, got)
		}
	}
}

func TestBoundProcessHasItsCPUsFromTheStart(t *testing.T) {
	before := CPUs()
	last := before[len(before)-1]
	_, said := startChild(t, time.Millisecond, []int{last})
	if !slices.Equal(said.CPUs, []int{last}) || said.NumCPU != 1 {
		t.Errorf("bound to %d, the child has CPUs %v and counts %d", last, said.CPUs, said.NumCPU)
	}
	for tid, after := range threadCPUs(t) {
		if !slices.Equal(before, after) {
			t.Errorf("binding a child left thread %d of this process on %v of %v", tid, after, before)
		}
	}
}

func TestBoundToACPUThatIsNotIsAnError(t *testing.T) {
	called := false
	err := Bound([]int{1023}, func() error { called = true; return nil })
	if err == nil || called {
		t.Errorf("bound to CPU 1023: error %v, started %v", err, called)
	}
}

// threadCPUs are the CPUs that each thread of this process may run on.
func threadCPUs(t *testing.T) map[int][]int {
	t.Helper()
	threads := map[int][]int{}
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		var set unix.CPUSet
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.SchedGetaffinity(tid, &set); err == nil { // else it has ended since
			threads[tid] = members(&set)
		}
	}
	return threads
}

// schedstat sums the CPU time of the threads of pid that are alive.
func schedstat(t *testing.T, pid int) time.Duration {
	t.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no threads of %d: %v", pid, err)
	}
	var sum int64
	for _, path := range paths {
		var onCPU int64
		if _, err := fmt.Sscan(oneLine(path), &onCPU); err == nil {
			sum += onCPU
		}
	}
	return time.Duration(sum)
}

// threadUsage is the CPU time of this thread by getrusage.
func threadUsage() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
