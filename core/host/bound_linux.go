package host

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// Bound calls start on a thread that may run on cpus alone, so that a process
// which start makes is bound to them from its first instruction, with every thread
// that it ever has. That is also how its Go runtime learns how many CPUs it has. The
// thread is put back afterwards; meanwhile no other inherits its binding, since Go
// never starts threads from a locked one. Empty cpus bind nothing.
func Bound(cpus []int, start func() error) error {
	if len(cpus) == 0 {
		return start()
	}
	var set, before unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return bindError(cpus, err)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return bindError(cpus, err)
	}
	// It fails only where all those CPUs went off meanwhile, and then the kernel frees the thread itself.
	defer func() { _ = unix.SchedSetaffinity(0, &before) }()
	return start()
}

func bindError(cpus []int, err error) error {
	return fmt.Errorf("bind a process to CPUs %s of %s: %w", FormatCPUs(cpus), FormatCPUs(CPUs()), err)
}
