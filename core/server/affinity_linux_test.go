package server

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"berth/core/host"
	"berth/core/need"
	"berth/core/plan"
)

// Under taskset and nice, servers in containers have no more CPUs than native ones, and what a container cannot
// be given is in its facts.
func TestContainersHaveTheCPUsThatBerthHas(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	if os.Getenv("BERTH_BOUND") == "" {
		again := exec.Command("taskset", "-c", strconv.Itoa(host.CPUs()[0]), "nice", "-n", "3", os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		again.Env = append(os.Environ(), "BERTH_BOUND=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	l := newLauncher(t)
	native, container := start(t, l, variant(plan.Native)), start(t, l, variant(plan.DockerHost))
	if a, b := native.Facts["server.cpu_allowed"], container.Facts["server.cpu_allowed"]; a != b || len(host.CPUs()) != 1 {
		t.Errorf("native may run on %s, the container on %s, Berth on %v", a, b, host.CPUs())
	}
	if a, b := native.Facts["server.cpu_nice"], container.Facts["server.cpu_nice"]; a != "3" || b != "0" {
		t.Errorf("native runs at nice %q, the container at %q", a, b)
	}
}
