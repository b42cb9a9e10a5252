package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"

	"berth/core/need"
	"berth/core/plan"
)

var dockerPlacements = []string{plan.DockerNAT, plan.DockerDirect, plan.DockerHost}

// inDocker lists what is in Docker under a label.
func inDocker(t testing.TB, label string) []thing {
	t.Helper()
	ctx := context.Background()
	e, err := openEngine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	all, err := e.find(ctx, label)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(all.containers, all.networks, all.images)
}

// newDockerLauncher is newLauncher, and has left nothing in Docker either.
func newDockerLauncher(t testing.TB) *Launcher {
	t.Helper()
	need.Linux(t)
	need.Redis(t)
	need.Docker(t)
	var l *Launcher
	t.Cleanup(func() {
		if left := inDocker(t, labelLaunch+"="+l.launch.ID); len(left) > 0 {
			t.Errorf("left in Docker: %v", left)
		}
	})
	l = newLauncher(t)
	return l
}

func TestContainerOfTheHostsProgramAnswersAndLeavesNothing(t *testing.T) {
	l := newDockerLauncher(t)
	want := start(t, l, variant(plan.Native)).Facts["redis.build_id"]
	for _, placement := range dockerPlacements {
		t.Run(placement, func(t *testing.T) {
			s := start(t, l, variant(placement))
			if got := s.Facts["redis.build_id"]; got != want {
				t.Errorf("it runs build %s, native runs %s", got, want)
			}
			if len(s.PIDs) == 0 || gone(s.PIDs...) {
				t.Errorf("pids %v", s.PIDs)
			}
			id, err := identify(s.PIDs[0])
			if err != nil {
				t.Fatal(err)
			}
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", id.PID)); !strings.HasPrefix(string(name), "redis") {
				t.Errorf("process %d is %q", id.PID, name)
			}
			for _, key := range []string{"docker.version", "network.path", "image.id", "data.filesystem", "redis.version"} {
				if s.Facts[key] == "" {
					t.Errorf("fact %s is missing of %v", key, s.Facts)
				}
			}
			t.Logf("%s by %s in %v:\n%s", s.Endpoint.Address, s.Facts["network.path"], s.Ready, strings.Join(s.Commands, "\n"))
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if id.alive() {
				t.Error("its process still runs")
			}
			if left := inDocker(t, labelLaunch+"="+l.launch.ID); slices.ContainsFunc(left, func(x thing) bool { return x.name == l.dockerName("2") }) {
				t.Errorf("left in Docker: %v", left)
			}
		})
	}
}

