package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/text"
)

func TestNativeServerAnswersAndLeavesNothing(t *testing.T) {
	need.Redis(t)
	l := newLauncher(t)
	s := start(t, l, variant(plan.Native))
	if err := (redisService{}).ask(t.Context(), s.Endpoint); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"redis.version", "redis.allocator", "program.path", "program.sha256", "redis.io_threads", "data.filesystem"} {
		if s.Facts[key] == "" {
			t.Errorf("fact %s is missing of %v", key, s.Facts)
		}
	}
	if got := s.Facts["redis.persistence"]; got != plan.PersistenceNone {
		t.Errorf("persistence is %q, want none by default", got)
	}
	id, err := identify(s.PIDs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if id.alive() {
		t.Errorf("process %d still runs", id.PID)
	}
	if entries, _ := os.ReadDir(l.launch.Folder); len(entries) != 1 {
		t.Errorf("the launch's folder holds %v, want the record alone", entries)
	}
	select {
	case <-s.Exited():
		t.Error("a stopped server counts as one that ended by itself")
	default:
	}
}

func TestServerNeedsItsPasswordAndListensOnLoopbackOnly(t *testing.T) {
	need.Redis(t)
	s := start(t, newLauncher(t), variant(plan.Native))
	e := s.Endpoint
	e.Password = ""
	var refused *text.Error
	if err := (redisService{}).ask(t.Context(), e); !errors.As(err, &refused) || refused.ID != "server.noauth" {
		t.Errorf("without the password: %v, want server.noauth", err)
	}
	answersNowhereElse(t, s)
	command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.PIDs[0]))
	if err == nil && strings.Contains(string(command), s.Endpoint.Password) {
		t.Errorf("the command line holds the password: %q", command)
	}
	for _, line := range s.Commands {
		if strings.Contains(line, s.Endpoint.Password) {
			t.Errorf("a command by hand holds the password: %s", line)
		}
	}
}

// answersNowhereElse tries the server's port on each of this machine's addresses but loopback.
func answersNowhereElse(t *testing.T, s *Server) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.Endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast() {
			continue
		}
		tried++
		if c, err := net.DialTimeout("tcp", net.JoinHostPort(n.IP.String(), port), time.Second); err == nil {
			c.Close()
			t.Errorf("%s port %s answers", n.IP, port)
		}
	}
	t.Logf("tried %d addresses outside loopback", tried)
}

func TestServerThatDiesIsToldWithItsLog(t *testing.T) {
	need.Redis(t)
	s := start(t, newLauncher(t), variant(plan.Native))
	if s.Failure() != nil {
		t.Fatal(s.Failure())
	}
	if err := s.running.kill(); err != nil {
		t.Fatal(err)
	}
	if !within(s.Exited(), 2*time.Second) {
		t.Fatal("its end was not noticed")
	}
	if err := s.Failure(); err == nil || !strings.Contains(err.Error(), "killed") || !strings.Contains(err.Error(), "Ready to accept connections") {
		t.Errorf("failure: %v", err)
	}
}

func TestServerThatCannotStartIsToldWithItsLog(t *testing.T) {
	need.Redis(t)
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte("maxmemory plenty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := variant(plan.Native)
	v.ConfigFile = file
	l := newLauncher(t)
	_, err := l.Start(t.Context(), v)
	if err == nil || !strings.Contains(err.Error(), "maxmemory") {
		t.Errorf("error: %v, want the log's own words", err)
	}
}

// The file of the articles that Berth repeats: it must do in every placement.
const articlesConfig = "daemonize yes\nport 6379\nbind 10.1.2.3\npidfile /nowhere/redis.pid\nlogfile /nowhere/redis.log\ndir /nowhere\nmaxmemory 50mb\n"

func TestUsersConfigurationIsKeptButForWhatMustDiffer(t *testing.T) {
	need.Redis(t)
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte(articlesConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	v := variant(plan.Native)
	v.ConfigFile = file
	s := start(t, newLauncher(t), v)
	if got := s.Facts["redis.maxmemory"]; got != strconv.Itoa(50<<20) {
		t.Errorf("maxmemory is %s, want the file's 50mb", got)
	}
	if got, want := s.Facts["redis.config_overridden"], "daemonize port bind pidfile logfile dir"; got != want {
		t.Errorf("overridden: %q, want %q", got, want)
	}
}

func TestPersistenceIsAsThePlanSays(t *testing.T) {
	need.Redis(t)
	l := newLauncher(t)
	for _, p := range []string{plan.PersistenceNone, plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo} {
		v := variant(plan.Native)
		v.Persistence = p
		s := start(t, l, v)
		if got := s.Facts["redis.persistence"]; got != p {
			t.Errorf("persistence %s is %s on the server", p, got)
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestTakenPortIsToldWithItsHolder(t *testing.T) {
	need.Linux(t)
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	port := held.Addr().(*net.TCPAddr).Port
	_, err = NewLauncher(t.Context(), Options{RunID: "test", WorkDir: t.TempDir(), Port: port})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("pid %d", os.Getpid())) {
		t.Errorf("error: %v, want pid %d in it", err, os.Getpid())
	}
}

func TestOnlyLoopbackCanBeListenedOn(t *testing.T) {
	for _, address := range []string{"0.0.0.0", "192.0.2.1", "example.org", "::"} {
		if _, err := NewLauncher(t.Context(), Options{WorkDir: t.TempDir(), Host: address}); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	need.Redis(t)
	l := newLauncher(t)
	ctx, cancel := context.WithCancel(t.Context())
	// A server that never answers: it is stopped in its first breath.
	v := variant(plan.Native)
	v.Program = filepath.Join(t.TempDir(), "mute")
	if err := os.WriteFile(v.Program, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then exit; fi\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	_, err := l.Start(ctx, v)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error: %v, want it cancelled", err)
	}
	if took := time.Since(began); took > 1300*time.Millisecond {
		t.Errorf("the start took %v to be cancelled", took)
	}
	if entries, _ := os.ReadDir(l.launch.Folder); len(entries) != 1 {
		t.Errorf("the launch's folder holds %v, want the record alone", entries)
	}
}

func BenchmarkNativeReady(b *testing.B) {
	need.Redis(b)
	benchmarkReady(b, variant(plan.Native))
}
