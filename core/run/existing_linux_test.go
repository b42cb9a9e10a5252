package run

import (
	"context"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
)

// theirs starts a Redis server of somebody's, with these options, and returns its port.
func theirs(t *testing.T, options ...string) int {
	t.Helper()
	need.Redis(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("redis-server", append([]string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir()}, options...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			conn.Close()
			return port
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// on is a plan of one test on an existing server.
func on(port int, test, password string) plan.Plan {
	p := plan.Plan{Name: "theirs", Rounds: 1, Loads: []plan.Load{{Tests: []string{test}, PayloadBytes: []int{10}, Clients: []int{5}, Seconds: 0.05}},
		Variants: []plan.Variant{{Placement: plan.Existing, Port: port, Password: password}}}
	p.Complete()
	return p
}

func TestAServerThatRefusesWritesIsToldBeforeTheStartAndOwesNothing(t *testing.T) {
	for name, options := range map[string][]string{
		"replica":     {"--replicaof", "127.0.0.1", "1"},
		"cluster":     {"--cluster-enabled", "yes"},
		"no write":    {"--user", "default", "on", "nopass", "~*", "+@all", "-@write"},
		"other names": {"--user", "default", "on", "nopass", "~other:*", "+@all"},
	} {
		t.Run(name, func(t *testing.T) {
			port := theirs(t, options...)
			if err := CheckExisting(t.Context(), on(port, "SET", "")); err == nil || !strings.Contains(err.Error(), "takes no keys") {
				t.Errorf("before the start it is said: %v", err)
			}
			if r, err := Execute(t.Context(), Options{Plan: on(port, "SET", "")}); err == nil || r != nil || strings.Contains(err.Error(), "keys that Berth wrote") {
				t.Errorf("the run: %v", err)
			}
			nothingLeft(t)
			if r, err := Execute(t.Context(), Options{Plan: on(port, "PING_INLINE", "")}); err != nil || len(r.Samples) != 1 {
				t.Errorf("a test that writes nothing: %v", err)
			}
			nothingLeft(t)
		})
	}
}

func TestAPasswordThatAServerDoesNotHaveIsNotSent(t *testing.T) {
	port := theirs(t)
	if r, err := Execute(t.Context(), Options{Plan: on(port, "SET", "not needed")}); err != nil || len(r.Samples) != 1 || r.Samples[0].Errors > 0 {
		t.Errorf("the run: %v", err)
	}
	nothingLeft(t)
}

func TestAnExistingServerWithTooFewConnectionsIsToldBeforeTheStart(t *testing.T) {
	port := theirs(t, "--maxclients", "4")
	if err := CheckExisting(context.Background(), on(port, "SET", "")); err == nil || !strings.Contains(err.Error(), "4 connections at most") {
		t.Errorf("it is said: %v", err)
	}
}