func TestPublishedPortIsLoopbackOnly(t *testing.T) {
	l := newDockerLauncher(t)
	for _, placement := range dockerPlacements {
		t.Run(placement, func(t *testing.T) {
			s := start(t, l, variant(placement))
			host, _, _ := net.SplitHostPort(s.Endpoint.Address)
			if ip := net.ParseIP(host); placement != plan.DockerDirect && !ip.IsLoopback() {
				t.Errorf("it is reached at %s", host)
			}
			answersNowhereElse(t, s)
			e := s.Endpoint
			e.Password = ""
			if err := (redisService{}).ask(t.Context(), e); err == nil {
				t.Error("it answers without a password")
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestContainerHasNoRightsAndNativesLimits(t *testing.T) {
	l := newDockerLauncher(t)
	natively := start(t, l, variant(plan.Native))
	s := start(t, l, variant(plan.DockerHost))
	status := procFile(t, s, "status")
	for _, want := range []string{"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", fmt.Sprintf("Uid:\t%d\t", os.Getuid())} {
		if !strings.Contains(status, want) {
			t.Errorf("the server's process has not %q in\n%s", want, status)
		}
	}
	theirs, ours := procFile(t, natively, "limits"), procFile(t, s, "limits")
	for title := range limitNames {
		if a, b := lineOf(theirs, title), lineOf(ours, title); a != b {
			t.Errorf("native: %s\ncontainer: %s", a, b)
		}
	}
	c, err := l.engine.api.ContainerInspect(t.Context(), s.running.(*containerServer).id)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Mounts {
		if m.RW && m.Source != s.folder {
			t.Errorf("%s can be written to", m.Source)
		}
	}
	if strings.Contains(strings.Join(append(c.Args, c.Config.Env...), " "), s.Endpoint.Password) {
		t.Error("the container's configuration holds the password")
	}
}

func procFile(t *testing.T, s *Server, name string) string {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.PIDs[0], name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func lineOf(text, start string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, start) {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return ""
}

func TestDirectNetworkIsInternal(t *testing.T) {
	l := newDockerLauncher(t)
	start(t, l, variant(plan.DockerDirect))
	n, err := l.engine.api.NetworkInspect(t.Context(), l.dockerName("direct"), network.InspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !n.Internal {
		t.Error("it leads out")
	}
}

func TestDockerProxyIsFound(t *testing.T) {
	l := newDockerLauncher(t)
	s := start(t, l, variant(plan.DockerNAT))
	if s.Facts["network.path"] != "docker-proxy" {
		t.Fatalf("the path is %s: this engine runs without its userland proxy", s.Facts["network.path"])
	}
	if len(s.ProxyPIDs) != 1 || gone(s.ProxyPIDs...) {
		t.Errorf("docker-proxy's pids: %v", s.ProxyPIDs)
	}
	if err := s.Failure(); err != nil {
		t.Error(err)
	}
	// It is root's, and so is this test in most places where Docker is.
	if err := syscall.Kill(s.ProxyPIDs[0], syscall.SIGKILL); errors.Is(err, syscall.EPERM) {
		return
	}
	eventually(t, 2*time.Second, "its end is told", func() bool { return s.Failure() != nil })
	wants(t, s.Failure(), "server.proxy-gone")
	if err := s.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestContainerIsBoundToItsCPUs(t *testing.T) {
	l := newDockerLauncher(t)
	v := variant(plan.DockerHost)
	v.CPUs = "01"
	s := start(t, l, v)
	if got := lineOf(procFile(t, s, "status"), "Cpus_allowed_list:"); got != "Cpus_allowed_list: 1" {
		t.Error(got)
	}
}

func TestUsersConfigurationWorksInEveryDockerPlacement(t *testing.T) {
	l := newDockerLauncher(t)
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte(articlesConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, placement := range dockerPlacements {
		v := variant(placement)
		v.ConfigFile = file
		s := start(t, l, v)
		if got := s.Facts["redis.maxmemory"]; got != strconv.Itoa(50<<20) {
			t.Errorf("%s: maxmemory is %s, want the file's 50mb", placement, got)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestFilesThatAreNotInTheContainerAreToldBeforeItStarts(t *testing.T) {
	l := newDockerLauncher(t)
	folder := writeFiles(t, map[string]string{"redis.conf": "loadmodule /opt/nowhere/m.so\n"})
	v := variant(plan.DockerHost)
	v.ConfigFile = filepath.Join(folder, "redis.conf")
	wants(t, Check(t.Context(), v).Err, "server.config-not-in-container")
	wants(t, l.Prepare(t.Context(), []plan.Variant{v}, nil), "server.config-not-in-container")

	v.Image = "berth-test-redis:needs"
	makeRedisImage(t, v.Image)
	if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
		t.Fatal(err)
	}
	_, err := l.Start(t.Context(), v)
	wants(t, err, "server.config-not-in-container")
}

func TestFoldersMayHaveAnyName(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	l, err := NewLauncher(t.Context(), Options{RunID: "test", WorkDir: filepath.Join(t.TempDir(), `mein "Ordner": 工作, it's`)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	file := filepath.Join(t.TempDir(), "my own.conf")
	if err := os.WriteFile(file, []byte(articlesConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, placement := range []string{plan.Native, plan.DockerHost} {
		v := variant(placement)
		v.ConfigFile = file
		s := start(t, l, v)
		if s.Facts["redis.maxmemory"] != strconv.Itoa(50<<20) {
			t.Errorf("%s does not read the user's file", placement)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestChosenPortIsPublished(t *testing.T) {
	need.Docker(t)
	need.Redis(t)
	port, err := freePort("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLauncher(t.Context(), Options{RunID: "test", WorkDir: t.TempDir(), Port: port})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := start(t, l, variant(plan.DockerNAT))
	if want := net.JoinHostPort("127.0.0.1", strconv.Itoa(port)); s.Endpoint.Address != want {
		t.Errorf("it is at %s, want %s", s.Endpoint.Address, want)
	}
	if _, err := l.Start(t.Context(), variant(plan.DockerNAT)); err == nil || !strings.Contains(err.Error(), "docker-proxy") {
		t.Errorf("the same port again: %v, want it taken by docker-proxy", err)
	}
}

func TestContainerThatCannotStartIsToldWithItsLog(t *testing.T) {
	l := newDockerLauncher(t)
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte("maxmemory plenty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, placement := range dockerPlacements {
		v := variant(placement)
		v.ConfigFile = file
		if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Start(t.Context(), v); err == nil || !strings.Contains(err.Error(), "maxmemory") {
			t.Errorf("%s: %v, want the log's own words", placement, err)
		}
	}
}

func TestProgramOutsideUsrRunsInAContainer(t *testing.T) {
	l := newDockerLauncher(t)
	real, err := findProgram(redisService{}, variant(plan.Native))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}
	v := variant(plan.DockerHost)
	v.Program = filepath.Join(t.TempDir(), "redis-server")
	if err := os.WriteFile(v.Program, program, 0o700); err != nil {
		t.Fatal(err)
	}
	s := start(t, l, v)
	if s.Facts["program.path"] != v.Program {
		t.Errorf("it runs %s", s.Facts["program.path"])
	}
}

// An image of the test's own stands for one of a registry's: no entrypoint, the program by its Cmd.
func TestImageOfARegistryIsUsedAndKept(t *testing.T) {
	l := newDockerLauncher(t)
	ctx := t.Context()
	v := variant(plan.DockerNAT)
	v.Image = "berth-test-static:" + l.launch.ID
	makeRedisImage(t, v.Image)
	s := start(t, l, v)
	if s.Facts["image.name"] != v.Image || s.Facts["redis.version"] == "" {
		t.Errorf("facts: %v", s.Facts)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e, err := openEngine(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	if _, err := e.api.ImageInspect(ctx, v.Image); err != nil {
		t.Errorf("an image that is not Berth's own was removed: %v", err)
	}
}

func TestCancelledContainerStartLeavesNothing(t *testing.T) {
	l := newDockerLauncher(t)
	v := variant(plan.DockerHost)
	v.Program = filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(v.Program, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then exit; fi\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond, 1500 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled time.Time
		timer := time.AfterFunc(after, func() { cancelled = time.Now(); cancel() })
		_, err := l.Start(ctx, v)
		timer.Stop()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %v: %v, want it cancelled", after, err)
			continue
		}
		t.Logf("cancelled after %v, done %v later", after, time.Since(cancelled).Round(time.Millisecond))
		left := inDocker(t, labelLaunch+"="+l.launch.ID)
		if len(left) != 1 { // the image
			t.Errorf("after %v: left in Docker: %v", after, left)
		}
	}
}

func TestCancelledPreparationLeavesNothing(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	need.Docker(t)
	for after := time.Duration(0); after <= 180*time.Millisecond; after += 15 * time.Millisecond {
		l, err := NewLauncher(t.Context(), Options{RunID: "test", WorkDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), after)
		err = l.Prepare(ctx, []plan.Variant{variant(plan.DockerNAT), variant(plan.DockerDirect)}, nil)
		cancel()
		if err != nil && ctx.Err() == nil {
			t.Errorf("after %v: %v", after, err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("after %v: %v", after, err)
		}
		if left := inDocker(t, labelLaunch+"="+l.launch.ID); len(left) > 0 {
			t.Errorf("cancelled after %v: %v is left when Close returns", after, left)
		}
	}
}

func BenchmarkDockerHostReady(b *testing.B) { benchmarkDocker(b, plan.DockerHost) }
func BenchmarkDockerNATReady(b *testing.B)  { benchmarkDocker(b, plan.DockerNAT) }

func benchmarkDocker(b *testing.B, placement string) {
	need.Redis(b)
	need.Docker(b)
	benchmarkReady(b, variant(placement))
}

// makeRedisImage makes an image of this machine's redis-server and its libraries, for the length of the test.
func makeRedisImage(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() { removeImage(t, name) })
	importRedisImage(t, name)
}

func importRedisImage(t *testing.T, name string) {
	t.Helper()
	program, err := findProgram(redisService{}, variant(plan.Native))
	if err != nil {
		t.Fatal(err)
	}
	archive := tarOf(t, append(linkedLibraries(t.Context(), program), program))
	reply, err := testEngine(t).api.ImageImport(t.Context(), image.ImportSource{Source: archive, SourceName: "-"}, name,
		image.ImportOptions{Changes: []string{`CMD ["redis-server"]`, "ENV PATH=/usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := drain(reply, nil); err != nil {
		t.Fatal(err)
	}
}
