package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
)

func TestKilledBerthLeavesNothing(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	for name, kill := range map[string]func(pid int){
		"SIGKILL":              func(pid int) { syscall.Kill(pid, syscall.SIGKILL) },
		"SIGTERM":              func(pid int) { syscall.Kill(pid, syscall.SIGTERM) },
		"SIGINT to its group":  func(pid int) { syscall.Kill(-pid, syscall.SIGINT) },
		"SIGHUP to its group":  func(pid int) { syscall.Kill(-pid, syscall.SIGHUP) },
		"SIGKILL of its group": func(pid int) { syscall.Kill(-pid, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			berth, _, told := startBerth(t, work, variant(plan.Native), variant(plan.Pinned))
			if gone(told.PIDs[0]) || gone(told.PIDs[1]) {
				t.Fatal("the servers do not run")
			}
			kill(berth.Process.Pid)
			eventually(t, 5*time.Second, "servers, guard and folder are gone", func() bool {
				return gone(append(told.PIDs, told.Guard)...) && isEmpty(work)
			})
		})
	}
}

func TestKilledBerthLeavesNothingInDocker(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	vs := []plan.Variant{variant(plan.DockerNAT), variant(plan.DockerDirect), variant(plan.DockerHost)}
	t.Run("guard alive", func(t *testing.T) {
		work := t.TempDir()
		berth, _, told := startBerth(t, work, vs...)
		if n := len(inDocker(t, labelLaunch+"="+told.Launch)); n != 6 {
			t.Fatalf("%d things in Docker, want 3 containers, 2 networks, 1 image", n)
		}
		syscall.Kill(-berth.Process.Pid, syscall.SIGKILL)
		eventually(t, 5*time.Second, "containers, networks, image, guard and folder are gone", func() bool {
			return gone(append(told.PIDs, told.Guard)...) && isEmpty(work) && len(inDocker(t, labelLaunch+"="+told.Launch)) == 0
		})
	})
	t.Run("guard killed too", func(t *testing.T) {
		work := t.TempDir()
		berth, _, told := startBerth(t, work, vs...)
		syscall.Kill(told.Guard, syscall.SIGKILL)
		syscall.Kill(berth.Process.Pid, syscall.SIGKILL)
		berth.Wait()
		// The folder with the record has been deleted: the labels are enough.
		if err := os.RemoveAll(filepath.Join(work, told.Launch)); err != nil {
			t.Fatal(err)
		}
		removed, err := clean(t.Context(), work, nil)
		if err != nil {
			t.Fatal(err)
		}
		if left := inDocker(t, labelLaunch+"="+told.Launch); len(left) > 0 || !gone(told.PIDs...) {
			t.Errorf("cleaned %v; left %v", removed, left)
		}
	})
	t.Run("while it starts", func(t *testing.T) {
		for _, after := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond} {
			work := t.TempDir()
			raw, err := json.Marshal(vs)
			if err != nil {
				t.Fatal(err)
			}
			berth := exec.Command(os.Args[0], launchCommand, work, string(raw))
			if err := berth.Start(); err != nil {
				t.Fatal(err)
			}
			owned := fmt.Sprintf("/%d/", berth.Process.Pid)
			time.Sleep(after) // the moment of the kill is what is tried
			berth.Process.Kill()
			berth.Wait()
			eventually(t, 5*time.Second, fmt.Sprintf("killed after %v: nothing is left", after), func() bool {
				left := inDocker(t, labelOwner)
				return isEmpty(work) && !slices.ContainsFunc(left, func(x thing) bool { return strings.Contains(x.owner, owned) })
			})
		}
	})
}

