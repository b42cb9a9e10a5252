package server

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"berth/core/text"
)

// parseCPUs reads a CPU list as taskset -c writes it: "2", "02", "0-1,3". The
// result is sorted, each CPU once.
func parseCPUs(list string) ([]int, error) {
	const highest = 4095 // of a Linux cpumask as distributions build it: NR_CPUS 4096 or 8192
	var cpus []int
	for _, part := range strings.Split(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		low, err := cpuNumber(first)
		if err != nil {
			return nil, err
		}
		high := low
		if isRange {
			if high, err = cpuNumber(last); err != nil {
				return nil, err
			}
		}
		if high < low || high > highest {
			return nil, fmt.Errorf("%q", part)
		}
		for cpu := low; cpu <= high; cpu++ {
			cpus = append(cpus, cpu)
		}
	}
	slices.Sort(cpus)
	return slices.Compact(cpus), nil
}

// cpuNumber reads one number: digits only, no sign, no space within a list.
func cpuNumber(s string) (int, error) {
	if s == "" || len(s) > 5 || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%q", s)
	}
	return strconv.Atoi(s)
}

// formatCPUs writes a sorted list as taskset and Docker read it: "0-1,3".
func formatCPUs(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			fmt.Fprintf(&b, "-%d", cpus[j])
		}
		i = j + 1
	}
	return b.String()
}

// onlineCPUs are the CPUs that this machine has now.
func onlineCPUs() []int {
	if raw, err := os.ReadFile("/sys/devices/system/cpu/online"); err == nil {
		if cpus, err := parseCPUs(string(raw)); err == nil {
			return cpus
		}
	}
	cpus := make([]int, runtime.NumCPU())
	for i := range cpus {
		cpus[i] = i
	}
	return cpus
}

// checkCPUs reads list and says what is wrong with it on a machine that has online.
func checkCPUs(list string, online []int) ([]int, error) {
	args := text.Args{"CPUs": list, "Online": formatCPUs(online)}
	cpus, err := parseCPUs(list)
	if err != nil {
		return nil, text.Err("server.bad-cpus", args, err)
	}
	for _, cpu := range cpus {
		if !slices.Contains(online, cpu) {
			args["CPU"] = cpu
			return nil, text.Err("server.no-such-cpu", args, nil)
		}
	}
	return cpus, nil
}
