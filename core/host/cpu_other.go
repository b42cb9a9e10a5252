//go:build !linux

package host

import (
	"fmt"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// CPUs are the CPUs that this process may run on. Outside Linux they are
// counted, not asked for.
func CPUs() []int {
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}

// CPUsOf is not known.
func CPUsOf(pid int) []int { return nil }

// ReadTopology knows only how many CPUs there are.
func ReadTopology() Topology {
	var t Topology
	for _, id := range CPUs() {
		t = append(t, CPU{ID: id})
	}
	return t
}

// ProcessCPU is the CPU time that the process used so far, user and system, as
// finely as the system counts it.
func ProcessCPU(pid int) (time.Duration, error) {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	times, err := p.Times()
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration((times.User + times.System) * float64(time.Second)), nil
}