func TestNextStartCleansAfterAKilledGuard(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	work := t.TempDir()
	berth, _, told := startBerth(t, work, variant(plan.Native))
	syscall.Kill(told.Guard, syscall.SIGKILL)
	syscall.Kill(berth.Process.Pid, syscall.SIGKILL)
	berth.Wait()
	removed, err := clean(t.Context(), work, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !gone(told.PIDs...) || !isEmpty(work) {
		t.Errorf("cleaned %v, but not all", removed)
	}
	if got := strings.Join(removed, "; "); !strings.Contains(got, "process ") || !strings.Contains(got, "folder ") {
		t.Errorf("listed: %s", got)
	}
}

func TestKilledGuardIsReplacedAtTheNextStart(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	l := newLauncher(t)
	first := start(t, l, variant(plan.Native))
	guard := l.record.guard.Process
	guard.Kill()
	guard.Wait() // all its threads have ended, and the pipe with them
	second := start(t, l, variant(plan.Native))
	if l.record.guard.Process.Pid == guard.Pid {
		t.Fatal("no new guard")
	}
	// The new guard knows the first server too: were the pipe to end now, it would end both.
	l.record.pipe.Close()
	for _, s := range []*Server{first, second} {
		if !within(s.Exited(), 5*time.Second) {
			t.Errorf("the new guard did not end process %d", s.PIDs[0])
		}
	}
	l.record.guard.Wait()
	l.record.mu.Lock()
	err := l.record.startGuard()
	l.record.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	// The guard removed the folder with the launch; Close is to find one.
	if err := os.MkdirAll(l.launch.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestCleanLeavesARunningBerthAlone(t *testing.T) {
	need.Redis(t)
	work := t.TempDir()
	berth, in, told := startBerth(t, work, variant(plan.Native))
	removed, err := clean(t.Context(), work, nil)
	if err != nil || len(removed) > 0 {
		t.Fatalf("cleaned %v, %v", removed, err)
	}
	other, err := NewLauncher(t.Context(), Options{RunID: "other", WorkDir: work})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if gone(told.PIDs...) {
		t.Error("the other Berth's server is gone")
	}
	in.Close()
	if err := berth.Wait(); err != nil {
		t.Error(err)
	}
	if !gone(told.PIDs...) || !isEmpty(work) {
		t.Error("the other Berth left something at its own end")
	}
}

func TestReusedPIDIsNotEnded(t *testing.T) {
	me, err := identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	me.Start++ // the same pid, another process
	if found, err := me.end(time.Second); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestOwnersAreJudgedOnlyWhereTheyCanBe(t *testing.T) {
	me, err := self()
	if err != nil {
		t.Fatal(err)
	}
	if back, ok := parseOwner(me.String()); !ok || back != me {
		t.Errorf("%s is read as %+v", me, back)
	}
	dead := me
	dead.Start++
	elsewhere, before, contained := dead, me, dead
	elsewhere.Machine = "another"
	before.Boot = "an earlier one"
	contained.Namespace = "of a container"
	for _, c := range []struct {
		name string
		o    owner
		want bool
	}{
		{"this process", me, false}, {"a dead process", dead, true}, {"another machine's", elsewhere, false},
		{"before the last boot", before, true}, {"in a container", contained, false},
	} {
		if got := c.o.gone(me); got != c.want {
			t.Errorf("%s: gone is %v", c.name, got)
		}
	}
}

func TestTornRecordIsReadToItsLastWholeLine(t *testing.T) {
	left := replay(strings.NewReader(`{"launch":{"id":"a"}}
{"started":{"pid":1,"start":2}}
{"started":{"pid":3,"start":4}}
{"ended":{"pid":1,"start":2}}
{"started":{"pid":5,"sta`))
	if left.launch.ID != "a" || len(left.processes) != 1 || left.processes[0].PID != 3 {
		t.Errorf("left: %+v", left)
	}
}

func TestFolderWithoutARecordStaysWhileItIsYoung(t *testing.T) {
	work := t.TempDir()
	young, old := filepath.Join(work, "young"), filepath.Join(work, "old")
	for _, folder := range []string{young, old} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * recordless)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := clean(t.Context(), work, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("the young one was removed")
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old one is still there")
	}
}
