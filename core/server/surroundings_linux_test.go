package server

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/plan"
)

func TestFactsAreThoseThatTheServerItselfSees(t *testing.T) {
	l := newDockerLauncher(t)
	native := start(t, l, variant(plan.Native))
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", native.PIDs[0]))
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(strings.TrimPrefix(lineOf(string(limits), "Max open files"), "Max open files"))
	for _, placement := range append([]string{plan.Native, plan.Pinned}, dockerPlacements...) {
		s := native
		if placement != plan.Native {
			s = start(t, l, variant(placement))
		}
		for _, key := range []string{"server.limit_nofile", "server.security_seccomp", "server.security_apparmor", "server.cgroup_version",
			"server.somaxconn", "server.cpu_allowed", "redis.tcp_backlog"} {
			if s.Facts[key] == "" {
				t.Errorf("%s: fact %s is missing", placement, key)
			}
		}
		if got := s.Facts["server.limit_nofile"]; !strings.HasPrefix(got, files[0]+" ") {
			t.Errorf("%s may open %s files, native %s", placement, got, files[0])
		}
		bridged := placement == plan.DockerNAT || placement == plan.DockerDirect
		if (s.Facts["network.mtu"] != "") != bridged {
			t.Errorf("%s: MTU %q", placement, s.Facts["network.mtu"])
		}
		if (s.Facts["docker.userland_proxy"] != "") != (placement == plan.DockerNAT) {
			t.Errorf("%s: userland-proxy %q", placement, s.Facts["docker.userland_proxy"])
		}
		if placement == plan.Pinned && s.Facts["server.cpu_allowed"] != "0" {
			t.Errorf("bound to 0, it may use %s", s.Facts["server.cpu_allowed"])
		}
		if s != native {
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: somaxconn %s, nofile %s, seccomp %s", placement, s.Facts["server.somaxconn"], s.Facts["server.limit_nofile"], s.Facts["server.security_seccomp"])
	}
}

func TestWhatAContainerSeesIsAskedWithinIt(t *testing.T) {
	need.Docker(t)
	l := newDockerLauncher(t)
	s := start(t, l, variant(plan.DockerDirect))
	// A file that only the container has: what is read there is not this machine's.
	c := s.running.(*containerServer)
	if got := c.within(t.Context(), "cat", inside+"/redis.conf"); !strings.Contains(got, "requirepass") {
		t.Errorf("within the container cat prints %q", got)
	}
	if got := numberOrNothing(c.within(t.Context(), "no-such-program")); got != "" {
		t.Errorf("a program that is not there prints the number %q", got)
	}
}
