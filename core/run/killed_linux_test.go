package run

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
)

func TestAServerThatIsKilledCostsItsOwnSamplesOnly(t *testing.T) {
	for _, placement := range []string{plan.Native, plan.DockerHost} {
		for _, how := range []string{"kill", "stop", "rm -f"} {
			if placement == plan.Native && how != "kill" {
				continue
			}
			t.Run(placement+" "+how, func(t *testing.T) {
				need.Redis(t)
				if placement == plan.DockerHost {
					need.Docker(t)
				}
				p := short(2)
				p.Loads[0].Seconds = 2 // longer than a container takes to be ended from outside
				p.Variants = []plan.Variant{{Label: "one", Service: plan.Redis, Placement: placement}}
				var id string
				var once sync.Once
				r, err := Execute(t.Context(), Options{Plan: p, Observe: func(e result.Event) {
					if e.Run != nil {
						id = e.Run.ID
					}
					if e.Phase != nil && e.Phase.Phase == result.PhaseMeasuring {
						once.Do(func() { go end(t, placement, id, how) })
					}
				}})
				if err == nil || len(r.Failures) != 1 || len(r.Samples) != 2 {
					t.Fatalf("%d samples and the failures %+v: %v", len(r.Samples), r.Failures, err)
				}
				said := r.Failures[0].Text
				if strings.Contains(said, "Docker engine") || placement == plan.DockerHost && !strings.Contains(said, "something outside") {
					t.Errorf("the failure is said as: %s", said)
				}
				if strings.Contains(said, "end of its log:\n\n") || strings.HasSuffix(said, "log:\n") {
					t.Errorf("an empty log is announced: %s", said)
				}
				nothingLeft(t)
			})
		}
	}
}

// end ends the one server of a run.
func end(t *testing.T, placement, runID, how string) {
	if placement == plan.Native {
		out, err := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()), "redis-server").Output()
		pid, bad := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || bad != nil {
			t.Errorf("no server of the run is found: %v, %v", err, bad)
			return
		}
		syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	ids, err := exec.Command("docker", "ps", "-q", "--filter", "label=berth.run="+runID).Output()
	if err != nil || len(ids) == 0 {
		t.Errorf("no container of the run is found: %v", err)
		return
	}
	args := append(strings.Fields(how), strings.Fields(string(ids))...)
	if out, err := exec.Command("docker", args...).CombinedOutput(); err != nil && how != "rm -f" {
		t.Errorf("docker %v: %v: %s", args, err, out)
	}
}
