package server

import (
	"slices"

	"berth/core/host"
	"berth/core/text"
)

// checkCPUs reads a list as taskset -c writes it and says in a sentence what is wrong with it
// on a machine that has the CPUs online.
func checkCPUs(list string, online []int) ([]int, error) {
	args := text.Args{"CPUs": list, "Online": host.FormatCPUs(online)}
	cpus, err := host.ParseCPUs(list)
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
