package server

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"berth/core/need"
	"berth/core/plan"
)

func TestWhatIsThereIsAvailable(t *testing.T) {
	need.Redis(t)
	for _, placement := range []string{plan.Native, plan.Pinned} {
		if a := Check(t.Context(), variant(placement)); !a.OK {
			t.Errorf("%s: %s", placement, a.Reason)
		}
	}
}

func TestDockerEngineIsAvailable(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	for _, placement := range dockerPlacements {
		if a := Check(t.Context(), variant(placement)); !a.OK || a.Facts["docker.version"] == "" {
			t.Errorf("%s: %+v", placement, a)
		}
	}
}

func TestMissingProgramIsToldWithTheCommandThatInstallsIt(t *testing.T) {
	v := variant(plan.Native)
	v.Program = "/nowhere/redis-server"
	a := Check(t.Context(), v)
	wants(t, a.Err, "server.no-program")
	if a.OK || a.Advice == "" {
		t.Errorf("%+v", a)
	}
}

func TestCPUThatIsNotThereIsTold(t *testing.T) {
	v := variant(plan.Pinned)
	v.CPUs = "60000"
	wants(t, Check(t.Context(), v).Err, "server.no-such-cpu")
}

func TestDockerThatDoesNotAnswerIsToldByCause(t *testing.T) {
	folder := t.TempDir()
	engine := func(path string) { t.Setenv("DOCKER_HOST", "unix://"+path) }

	engine(filepath.Join(folder, "none.sock"))
	wants(t, Check(t.Context(), variant(plan.DockerNAT)).Err, "server.docker-none")

	dead := filepath.Join(folder, "dead.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: dead, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	engine(dead)
	a := Check(t.Context(), variant(plan.DockerNAT))
	wants(t, a.Err, "server.docker-refused")
	if a.Command == "" {
		t.Error("no command to start it")
	}

	mute := filepath.Join(folder, "mute.sock")
	m, err := net.Listen("unix", mute)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	engine(mute)
	began := time.Now()
	wants(t, Check(t.Context(), variant(plan.DockerNAT)).Err, "server.docker-failed")
	if took := time.Since(began); took > checkTime+time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestDockerThatAnswersToOthersOnlyIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docker.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_HOST", "unix://"+path)
	answer := make(chan Availability)
	go func() {
		// Root may use every socket. This thread, which ends with its goroutine, gives up that right.
		runtime.LockOSThread()
		if err := unix.Setfsuid(os.Getuid() + 65534); err != nil {
			t.Log(err)
		}
		answer <- Check(t.Context(), variant(plan.DockerNAT))
	}()
	a := <-answer
	wants(t, a.Err, "server.docker-denied")
	if !strings.Contains(a.Command, "docker") || a.Advice == "" {
		t.Errorf("%+v", a)
	}
}
