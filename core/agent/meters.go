package agent

import (
	"time"

	"berth/core/host"
)

// A reading is what the CPU meters say at one moment. What cannot be read is nil.
type reading struct {
	client, server, proxy *time.Duration
	machine               *host.Meter
}

// readMeters reads them all, always in the same order, so that each meter is read
// at both ends of the measured part as long after the moment that it is read for. It
// takes about 0.1 ms, nearly all of it for the machine's.
func readMeters(self int, watch Watch) reading {
	r := reading{
		server: processes(watch.Server),
		proxy:  processes(watch.Proxy),
		client: processes([]int{self}),
	}
	if m, err := host.ReadMeter(); err == nil {
		r.machine = &m
	}
	return r
}

// processes sums the CPU time of pids; nil if there are none or one of them
// cannot be read: a part is not the whole.
func processes(pids []int) *time.Duration {
	if len(pids) == 0 {
		return nil
	}
	var sum time.Duration
	for _, pid := range pids {
		used, err := host.ProcessCPU(pid)
		if err != nil {
			return nil
		}
		sum += used
	}
	return &sum
}

// used is the CPU time between two readings.
func used(before, after reading) CPU {
	cpu := CPU{
		Client: difference(before.client, after.client),
		Server: difference(before.server, after.server),
		Proxy:  difference(before.proxy, after.proxy),
	}
	if before.machine != nil && after.machine != nil {
		if busy, steal, ok := host.Machine(*before.machine, *after.machine); ok {
			cpu.Machine, cpu.Steal = &busy, &steal
		}
	}
	return cpu
}

func difference(before, after *time.Duration) *time.Duration {
	if before == nil || after == nil {
		return nil
	}
	d := *after - *before
	return &d
}
