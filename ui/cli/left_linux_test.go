package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/client"

	"berth/core/agent"
	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/server"
)

// A traces finds what a Berth left: it knows its processes by the folder in their environment or that they are in,
// and what is in Docker by the owner on its label.
type traces struct {
	t    *testing.T
	home string
	pid  int
	api  *client.Client
}

func tracesOf(t *testing.T, berth *exec.Cmd) traces {
	t.Helper()
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { api.Close() })
	return traces{t: t, home: cacheOf(berth), pid: berth.Process.Pid, api: api}
}

func (x traces) left() (all []string) {
	x.t.Helper()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		raw, _ := os.ReadFile(f) // a zombie has none, and redis-server writes its title over its own
		cwd, _ := os.Readlink(filepath.Join(filepath.Dir(f), "cwd"))
		if !bytes.Contains(raw, []byte("XDG_CACHE_HOME="+x.home+"\x00")) && !strings.HasPrefix(cwd, x.home+"/") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
		argv := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		name := filepath.Base(argv[0])
		if len(argv) > 1 && strings.HasPrefix(argv[1], "__") {
			name = argv[1]
		}
		all = append(all, "process "+name)
	}
	folders, _ := filepath.Glob(filepath.Join(x.home, "berth", "work", "*"))
	for range folders {
		all = append(all, "folder")
	}
	return append(all, x.inDocker()...)
}

func (x traces) inDocker() (all []string) {
	x.t.Helper()
	ctx, with := context.Background(), filters.NewArgs(filters.Arg("label", "berth.owner"))
	ours := func(labels map[string]string) bool {
		return strings.Contains(labels["berth.owner"], fmt.Sprintf("/%d/", x.pid))
	}
	containers, err := x.api.ContainerList(ctx, container.ListOptions{All: true, Filters: with})
	if err != nil {
		return []string{err.Error()}
	}
	for _, c := range containers {
		if ours(c.Labels) {
			all = append(all, "container")
		}
	}
	networks, err := x.api.NetworkList(ctx, network.ListOptions{Filters: with})
	if err != nil {
		return []string{err.Error()}
	}
	for _, n := range networks {
		if ours(n.Labels) {
			all = append(all, "network")
		}
	}
	images, err := x.api.ImageList(ctx, image.ListOptions{Filters: with})
	if err != nil {
		return []string{err.Error()}
	}
	for _, i := range images {
		if ours(i.Labels) {
			all = append(all, "image")
		}
	}
	return all
}

// afterFiveSeconds is what is left then, or nothing as soon as there is nothing.
func (x traces) afterFiveSeconds() []string {
	x.t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if left := x.left(); len(left) == 0 || time.Since(began) > 5*time.Second {
			return left
		}
	}
}

func listed(left []string) string {
	if len(left) == 0 {
		return "nothing"
	}
	return strings.Join(left, ", ")
}

