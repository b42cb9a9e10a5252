package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Topology is the CPUs that this process may run on, in ascending order.
type Topology []CPU

// A CPU is one logical CPU.
type CPU struct {
	ID int
	// Siblings are the other logical CPUs of the same core (SMT), whether
	// this process may run on them or not.
	Siblings []int
	Node     int  // NUMA node
	Slow     bool // on a core of a slower kind than the machine's fastest
}

// Siblings are the other logical CPUs of cpu's core; none without SMT, or
// where the system does not tell.
func Siblings(cpu int) []int {
	for _, c := range ReadTopology() {
		if c.ID == cpu {
			return c.Siblings
		}
	}
	return nil
}

// IDs are the CPUs' numbers.
func (t Topology) IDs() []int {
	ids := make([]int, len(t))
	for i, c := range t {
		ids[i] = c.ID
	}
	return ids
}

// ParseCPUs reads a list as taskset -c and Linux write it: "2", "02", "0-1,3".
// The result is in ascending order, each CPU once.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := parseCPU(low)
		if err != nil {
			return nil, err
		}
		last := first
		if isRange {
			if last, err = parseCPU(high); err != nil {
				return nil, err
			}
		}
		if last < first {
			return nil, fmt.Errorf("CPU list %q: %q runs backwards", list, part)
		}
		for c := first; c <= last; c++ {
			cpus = append(cpus, c)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// maxCPU is above what any kernel is built for (Linux: at most 8192), so that "0-999999999" is refused.
const maxCPU = 1 << 16

func parseCPU(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || n >= maxCPU {
		return 0, fmt.Errorf("%q is not the number of a CPU", s)
	}
	return int(n), nil
}

// FormatCPUs writes CPUs as ParseCPUs reads them, runs of three and more as a range: "0-2,5".
func FormatCPUs(cpus []int) string {
	cpus = slices.Compact(slices.Sorted(slices.Values(cpus)))
	var parts []string
	for i := 0; i < len(cpus); {
		end := i
		for end+1 < len(cpus) && cpus[end+1] == cpus[end]+1 {
			end++
		}
		if end-i < 2 {
			end = i
			parts = append(parts, strconv.Itoa(cpus[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", cpus[i], cpus[end]))
		}
		i = end + 1
	}
	return strings.Join(parts, ",")
}
