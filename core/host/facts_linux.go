package host

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// readSystem adds what Linux tells in /proc and /sys.
func readSystem(f Facts) {
	readTopologyFacts(f)
	readPowerFacts(f)
	readKernelFacts(f)
	readLimitFacts(f)
	readCgroupFacts(f, "/proc/self/cgroup", "/sys/fs/cgroup")
	readNetworkFacts(f)
}

// oneLine is the trimmed content of a small file of /proc or /sys; "" if it cannot be read.
func oneLine(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

func readTopologyFacts(f Facts) {
	t := ReadTopology()
	sockets, nodes := map[string]bool{}, map[int]bool{}
	var shared, fast, slow []int
	for _, c := range t {
		sockets[oneLine(cpuFile(c.ID, "topology/physical_package_id"))] = true
		nodes[c.Node] = true
		if len(c.Siblings) > 0 {
			shared = append(shared, c.ID)
		}
		if c.Slow {
			slow = append(slow, c.ID)
		} else {
			fast = append(fast, c.ID)
		}
	}
	if len(t) == 0 {
		return
	}
	f.set("cpu.sockets", fmt.Sprint(len(sockets)))
	f.set("cpu.numa_nodes", fmt.Sprint(len(nodes)))
	f.set("cpu.smt", oneLine("/sys/devices/system/cpu/smt/control"))
	f.set("cpu.smt_siblings", FormatCPUs(shared))
	f.set("cpu.kinds", "all alike")
	if len(slow) > 0 {
		f.set("cpu.kinds", "fast "+FormatCPUs(fast)+", slow "+FormatCPUs(slow))
	}
}

func readPowerFacts(f Facts) {
	const dir = "/sys/devices/system/cpu/"
	f.set("cpu.governor", oneLine(dir+"cpu0/cpufreq/scaling_governor"))
	f.set("cpu.turbo", onOff(oneLine(dir+"cpufreq/boost"), "1"))
	f.set("cpu.turbo", onOff(oneLine(dir+"intel_pstate/no_turbo"), "0"))
	supplies, _ := filepath.Glob("/sys/class/power_supply/*/type")
	for _, path := range supplies {
		if oneLine(path) != "Mains" {
			continue
		}
		if onOff(oneLine(filepath.Join(filepath.Dir(path), "online")), "1") == "on" {
			f.set("power.source", "mains")
		} else {
			f.set("power.source", "battery")
		}
	}
}

// onOff is "on" where value says so, "off" where it says something else, and
// "" where nothing is known.
func onOff(value, on string) string {
	switch value {
	case "":
		return ""
	case on:
		return "on"
	}
	return "off"
}

func readKernelFacts(f Facts) {
	f.set("clock.source", oneLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"))
	f.set("kernel.mitigations", mitigations("/sys/devices/system/cpu/vulnerabilities"))
	f.set("memory.transparent_huge_pages", chosen(oneLine("/sys/kernel/mm/transparent_hugepage/enabled")))
	f.set("memory.overcommit", oneLine("/proc/sys/vm/overcommit_memory"))
	f.set("memory.swappiness", oneLine("/proc/sys/vm/swappiness"))
	f.set("host.hypervisor", hypervisor())
}

// hypervisor names what this machine is a guest of; "none" on bare metal, ""
// where the processor has no way to tell.
func hypervisor() string {
	if kind := oneLine("/sys/hypervisor/type"); kind != "" { // Xen
		return kind
	}
	cpuinfo := oneLine("/proc/cpuinfo")
	switch {
	case strings.Contains(cpuinfo, " hypervisor"): // x86's flag
		if product := oneLine("/sys/class/dmi/id/product_name"); product != "" {
			return join(oneLine("/sys/class/dmi/id/sys_vendor"), product)
		}
		return "unnamed"
	case strings.Contains(cpuinfo, "\nflags"):
		return "none"
	}
	return ""
}

// mitigations lists the CPU's weaknesses as the kernel treats them: "mitigated: a, b; vulnerable: c".
func mitigations(dir string) string {
	entries, _ := os.ReadDir(dir)
	var mitigated, vulnerable []string
	for _, e := range entries {
		switch status := oneLine(filepath.Join(dir, e.Name())); {
		case strings.HasPrefix(status, "Mitigation"):
			mitigated = append(mitigated, e.Name())
		case strings.HasPrefix(status, "Vulnerable"):
			vulnerable = append(vulnerable, e.Name())
		}
	}
	var parts []string
	if len(mitigated) > 0 {
		parts = append(parts, "mitigated: "+strings.Join(mitigated, ", "))
	}
	if len(vulnerable) > 0 {
		parts = append(parts, "vulnerable: "+strings.Join(vulnerable, ", "))
	}
	return strings.Join(parts, "; ")
}

// chosen is the word in brackets: "always [madvise] never".
func chosen(choices string) string {
	_, rest, _ := strings.Cut(choices, "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}

func readLimitFacts(f Facts) {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		f.set("limit.nofile", fmt.Sprintf("%d (at most %d)", files.Cur, files.Max))
	}
	readConfinement(f, "/proc/self/")
}

// readCgroupFacts finds the limits of this process's control groups. Both
// versions keep a tree of folders under root, and self names this process's: with
// version 2 one line "0::/path", with version 1 one "ID:controllers:/path" for each tree.
// The format is that of cgroups(7). A limit above in the tree holds too, so the lowest on the way up counts.
func readCgroupFacts(f Facts, self, root string) {
	paths := map[string]string{}
	for line := range strings.Lines(oneLine(self)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		for _, controller := range strings.Split(fields[1], ",") {
			paths[controller] = fields[2]
		}
	}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		f.set("cgroup.version", "2")
		dir := paths[""]
		f.set("cgroup.cpu_limit", lowestQuota(root, dir, readQuota2))
		f.set("cgroup.memory_limit", lowestMemory(root, dir, "memory.max"))
		f.set("cgroup.cpus", nearest(root, dir, "cpuset.cpus.effective"))
		return
	}
	if _, ok := paths["memory"]; !ok {
		return
	}
	f.set("cgroup.version", "1")
	cpuRoot, cpuset := filepath.Join(root, "cpu"), filepath.Join(root, "cpuset")
	f.set("cgroup.cpu_limit", lowestQuota(cpuRoot, paths["cpu"], readQuota1))
	f.set("cgroup.memory_limit", lowestMemory(filepath.Join(root, "memory"), paths["memory"], "memory.limit_in_bytes"))
	f.set("cgroup.cpus", nearest(cpuset, paths["cpuset"], "cpuset.effective_cpus"))
	if f["cgroup.cpus"] == "" {
		f.set("cgroup.cpus", nearest(cpuset, paths["cpuset"], "cpuset.cpus"))
	}
}

// upwards are the folders from root/path up to root. In a container the path
// may be one of the outside that does not exist here: then only root counts.
func upwards(root, path string) []string {
	var dirs []string
	for p := filepath.Clean("/" + path); p != "/"; p = filepath.Dir(p) {
		dirs = append(dirs, filepath.Join(root, p))
	}
	return append(dirs, root)
}

// lowestQuota is the smallest limit of CPUs, "1.5 CPUs"; "" if there is none.
func lowestQuota(root, path string, read func(dir string) (quota, period float64)) string {
	lowest := 0.0
	for _, dir := range upwards(root, path) {
		quota, period := read(dir)
		if quota > 0 && period > 0 && (lowest == 0 || quota/period < lowest) {
			lowest = quota / period
		}
	}
	if lowest == 0 {
		return ""
	}
	return fmt.Sprintf("%.3g CPUs", lowest)
}

func readQuota2(dir string) (quota, period float64) {
	// "max 100000" leaves both at 0: no limit.
	_, _ = fmt.Sscanf(oneLine(filepath.Join(dir, "cpu.max")), "%g %g", &quota, &period)
	return quota, period
}

func readQuota1(dir string) (quota, period float64) {
	_, _ = fmt.Sscan(oneLine(filepath.Join(dir, "cpu.cfs_quota_us")), &quota)
	_, _ = fmt.Sscan(oneLine(filepath.Join(dir, "cpu.cfs_period_us")), &period)
	return quota, period
}

// lowestMemory is the smallest limit of memory; "" if there is none. Version 1
// writes a number near 2⁶³ for none, version 2 the word max.
func lowestMemory(root, path, file string) string {
	var lowest uint64
	for _, dir := range upwards(root, path) {
		var limit uint64
		if _, err := fmt.Sscan(oneLine(filepath.Join(dir, file)), &limit); err != nil || limit >= 1<<60 {
			continue
		}
		if lowest == 0 || limit < lowest {
			lowest = limit
		}
	}
	if lowest == 0 {
		return ""
	}
	return bytesText(lowest)
}

// nearest is the content of file in the first folder on the way up that has it.
func nearest(root, path, file string) string {
	for _, dir := range upwards(root, path) {
		if value := oneLine(filepath.Join(dir, file)); value != "" {
			return value
		}
	}
	return ""
}

func readNetworkFacts(f Facts) {
	f.set("net.somaxconn", oneLine("/proc/sys/net/core/somaxconn"))
	f.set("net.port_range", strings.Join(strings.Fields(oneLine("/proc/sys/net/ipv4/ip_local_port_range")), "-"))
	if lo, err := net.InterfaceByName("lo"); err == nil {
		f.set("net.lo_mtu", fmt.Sprint(lo.MTU))
	}
	f.set("net.loopback_conntrack", loopbackConntrack())
	// Readable by root alone; names only what iptables-legacy made.
	f.set("net.iptables_tables", strings.Join(strings.Fields(oneLine("/proc/net/ip_tables_names")), ", "))
}

// loopbackConntrack says whether the kernel tracks connections on loopback, as it does
// once any rule (Docker's, for one) asks for it: every byte of a native server then
// passes those hooks too. The kernel tells anyone through SO_ORIGINAL_DST, which
// finds a connection only among the tracked ones.
func loopbackConntrack() string {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return ""
	}
	defer listener.Close()
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		return ""
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return ""
	}
	var found error
	err = raw.Control(func(fd uintptr) {
		// GetsockoptIPv6Mreq only lends its buffer, of at least a sockaddr_in's size.
		_, found = unix.GetsockoptIPv6Mreq(int(fd), unix.SOL_IP, unix.SO_ORIGINAL_DST)
	})
	switch {
	case err != nil:
		return ""
	case found == nil:
		return "yes"
	case found == unix.ENOENT || found == unix.ENOPROTOOPT:
		return "no"
	}
	return ""
}

// Filesystem is the type of the filesystem that path lies on ("ext4", "overlay",
// "tmpfs"), as the mount table names it; "" if it cannot be known.
func Filesystem(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if name := mountType(oneLine("/proc/self/mountinfo"), path); name != "" {
		return name
	}
	return portableFilesystem(path)
}

// mountType finds the mount that path lies on: the longest mount point above
// it, and of equals the last, which covers the others. The format is proc_pid_mountinfo(5)'s:
// the mount point is the fifth field, the type follows a lone "-".
func mountType(mountinfo, path string) string {
	longest, name := -1, ""
	for line := range strings.Lines(mountinfo) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) == 0 {
			continue
		}
		point := unescape(left[4])
		under := point == "/" || path == point || strings.HasPrefix(path, point+"/")
		if under && len(point) >= longest {
			longest, name = len(point), right[0]
		}
	}
	return name
}

// unescape undoes the octal escapes of blanks in a mount point.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