func TestNothingIsLeftHoweverARunEnds(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	wait := func(berth *exec.Cmd) { berth.Wait() }
	signalled := func(s syscall.Signal) func(*exec.Cmd) {
		return func(berth *exec.Cmd) { berth.Process.Signal(s); berth.Wait() }
	}
	child := func(berth *exec.Cmd, command string) {
		syscall.Kill(children(berth.Process.Pid)[command], syscall.SIGKILL)
	}
	broken := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(broken, []byte("maxmemory plenty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name, as string
		seconds  string
		config   string // of the server
		end      func(berth *exec.Cmd)
		guarded  bool // that a guard outlives it
	}{
		{"normal end", asBerth, "0.2", "", wait, true},
		{"a start that failed", asBerth, "0.2", broken, wait, true},
		{"Stop (SIGINT)", asBerth, "60", "", signalled(syscall.SIGINT), true},
		{"SIGTERM", asBerth, "60", "", signalled(syscall.SIGTERM), true},
		{"SIGHUP", asBerth, "60", "", signalled(syscall.SIGHUP), true},
		{"panic", asPanic, "60", "", wait, true},
		{"SIGKILL of Berth", asBerth, "60", "", signalled(syscall.SIGKILL), true},
		{"SIGKILL of the agent, then Stop", asBerth, "60", "", func(berth *exec.Cmd) {
			child(berth, agent.Command)
			signalled(syscall.SIGINT)(berth)
		}, true},
		{"SIGKILL of the guard, then Stop", asBerth, "60", "", func(berth *exec.Cmd) {
			child(berth, server.GuardCommand)
			signalled(syscall.SIGINT)(berth)
		}, true},
		{"SIGKILL of agent and Berth", asBerth, "60", "", func(berth *exec.Cmd) {
			load := children(berth.Process.Pid)[agent.Command]
			signalled(syscall.SIGKILL)(berth)
			syscall.Kill(load, syscall.SIGKILL)
		}, true},
		{"SIGKILL of guard and Berth", asBerth, "60", "", func(berth *exec.Cmd) {
			child(berth, server.GuardCommand)
			signalled(syscall.SIGKILL)(berth)
		}, false},
		{"SIGKILL of all three", asBerth, "60", "", func(berth *exec.Cmd) {
			load := children(berth.Process.Pid)[agent.Command]
			child(berth, server.GuardCommand)
			signalled(syscall.SIGKILL)(berth)
			syscall.Kill(load, syscall.SIGKILL)
		}, false},
	}
	for _, placement := range []string{plan.Native, plan.DockerNAT} {
		for _, c := range cases {
			t.Run(placement+", "+c.name, func(t *testing.T) {
				args := []string{"run", "--set", "modes=" + placement, "--set", "tests=SET", "--set", "rounds=1", "--set", "seconds=" + c.seconds, "--out", t.TempDir()}
				if c.config != "" {
					args = append(args, "--set", "variant."+placement+".config_file="+c.config)
				}
				berth := process(t, c.as, args...)
				var stderr bytes.Buffer
				berth.Stderr = &stderr
				if err := berth.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { berth.Process.Kill(); berth.Wait() })
				x := tracesOf(t, berth)
				if c.seconds == "60" && c.as == asBerth {
					within(t, 30*time.Second, "it measures", func() bool { return children(berth.Process.Pid)[agent.Command] > 0 })
					if now := listed(x.left()); !strings.Contains(now, "process redis-server") && placement == plan.Native {
						t.Fatalf("there is %s, and no server", now)
					}
					if placement == plan.DockerNAT && len(x.inDocker()) != 3 {
						t.Fatalf("in Docker there are %v, want a container, a network and an image", x.inDocker())
					}
				}
				c.end(berth)
				left := x.afterFiveSeconds()
				if c.guarded != (len(left) == 0) {
					t.Errorf("left after 5 s: %s: %s", listed(left), stderr.String())
				}
				// The next start of a Berth: it need not be told to clean.
				next := exec.Command(berth.Path, asBerth, "run", "--set", "modes=native", "--set", "tests=SET", "--set", "rounds=1", "--set", "seconds=0.1", "--out", t.TempDir())
				next.Env = berth.Env
				if out, err := next.CombinedOutput(); err != nil {
					t.Errorf("the next start: %v: %s", err, out)
				}
				then := x.left()
				if len(then) > 0 {
					t.Errorf("left after the next start: %s", listed(then))
				}
				t.Logf("%-14s %-34s left after 5 s: %s; after the next start: %s", placement, c.name, listed(left), listed(then))
			})
		}
	}
}

// passwords are those that the servers of a Berth with this cache folder have now.
func passwords(home string) (all []string) {
	files, _ := filepath.Glob(filepath.Join(home, "berth", "work", "*", "*", "redis.conf"))
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		for line := range strings.Lines(string(raw)) {
			if word, ok := strings.CutPrefix(line, "requirepass "); ok {
				all = append(all, strings.Trim(strings.TrimSpace(word), `"`))
			}
		}
	}
	return all
}

func TestPasswordsAreSeenNowhere(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	theirs := startTheirs(t)
	out := t.TempDir()
	file := filepath.Join(t.TempDir(), "plan.toml")
	err := os.WriteFile(file, fmt.Appendf(nil, `
name = "passwords"
rounds = 1
[load]
tests = ["SET"]
seconds = 1
[[variant]]
placement = "native"
[[variant]]
placement = "docker-nat"
[[variant]]
placement = "docker-direct"
[[variant]]
placement = "docker-host"
[[variant]]
placement = "existing"
socket = %q
password = %q
`, theirs.socket, theirPassword), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	berth := process(t, asBerth, "run", "--plan", file, "--out", out)
	var stdout, stderr bytes.Buffer
	berth.Stdout, berth.Stderr = &stdout, &stderr
	if err := berth.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- berth.Wait() }()
	x := tracesOf(t, berth)
	known, looked := map[string]bool{theirPassword: true}, map[string]int{}
	search := func(where string, raw []byte) {
		looked[strings.SplitN(where, " ", 2)[0]]++
		for word := range known {
			if bytes.Contains(raw, []byte(word)) {
				t.Errorf("a password is in %s", where)
			}
		}
	}
	for running := true; running; {
		select {
		case err = <-ended:
			running = false
		case <-time.After(50 * time.Millisecond):
		}
		for _, word := range passwords(x.home) {
			known[word] = true
		}
		for _, name := range []string{"cmdline", "environ"} {
			files, _ := filepath.Glob("/proc/[0-9]*/" + name)
			for _, f := range files {
				raw, _ := os.ReadFile(f)
				// Their server, and who asks it here, were started by this test, not by Berth.
				if !bytes.Contains(raw, []byte(theirs.socket)) && !bytes.Contains(raw, []byte("REDISCLI_AUTH="+theirPassword)) {
					search(name+" of "+f, raw)
				}
			}
		}
		for _, id := range x.containers() {
			if _, raw, err := x.api.ContainerInspectWithRaw(t.Context(), id, false); err == nil {
				search("docker-inspect "+id, raw)
			}
			if logs, err := x.api.ContainerLogs(t.Context(), id, container.LogsOptions{ShowStdout: true, ShowStderr: true}); err == nil {
				var b bytes.Buffer
				b.ReadFrom(logs)
				logs.Close()
				search("docker-logs "+id, b.Bytes())
			}
		}
		records, _ := filepath.Glob(filepath.Join(x.home, "berth", "work", "*", "record.jsonl"))
		logs, _ := filepath.Glob(filepath.Join(x.home, "berth", "work", "*", "*", "server.log"))
		for _, f := range append(records, logs...) {
			raw, _ := os.ReadFile(f)
			search(strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))+" "+f, raw)
		}
	}
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if len(known) != 5 {
		t.Errorf("%d passwords are known, want one of each server", len(known))
	}
	search("stdout", stdout.Bytes())
	search("stderr", stderr.Bytes())
	for _, folder := range []string{out, x.home} {
		filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				raw, _ := os.ReadFile(path)
				search("files "+path, raw)
			}
			return nil
		})
	}
	for _, where := range []string{"cmdline", "environ", "docker-inspect", "docker-logs", "record", "server", "files", "stdout", "stderr"} {
		if looked[where] == 0 {
			t.Errorf("nothing was looked at of %s", where)
		}
	}
	t.Logf("looked for %d passwords in: %v", len(known), looked)
}

