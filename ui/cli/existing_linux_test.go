package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/server"
)

// startOther starts a redis-server that is not Berth's and returns its address.
func startOther(t *testing.T, args ...string) (port string) {
	t.Helper()
	need.Redis(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	l.Close()
	dir := t.TempDir()
	cmd := exec.Command("redis-server", append([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	within(t, 5*time.Second, "the other server answers", func() bool { return askPort(port, "PING") == "PONG" })
	return port
}

func askPort(port string, args ...string) string {
	out, err := exec.Command("redis-cli", append([]string{"-p", port}, args...)...).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}

// A server that is not Berth's own is told of before the run, and in what the run leaves.
func TestWhatAnExistingServerIsIsToldBeforeTheRunAndInItsReport(t *testing.T) {
	need.Linux(t)
	for name, c := range map[string]struct {
		start          func(t *testing.T) (settings []string)
		before, report string // said
		flags          []string
	}{
		"a replica": {func(t *testing.T) []string {
			primary := startOther(t)
			port := startOther(t, "--replicaof", "127.0.0.1 "+primary)
			within(t, 10*time.Second, "it is in step", func() bool { return strings.Contains(askPort(port, "INFO", "replication"), "master_link_status:up") })
			return []string{"port=" + port}
		}, "is a replica", "is a replica: following its primary", nil},
		"a node of a cluster": {func(t *testing.T) []string {
			port := startOther(t, "--cluster-enabled", "yes")
			if got := askPort(port, "CLUSTER", "ADDSLOTSRANGE", "0", "16383"); got != "OK" {
				t.Fatal(got)
			}
			within(t, 10*time.Second, "it serves", func() bool { return strings.Contains(askPort(port, "CLUSTER", "INFO"), "cluster_state:ok") })
			return []string{"port=" + port}
		}, "is a node of a cluster", "is a node of a cluster", nil},
		"one that evicts": {func(t *testing.T) []string {
			return []string{"port=" + startOther(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")}
		}, "evicts keys when its memory is full (allkeys-lru)", "drives keys out when its memory is full", nil},
		"one with data": {func(t *testing.T) []string {
			port := startOther(t)
			askPort(port, "SET", "theirs", "data")
			t.Cleanup(func() {
				if got := askPort(port, "GET", "theirs") + askPort(port, "DBSIZE"); got != "data1" {
					t.Errorf("their data is now: %s", got)
				}
			})
			return []string{"port=" + port}
		}, "holds 1 key of", "held somebody's data", nil},
		"one at another address": {func(t *testing.T) []string {
			need.Docker(t)
			// A container's own address is none of this machine's.
			l, err := server.NewLauncher(t.Context(), server.Options{RunID: "other", WorkDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
			v := plan.Variant{Label: "other", Service: plan.Redis, Placement: plan.DockerDirect}
			if err := l.Prepare(t.Context(), []plan.Variant{v}, nil); err != nil {
				t.Fatal(err)
			}
			s, err := l.Start(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			host, port, _ := net.SplitHostPort(s.Endpoint.Address)
			return []string{"host=" + host, "port=" + port, "password=" + s.Endpoint.Password}
		}, "is not on this machine", "went over a network", []string{result.FlagNetwork}},
	} {
		t.Run(name, func(t *testing.T) {
			test := "PING_INLINE" // a replica refuses what writes
			if name != "a replica" {
				test = "SET"
			}
			settings := c.start(t)
			var password string
			args := []string{"run", "--set", "modes=existing", "--set", "tests=" + test, "--set", "rounds=3", "--set", "seconds=0.1"}
			for _, s := range settings {
				if word, ok := strings.CutPrefix(s, "password="); ok {
					password = word
				} else {
					args = append(args, "--set", "variant.existing."+s)
				}
			}
			out := t.TempDir()
			berth := process(t, asBerth, append(args, "--out", out)...)
			berth.Env = append(berth.Env, "REDISCLI_AUTH="+password)
			var stderr bytes.Buffer
			berth.Stderr = &stderr
			if err := berth.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			before, _, _ := strings.Cut(stderr.String(), "Round 1")
			if !strings.Contains(before, c.before) {
				t.Errorf("before the run nothing says %q: %s", c.before, before)
			}
			report, err := os.ReadFile(filepath.Join(out, "report.md"))
			if err != nil || !strings.Contains(string(report), c.report) {
				t.Errorf("the report does not say %q (%v)", c.report, err)
			}
			r, err := result.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Samples {
				for _, flag := range append(c.flags, result.FlagNotFresh) {
					if !slices.Contains(r.Samples[i].Flags, flag) {
						t.Errorf("a sample is not flagged %s: %v", flag, r.Samples[i].Flags)
					}
				}
			}
			t.Logf("before: %s", fmt.Sprintf("%.300s", before))
		})
	}
}
