package host

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Bound calls start on a thread that may run on cpus alone, so that a process
// which start makes is bound to them from its first instruction, with every thread
// that it ever has. That is also how its Go runtime learns how many CPUs it has. Empty cpus
// bind nothing.
func Bound(cpus []int, start func() error) error {
	if len(cpus) == 0 {
		return start()
	}
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	done := make(chan error, 1)
	go func() {
		// Never unlocked: the thread ends with this goroutine, and no other inherits its binding.
		runtime.LockOSThread()
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			done <- fmt.Errorf("bind a process to CPUs %s of %s: %w", FormatCPUs(cpus), FormatCPUs(CPUs()), err)
			return
		}
		done <- start()
	}()
	return <-done
}