// containers are the ids of those that the Berth has now.
func (x traces) containers() (ids []string) {
	all, err := x.api.ContainerList(context.Background(), container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", "berth.owner"))})
	if err != nil {
		return nil
	}
	for _, c := range all {
		if strings.Contains(c.Labels["berth.owner"], "/"+strconv.Itoa(x.pid)+"/") {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// factsOfARun are those that every server of Berth's own on this machine has in a run's log; where a system does not tell
// (a governor in a virtual machine), no test can ask for more.
var factsOfARun = map[string][]string{
	"all": {"program.path", "program.sha256", "program.version", "redis.version", "redis.allocator", "redis.build_id", "redis.maxmemory", "redis.maxmemory_policy",
		"redis.maxclients", "redis.persistence", "redis.appendonly", "redis.appendfsync", "redis.io_threads", "redis.tcp_backlog",
		"network.path", "data.filesystem", "server.somaxconn", "server.limit_nofile", "server.limit_memlock", "server.cgroup_version",
		"server.cpu_allowed", "server.security_seccomp", "server.security_apparmor"},
	"docker": {"docker.version", "docker.engine", "docker.kernel", "docker.storage_driver", "docker.security", "docker.rootless", "image.name", "image.id"},
	"machine": {"cpu.model", "cpu.count", "cpu.cores", "cpu.kinds", "cpu.numa_nodes", "cpu.sockets", "kernel.version", "kernel.mitigations", "clock.source", "host.hypervisor",
		"memory.total", "memory.available", "memory.transparent_huge_pages", "memory.overcommit", "swap.total", "net.somaxconn", "net.lo_mtu", "net.loopback_conntrack",
		"limit.nofile", "cgroup.version", "security.seccomp", "security.apparmor"},
}

func TestARunOfAllFivePlacementsHasItsFactsAndItsCommands(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	out := t.TempDir()
	c := process(t, asBerth, "run", "--set", "modes=native,pinned,docker-nat,docker-direct,docker-host", "--set", "tests=SET", "--set", "rounds=1", "--set", "seconds=0.1", "--out", out)
	if told, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	r, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	has := func(of string, facts map[string]string, keys ...string) {
		for _, key := range keys {
			if facts[key] == "" {
				t.Errorf("%s: %s is not known", of, key)
			}
		}
	}
	has("the machine", r.Facts(), factsOfARun["machine"]...)
	digests := map[string]bool{}
	for _, s := range r.Servers {
		has(s.Variant, s.Facts, factsOfARun["all"]...)
		digests[s.Facts["program.sha256"]] = true
		inDocker := strings.HasPrefix(s.Variant, "docker-")
		if inDocker {
			has(s.Variant, s.Facts, factsOfARun["docker"]...)
		}
		switch s.Variant {
		case plan.DockerNAT:
			has(s.Variant, s.Facts, "docker.userland_proxy", "network.mtu")
		case plan.DockerDirect:
			has(s.Variant, s.Facts, "network.mtu")
		}
		// The command that starts the same, and one that any reader can run.
		if n := len(s.Commands); n < 2 || !strings.HasPrefix(s.Commands[n-1], "docker run --rm -p 127.0.0.1:6379:6379 redis:") ||
			!strings.Contains(s.Commands[n-2], "redis-server") || inDocker != strings.HasPrefix(s.Commands[n-2], "docker run") {
			t.Errorf("%s: its commands are %q", s.Variant, s.Commands)
		}
	}
	if len(r.Servers) != 5 || len(digests) != 1 {
		t.Errorf("%d servers with %d programs, want 5 with the same", len(r.Servers), len(digests))
	}
}
