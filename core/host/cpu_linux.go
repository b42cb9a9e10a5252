package host

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPUs are the CPUs that are online and allowed to this process, in ascending order.
func CPUs() []int { return CPUsOf(os.Getpid()) }

// CPUsOf are the CPUs that the process with that id may run on, in ascending order; nil where that
// cannot be known.
func CPUsOf(pid int) []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		return nil
	}
	return members(&set)
}

func members(set *unix.CPUSet) []int {
	cpus := make([]int, 0, set.Count())
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus
}

// cpuFile is the path of a file about one CPU.
func cpuFile(cpu int, name string) string {
	return filepath.Join("/sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), name)
}

// ReadTopology finds the CPUs that this process may run on and what they share.
func ReadTopology() Topology {
	var t Topology
	capacity := map[int]int{}
	fastest := 0
	for _, id := range CPUs() {
		c := CPU{ID: id}
		list := oneLine(cpuFile(id, "topology/thread_siblings_list"))
		if siblings, err := ParseCPUs(list); err == nil {
			c.Siblings = slices.DeleteFunc(siblings, func(s int) bool { return s == id })
		}
		if nodes, _ := filepath.Glob(cpuFile(id, "node[0-9]*")); len(nodes) > 0 {
			c.Node, _ = strconv.Atoi(strings.TrimPrefix(filepath.Base(nodes[0]), "node"))
		}
		capacity[id], _ = strconv.Atoi(oneLine(cpuFile(id, "cpu_capacity")))
		fastest = max(fastest, capacity[id])
		t = append(t, c)
	}
	// Intel's hybrid chips name their slow cores. Elsewhere the kernel gives each
	// CPU a capacity of at most 1024; less than three quarters of the best is another kind of core, not
	// one that merely boosts higher.
	atoms, _ := ParseCPUs(oneLine("/sys/devices/cpu_atom/cpus"))
	for i, c := range t {
		t[i].Slow = slices.Contains(atoms, c.ID) || capacity[c.ID] > 0 && 4*capacity[c.ID] < 3*fastest
	}
	return t
}

// ProcessCPU is the CPU time that the process used so far, user and system, over
// all its threads, those that have ended among them; of its children nothing. In nanoseconds and up to
// the moment of the call, where /proc/PID/task/*/schedstat, the same account, loses ended
// threads and lags by up to a timer tick on running ones.
func ProcessCPU(pid int) (time.Duration, error) {
	if pid <= 0 { // 0 would be the caller itself
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, unix.ESRCH)
	}
	// The kernel keeps a clock of every process. Its number is the one that
	// clock_getcpuclockid(3) computes: the pid's complement above three bits that say what is counted.
	const scheduled = 2 // CPUCLOCK_SCHED: time on a CPU
	var ts unix.Timespec
	if err := unix.ClockGettime(^int32(pid)<<3|scheduled, &ts); err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}
