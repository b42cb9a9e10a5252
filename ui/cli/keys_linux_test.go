package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/agent"
	"berth/core/need"
	"berth/core/server"
)

const theirPassword = "not-ours-to-tell"

// A theirs is somebody's own server, with a password and data.
type theirs struct {
	t      *testing.T
	socket string
}

func startTheirs(t *testing.T) theirs {
	t.Helper()
	need.Redis(t)
	dir := t.TempDir()
	s := theirs{t: t, socket: filepath.Join(dir, "redis.sock")}
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", s.socket, "--save", "", "--dir", dir, "--requirepass", theirPassword)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	within(t, 5*time.Second, "their server answers", func() bool { return s.ask("PING") == "PONG" })
	s.ask("SET", "mylist", "mine")
	s.ask("SET", "berth:of-another-tool", "mine too")
	return s
}

func (s theirs) ask(args ...string) string {
	cmd := exec.Command("redis-cli", append([]string{"-s", s.socket}, args...)...)
	cmd.Env = append(os.Environ(), "REDISCLI_AUTH="+theirPassword)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// ours are the keys of a run that are on the server.
func (s theirs) ours() int {
	n := 0
	for name := range strings.Lines(s.ask("--scan", "--pattern", "berth:*")) {
		if strings.TrimSpace(name) != "berth:of-another-tool" {
			n++
		}
	}
	return n
}

// plan is a file with a plan that loads the server for longer than any test waits.
func (s theirs) plan() string {
	path := filepath.Join(s.t.TempDir(), "plan.toml")
	err := os.WriteFile(path, fmt.Appendf(nil, `
name = "theirs"
rounds = 1
[load]
tests = ["GET", "LPUSH"]
seconds = 60
keyspace = 5000
[[variant]]
label = "theirs"
placement = "existing"
socket = %q
password = %q
`, s.socket, theirPassword), 0o600)
	if err != nil {
		s.t.Fatal(err)
	}
	return path
}

// within fails the test if what is not so before d has passed.
func within(t *testing.T, d time.Duration, what string, is func() bool) {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > d {
			t.Fatalf("after %v still not: %s", d, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("%s after %v", what, time.Since(began).Round(10*time.Millisecond))
}

// children are the processes that pid started, by their hidden command.
func children(pid int) map[string]int {
	found := map[string]int{}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		raw, _ := os.ReadFile(l)
		for _, word := range strings.Fields(string(raw)) {
			line, _ := os.ReadFile("/proc/" + word + "/cmdline")
			argv := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
			if child, err := strconv.Atoi(word); err == nil && len(argv) > 1 {
				found[argv[1]] = child
			}
		}
	}
	return found
}

// loading starts a run and returns when its keys are on their server and it measures.
func (s theirs) loading() (berth *exec.Cmd, stderr *bytes.Buffer) {
	s.t.Helper()
	berth = process(s.t, asBerth, "run", "--plan", s.plan(), "--out", s.t.TempDir())
	stderr = &bytes.Buffer{}
	berth.Stderr = stderr
	if err := berth.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { berth.Process.Kill(); berth.Wait() })
	within(s.t, 10*time.Second, "Berth's keys are on their server", func() bool { return s.ours() >= 5000 })
	return berth, stderr
}

// untouched fails the test if their own data is not as it was.
func (s theirs) untouched() {
	s.t.Helper()
	if got := s.ask("GET", "mylist") + ", " + s.ask("GET", "berth:of-another-tool") + ", " + s.ask("DBSIZE"); got != "mine, mine too, 2" {
		s.t.Errorf("their data is now: %s", got)
	}
}

func TestKeysOnSomebodysServerGoWithAKilledBerth(t *testing.T) {
	for name, agentToo := range map[string]bool{"Berth": false, "Berth and agent": true} {
		t.Run(name, func(t *testing.T) {
			s := startTheirs(t)
			berth, _ := s.loading()
			if agentToo {
				load := children(berth.Process.Pid)[agent.Command]
				syscall.Kill(berth.Process.Pid, syscall.SIGSTOP) // it must not see the agent's death
				syscall.Kill(load, syscall.SIGKILL)
			}
			berth.Process.Kill()
			berth.Wait()
			within(t, 5*time.Second, "no key of ours is left", func() bool { return s.ours() == 0 })
			s.untouched()
		})
	}
}

func TestKeysOnSomebodysServerGoAfterAKilledAgent(t *testing.T) {
	s := startTheirs(t)
	berth, _ := s.loading()
	first := children(berth.Process.Pid)[agent.Command]
	syscall.Kill(first, syscall.SIGKILL)
	within(t, 10*time.Second, "another agent runs the next sample", func() bool {
		next := children(berth.Process.Pid)[agent.Command]
		return next > 0 && next != first
	})
	berth.Process.Signal(os.Interrupt)
	berth.Wait()
	if n := s.ours(); n > 0 {
		t.Errorf("%d keys are left", n)
	}
	s.untouched()
}

func TestCleanRemovesKeysFromSomebodysServerWhenTheGuardDiedToo(t *testing.T) {
	s := startTheirs(t)
	berth, _ := s.loading()
	processes := children(berth.Process.Pid)
	for _, pid := range []int{processes[server.GuardCommand], berth.Process.Pid, processes[agent.Command]} {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	berth.Wait()
	if s.ours() < 5000 {
		t.Fatal("the keys have gone by themselves: nothing is tried")
	}
	records := ""
	for _, pair := range berth.Env {
		if home, ok := strings.CutPrefix(pair, "XDG_CACHE_HOME="); ok {
			found, _ := filepath.Glob(filepath.Join(home, "berth", "work", "*", "*"))
			for _, f := range found {
				raw, _ := os.ReadFile(f)
				records += string(raw)
			}
		}
	}
	if !strings.Contains(records, s.socket) || strings.Contains(records, theirPassword) {
		t.Errorf("the record must have the address and never the password: %s", records)
	}

	clean := func(password string) (string, error) {
		c := exec.Command(berth.Path, asBerth, "clean")
		c.Env = append(slices.Clone(berth.Env), "REDISCLI_AUTH="+password)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	out, err := clean("")
	if err == nil || !strings.Contains(out, "REDISCLI_AUTH") || !strings.Contains(out, s.socket) || s.ours() < 5000 {
		t.Errorf("without the password: %v, %s", err, out)
	}
	out, err = clean(theirPassword)
	if err != nil || !strings.Contains(out, " keys at ") || s.ours() > 0 {
		t.Errorf("with the password: %v, %s; %d keys left", err, out, s.ours())
	}
	s.untouched()
	if out, err = clean(""); err != nil || !strings.Contains(out, "nothing") {
		t.Errorf("then: %v, %s", err, out)
	}
}

func TestTheNextRunRemovesKeysWithItsOwnPassword(t *testing.T) {
	s := startTheirs(t)
	berth, _ := s.loading()
	processes := children(berth.Process.Pid)
	for _, pid := range []int{processes[server.GuardCommand], berth.Process.Pid, processes[agent.Command]} {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	berth.Wait()
	next := exec.Command(berth.Path, asBerth, "run", "--plan", s.plan(), "--set", "seconds=0.1", "--out", t.TempDir())
	next.Env = berth.Env
	if out, err := next.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := s.ours(); n > 0 {
		t.Errorf("%d keys are left", n)
	}
	s.untouched()
}

func TestCautionsAboutSomebodysServerAreToldBeforeTheRun(t *testing.T) {
	s := startTheirs(t)
	s.ask("CONFIG", "SET", "maxmemory", "1gb")
	s.ask("CONFIG", "SET", "maxmemory-policy", "volatile-lru") // their keys do not expire
	run := process(t, asBerth, "run", "--plan", s.plan(), "--set", "seconds=0.1", "--set", "tests=SET", "--out", t.TempDir())
	var stderr bytes.Buffer
	run.Stderr = &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	before, _, _ := strings.Cut(stderr.String(), "Round 1")
	for _, told := range []string{"holds 2 keys", "evicts keys", "volatile-lru"} {
		if !strings.Contains(before, told) {
			t.Errorf("nothing says %q before the run: %s", told, before)
		}
	}
	if strings.Contains(before, "replica") || strings.Contains(before, "not on this machine") {
		t.Errorf("it says what is not so: %s", before)
	}
	s.untouched()
}
