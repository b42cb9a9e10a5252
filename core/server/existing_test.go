package server

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// wants fails the test unless err is the sentence called id.
func wants(t *testing.T, err error, id string) {
	t.Helper()
	var e *text.Error
	if !errors.As(err, &e) || e.ID != id {
		t.Errorf("error: %v, want %s", err, id)
	}
}

func TestExistingServerIsUsedAndLeftAlone(t *testing.T) {
	need.Redis(t)
	l := newLauncher(t)
	own := start(t, l, variant(plan.Native))
	name, port, _ := net.SplitHostPort(own.Endpoint.Address)
	v := variant(plan.Existing)
	v.Host, v.Password = name, own.Endpoint.Password
	v.Port, _ = strconv.Atoi(port)

	s := start(t, l, v)
	if len(s.Flags) != 1 || s.Flags[0] != result.FlagNotFresh {
		t.Errorf("flags: %v", s.Flags)
	}
	if s.Facts["redis.version"] == "" || s.Facts["network.path"] != "loopback" || s.Facts["existing.holds_data"] != "" {
		t.Errorf("facts: %v", s.Facts)
	}
	c := control(own.Endpoint)
	defer c.Close()
	if err := c.Set(t.Context(), "somebody's", "data", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	facts, err := TestConnection(t.Context(), s.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	if facts["existing.holds_data"] != "yes" {
		t.Errorf("facts: %v, want that it holds data", facts)
	}

	e := s.Endpoint
	e.Database = 99
	_, err = TestConnection(t.Context(), e)
	wants(t, err, "server.no-database")
	e.Database = 0
	e.Password = "wrong"
	_, err = TestConnection(t.Context(), e)
	wants(t, err, "server.wrongpass")
	e.Password = ""
	_, err = TestConnection(t.Context(), e)
	wants(t, err, "server.noauth")
	e.TLS = true
	_, err = TestConnection(t.Context(), e)
	if err == nil {
		t.Error("TLS to a server without it passes")
	}
}

func TestWhatIsNotAReachableRedisIsToldClearly(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	gibberish := answering(t, "SSH-2.0-OpenSSH_9.2\r\n")
	for _, c := range []struct{ address, id string }{
		{web.Listener.Addr().String(), "server.is-http"},
		{mute.Addr().String(), "server.timeout"},
		{closed.Addr().String(), "server.refused"},
		{gibberish, "server.not-redis"},
		{"no-such-host.invalid:6379", "server.unknown-host"},
	} {
		_, err := TestConnection(t.Context(), Endpoint{Network: "tcp", Address: c.address})
		wants(t, err, c.id)
	}
	_, err = TestConnection(t.Context(), Endpoint{Network: "unix", Address: t.TempDir() + "/none.sock"})
	wants(t, err, "server.no-socket")
}

// answering is the address of a server that says line to whoever connects.
func answering(t *testing.T, line string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, line)
			io.Copy(io.Discard, c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}
