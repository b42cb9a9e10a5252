package plan

import (
	"slices"
	"strconv"
	"strings"

	"berth/core/text"
)

// MaxCPUs is the highest number of CPUs that a list may name: Linux's NR_CPUS limit.
const MaxCPUs = 8192

// ParseCPUs reads a CPU list as taskset -c and cpuset write it: "2", "02",
// "0-1,3". The result is in ascending order without repetitions. Whether this
// machine has them is another question.
func ParseCPUs(list string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		from, err := cpuNumber(first)
		to := from
		if err == nil && isRange {
			to, err = cpuNumber(last)
		}
		if err != nil || to < from {
			return nil, text.Err("plan.cpus-unreadable", text.Args{"CPUs": list}, nil)
		}
		for cpu := from; cpu <= to; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

func cpuNumber(s string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 16)
	if err == nil && n >= MaxCPUs {
		err = strconv.ErrRange
	}
	return int(n), err
}

// FormatCPUs writes CPUs as ParseCPUs reads them, runs as ranges: "0-1,3".
func FormatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i {
			part += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
