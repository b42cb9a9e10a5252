package host

import (
	"fmt"
	"strings"
)

// ProcessFacts are the limits and the confinement that a process of this machine
// runs under, as they hold for it: "limit.…", "security.…" and "cgroup.…", as Read has them of
// Berth itself. What this user may not know of it is left out.
func ProcessFacts(pid int) Facts {
	f := Facts{}
	dir := fmt.Sprintf("/proc/%d/", pid)
	for line := range strings.Lines(oneLine(dir + "limits")) {
		for title, name := range map[string]string{"Max open files": "nofile", "Max locked memory": "memlock", "Max core file size": "core"} {
			// The columns are the limit in force, the highest allowed, and the unit.
			if rest, ok := strings.CutPrefix(line, title); ok {
				if columns := strings.Fields(rest); len(columns) >= 2 {
					f.set("limit."+name, fmt.Sprintf("%s (at most %s)", columns[0], columns[1]))
				}
			}
		}
	}
	readConfinement(f, dir)
	readCgroupFacts(f, dir+"cgroup", "/sys/fs/cgroup")
	for line := range strings.Lines(oneLine(dir + "status")) {
		if cpus, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			f.set("cpu.allowed", strings.TrimSpace(cpus))
		}
	}
	if fields := strings.Fields(afterName(oneLine(dir + "stat"))); len(fields) > 16 {
		f.set("cpu.nice", fields[16]) // field 19
	}
	return f
}

// afterName is a line of /proc/PID/stat from field 3 on. The name, field 2, is in parentheses and may hold anything.
func afterName(stat string) string { return stat[strings.LastIndexByte(stat, ')')+1:] }

// readConfinement adds the seccomp mode and AppArmor profile of the process that dir of /proc is of.
func readConfinement(f Facts, dir string) {
	for line := range strings.Lines(oneLine(dir + "status")) {
		key, value, _ := strings.Cut(line, ":")
		if key == "Seccomp" {
			modes := map[string]string{"0": "off", "1": "strict", "2": "filter"}
			f.set("security.seccomp", modes[strings.TrimSpace(value)])
		}
	}
	if onOff(oneLine("/sys/module/apparmor/parameters/enabled"), "Y") != "on" {
		f.set("security.apparmor", "off")
		return
	}
	profile := oneLine(dir + "attr/apparmor/current")
	if profile == "" {
		profile = oneLine(dir + "attr/current")
	}
	f.set("security.apparmor", profile)
}
