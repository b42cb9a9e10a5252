package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFactsOfLinux(t *testing.T) {
	f := Read(t.Context())
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		t.Fatal(err)
	}
	if release := unix.ByteSliceToString(uts.Release[:]); !strings.Contains(f["kernel.version"], release) {
		t.Errorf("kernel.version %q, uname %q", f["kernel.version"], release)
	}
	for _, key := range []string{"net.somaxconn", "memory.overcommit", "cpu.sockets", "cpu.numa_nodes"} {
		if _, err := strconv.Atoi(f[key]); err != nil {
			t.Errorf("%s is %q", key, f[key])
		}
	}
	for key, choices := range map[string][]string{
		"net.loopback_conntrack": {"yes", "no"},
		"security.seccomp":       {"off", "strict", "filter"},
	} {
		if got := f[key]; got == "" || !strings.Contains(strings.Join(choices, " "), got) {
			t.Errorf("%s is %q, want one of %v", key, got, choices)
		}
	}
}

// Without the module, nothing can track.
func TestConntrackIsNoWhereTheKernelHasNone(t *testing.T) {
	_, err := os.Stat("/proc/sys/net/netfilter/nf_conntrack_count")
	if loaded := err == nil; !loaded && loopbackConntrack() != "no" {
		t.Errorf("conntrack is not there, loopbackConntrack says %q", loopbackConntrack())
	}
}

func TestCgroupLimitsOfBothVersions(t *testing.T) {
	for _, c := range []struct {
		name  string
		self  string
		files map[string]string
		want  Facts
	}{
		{"version 2, the tightest limit is above", "0::/user/berth\n", map[string]string{
			"cgroup.controllers":    "cpuset cpu memory",
			"user/cpu.max":          "150000 100000",
			"user/berth/cpu.max":    "max 100000",
			"user/memory.max":       "max",
			"user/berth/memory.max": "1073741824",
			"cpuset.cpus.effective": "0-3",
		}, Facts{"cgroup.version": "2", "cgroup.cpu_limit": "1.5 CPUs", "cgroup.memory_limit": "1.0 GiB", "cgroup.cpus": "0-3"}},
		{"version 2, in a container that sees only its own root", "0::/../../outside\n", map[string]string{
			"cgroup.controllers": "cpu",
			"cpu.max":            "200000 100000",
		}, Facts{"cgroup.version": "2", "cgroup.cpu_limit": "2 CPUs"}},
		{"version 1", "4:memory:/jobs\n3:cpuset:/\n1:cpu,cpuacct:/jobs\n", map[string]string{
			"cpu/jobs/cpu.cfs_quota_us":         "50000",
			"cpu/jobs/cpu.cfs_period_us":        "100000",
			"cpu/cpu.cfs_quota_us":              "-1",
			"memory/memory.limit_in_bytes":      "9223372036854771712",
			"memory/jobs/memory.limit_in_bytes": "536870912",
			"cpuset/cpuset.cpus":                "0-1",
		}, Facts{"cgroup.version": "1", "cgroup.cpu_limit": "0.5 CPUs", "cgroup.memory_limit": "512.0 MiB", "cgroup.cpus": "0-1"}},
		{"none", "", nil, Facts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, "self"), c.self)
			for name, content := range c.files {
				write(t, filepath.Join(root, "tree", name), content)
			}
			got := Facts{}
			readCgroupFacts(got, filepath.Join(root, "self"), filepath.Join(root, "tree"))
			for _, key := range []string{"cgroup.version", "cgroup.cpu_limit", "cgroup.memory_limit", "cgroup.cpus"} {
				if got[key] != c.want[key] {
					t.Errorf("%s is %q, want %q", key, got[key], c.want[key])
				}
			}
		})
	}
}

func TestMitigationsAreListedByState(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "meltdown"), "Not affected\n")
	write(t, filepath.Join(dir, "retbleed"), "Vulnerable\n")
	write(t, filepath.Join(dir, "spectre_v1"), "Mitigation: usercopy barriers\n")
	if got, want := mitigations(dir), "mitigated: spectre_v1; vulnerable: retbleed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFilesystemIsThatOfTheLongestMount(t *testing.T) {
	const mounts = `22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /tmp rw - tmpfs tmpfs rw
24 22 0:6 / /data rw - xfs /dev/sdb rw
25 22 0:7 / /data rw - btrfs /dev/sdc rw
26 22 0:8 / /my\040disk rw - f2fs /dev/sdd rw
`
	for path, want := range map[string]string{
		"/": "ext4", "/home/x": "ext4", "/tmp/a": "tmpfs", "/tmpfile": "ext4", "/data": "btrfs", "/my disk/y": "f2fs",
	} {
		if got := mountType(mounts, path); got != want {
			t.Errorf("%s lies on %q, want %q", path, got, want)
		}
	}
	if got := Filesystem("/proc/self"); got != "proc" {
		t.Errorf("/proc lies on %q", got)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
