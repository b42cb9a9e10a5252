package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"berth/core/need"
)

// An engine is a Docker engine of the test's own, with no bridge and no rules, that can be restarted
// without anybody else's containers feeling it.
type engine struct {
	t      *testing.T
	folder string
	cmd    *exec.Cmd
	api    *client.Client
}

func startEngine(t *testing.T) *engine {
	t.Helper()
	need.Dockerd(t)
	need.Redis(t)
	// A socket's path must be short, and the engine's mounts be gone before the folder is.
	folder, err := os.MkdirTemp("", "berth-engine-")
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{t: t, folder: folder}
	if err := os.WriteFile(filepath.Join(folder, "daemon.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e.api, err = client.NewClientWithOpts(client.WithHost(e.address()), client.WithAPIVersionNegotiation()); err != nil {
		t.Fatal(err)
	}
	e.start()
	t.Cleanup(func() {
		e.api.Close()
		e.stop(syscall.SIGTERM)
		// An engine leaves the host's network mounted, and one that was killed its data.
		mounts, _ := filepath.Glob(filepath.Join(folder, "exec", "netns", "*"))
		if all, err := os.ReadFile("/proc/mounts"); err == nil && bytes.Contains(all, []byte(" "+folder+"/data ")) {
			mounts = append(mounts, filepath.Join(folder, "data"))
		}
		for _, m := range mounts {
			if err := exec.Command("umount", m).Run(); err != nil {
				t.Error(err)
			}
		}
		within(t, 10*time.Second, "the engine's folder is gone", func() bool { return os.RemoveAll(folder) == nil })
	})
	return e
}

func (e *engine) address() string { return "unix://" + filepath.Join(e.folder, "docker.sock") }

func (e *engine) start() {
	e.t.Helper()
	in := func(name string) string { return filepath.Join(e.folder, name) }
	e.cmd = exec.Command("dockerd", "--config-file", in("daemon.json"), "--data-root", in("data"), "--exec-root", in("exec"),
		"--pidfile", in("pid"), "-H", e.address(), "--bridge=none", "--iptables=false", "--storage-driver", "vfs",
		"--containerd-namespace", "berth-test", "--containerd-plugins-namespace", "berth-test-plugins")
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	within(e.t, 20*time.Second, "the engine answers", func() bool {
		_, err := e.api.Ping(context.Background())
		return err == nil
	})
}

func (e *engine) stop(how syscall.Signal) {
	e.cmd.Process.Signal(how)
	e.cmd.Wait()
	if how == syscall.SIGKILL {
		// Its containerd is killed with it, and where nobody waits for orphans the next engine would wait for that pid for ever.
		os.Remove(filepath.Join(e.folder, "exec", "containerd", "containerd.pid"))
		os.Remove(filepath.Join(e.folder, "pid"))
	}
}

// left is what is in the engine.
func (e *engine) left() []string {
	e.t.Helper()
	var all []string
	containers, err := e.api.ContainerList(context.Background(), container.ListOptions{All: true})
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range containers {
		all = append(all, "container "+strings.Join(c.Names, " ")+" "+c.State)
	}
	images, err := e.api.ImageList(context.Background(), image.ListOptions{})
	if err != nil {
		return []string{err.Error()}
	}
	for _, i := range images {
		all = append(all, "image "+strings.Join(i.RepoTags, " "))
	}
	return all
}

func TestAnEngineRestartedInMidRunEndsTheRunWithASentenceAndNothingLeft(t *testing.T) {
	for name, how := range map[string]syscall.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			e := startEngine(t)
			berth := process(t, asBerth, "run", "--set", "modes=docker-host", "--set", "tests=SET", "--set", "rounds=1", "--set", "seconds=30", "--out", t.TempDir())
			berth.Env = append(berth.Env, "DOCKER_HOST="+e.address())
			var stderr bytes.Buffer
			berth.Stderr = &stderr
			if err := berth.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- berth.Wait() }()
			within(t, 20*time.Second, "a sample is measured", func() bool {
				containers, err := e.api.ContainerList(context.Background(), container.ListOptions{})
				return err == nil && len(containers) == 1 && children(berth.Process.Pid)["__agent"] > 0
			})
			e.stop(how)
			e.start()
			began := time.Now()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("the run passes as done")
				}
			case <-time.After(15 * time.Second):
				berth.Process.Kill()
				t.Fatalf("the run goes on: %s", stderr.String())
			}
			t.Logf("the run ended %v after the engine was back: %s", time.Since(began).Round(time.Millisecond), stderr.String())
			last := stderr.String()[strings.LastIndex(strings.TrimSpace(stderr.String()), "\n")+1:]
			if !strings.HasPrefix(last, "berth: docker-host: its container ended with the Docker engine") {
				t.Errorf("no sentence says what happened: %s", stderr.String())
			}
			within(t, 5*time.Second, "nothing is left in the engine, nor in the work folder", func() bool {
				folders, err := filepath.Glob(filepath.Join(cacheOf(berth), "berth", "work", "*"))
				return err == nil && len(folders) == 0 && len(e.left()) == 0
			})
			t.Logf("%-14s %-34s left after 5 s: nothing", "docker-host", "engine "+name+" and started again")
		})
	}
}

// cacheOf is the cache folder that a process was given.
func cacheOf(cmd *exec.Cmd) string {
	for _, pair := range cmd.Env {
		if folder, ok := strings.CutPrefix(pair, "XDG_CACHE_HOME="); ok {
			return folder
		}
	}
	return ""
}
