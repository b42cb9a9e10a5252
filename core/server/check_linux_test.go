package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"golang.org/x/sys/unix"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/text"
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

// A path that the user gave is theirs to mend: no package puts a program there.
func TestMissingProgramOfTheUsersIsToldWithoutACommand(t *testing.T) {
	v := variant(plan.Native)
	v.Program = "/nowhere/redis-server"
	a := Check(t.Context(), v)
	wants(t, a.Err, "server.no-program")
	if a.OK || a.Advice != "" || a.Command != "" {
		t.Errorf("%+v", a)
	}
}

func TestProgramThatIsNoneIsToldAsWhatItIs(t *testing.T) {
	folder := writeFiles(t, map[string]string{"text": "no program\n"})
	for program, id := range map[string]string{
		folder: "server.program-is-folder", filepath.Join(folder, "text"): "server.program-not-executable", filepath.Join(folder, "none"): "server.no-program",
	} {
		v := variant(plan.Native)
		v.Program = program
		a := Check(t.Context(), v)
		wants(t, a.Err, id)
		if a.OK {
			t.Errorf("%s is available", program)
		}
	}
}

func TestConfigurationThatCannotBeReadIsToldBeforeAnythingStarts(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	for _, placement := range append([]string{plan.Native, plan.Pinned}, dockerPlacements...) {
		for _, file := range []string{"/nowhere/redis.conf", t.TempDir()} {
			v := variant(placement)
			v.ConfigFile = file
			a := Check(t.Context(), v)
			wants(t, a.Err, "server.config-unreadable")
			if a.OK {
				t.Errorf("%s with %s is available", placement, file)
			}
		}
	}
}

func TestFolderThatCannotBeWrittenIsToldBeforeAnythingStarts(t *testing.T) {
	need.Redis(t)
	file := filepath.Join(writeFiles(t, map[string]string{"file": ""}), "file")
	t.Cleanup(xdg.Reload) // runs after the environment is as it was
	t.Setenv("XDG_CACHE_HOME", file)
	xdg.Reload()
	wants(t, Check(t.Context(), variant(plan.Native)).Err, "server.no-work-folder")
	_, err := NewLauncher(t.Context(), Options{RunID: "test"})
	wants(t, err, "server.no-work-folder")
}

func TestReasonAdviceAndCommandAreSentences(t *testing.T) {
	a := unavailable(text.Err("server.no-taskset", nil, nil), text.Err("server.install-command", nil, nil), "sudo true")
	if got, want := a.Why().Error(), "taskset, which binds a server to CPUs, is not on this machine. "+
		"Install it with this command, then check again. The command: sudo true"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := text.For("zh-Hans").Error(a.Why()); strings.Contains(got, "Install") || !strings.HasSuffix(got, "命令：sudo true") {
		t.Errorf("in Chinese: %q", got)
	}
	if (Availability{OK: true}).Why() != nil {
		t.Error("what is available has a reason not to be")
	}
}

func TestAddressOfNoEngineIsTold(t *testing.T) {
	t.Setenv("DOCKER_HOST", "rubbish")
	wants(t, Check(t.Context(), variant(plan.DockerNAT)).Err, "server.docker-host")

	// A socket of something else that speaks HTTP answers with a page.
	path := filepath.Join(t.TempDir(), "web.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, strings.Repeat("<html>\n<p>Not found</p>\n", 100))
	}))
	web.Listener.Close()
	web.Listener = l
	web.Start()
	defer web.Close()
	t.Setenv("DOCKER_HOST", "unix://"+path)
	a := Check(t.Context(), variant(plan.DockerNAT))
	wants(t, a.Err, "server.docker-failed")
	if strings.Contains(a.Reason, "\n") || len(a.Reason) > 400 {
		t.Errorf("%q is more than a line", a.Reason)
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
