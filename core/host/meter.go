package host

import (
	"fmt"

	"github.com/shirou/gopsutil/v4/cpu"
)

// A Meter is what all CPUs of the machine did since it started, in seconds
// summed over them. Linux counts it in hundredths (/proc/stat), so two
// CPUs over half a second are told to within 1%.
type Meter struct {
	cpus               int
	total, idle, steal float64
}

// ReadMeter reads the machine's meter.
func ReadMeter() (Meter, error) {
	each, err := cpu.Times(true)
	if err != nil {
		return Meter{}, fmt.Errorf("read what this machine's CPUs did: %w", err)
	}
	m := Meter{cpus: len(each)}
	for _, t := range each {
		// Guest time is part of user time: not added again.
		m.total += t.User + t.Nice + t.System + t.Irq + t.Softirq + t.Steal + t.Idle + t.Iowait
		m.idle += t.Idle + t.Iowait
		m.steal += t.Steal
	}
	return m, nil
}

// CPUs is how many logical CPUs the meter sums over: all that are online,
// also those that this process may not run on.
func (m Meter) CPUs() int { return m.cpus }

// Machine says what the CPUs did between two readings, in percent of one core
// (200 is two busy cores): busy is all but idle and waiting for disks, and steal the
// part of it that the hypervisor gave to others. ok is false when no time passed
// on the meter.
func Machine(before, after Meter) (busy, steal float64, ok bool) {
	total := after.total - before.total
	if total <= 0 || after.cpus == 0 {
		return 0, 0, false
	}
	scale := 100 * float64(after.cpus) / total
	idle := min(total, max(0, after.idle-before.idle))
	return (total - idle) * scale, max(0, after.steal-before.steal) * scale, true
}
