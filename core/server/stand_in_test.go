package server

import (
	"bufio"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/result"
)

func TestStandInServesWithNothingInstalledAndIsMarked(t *testing.T) {
	t.Setenv("PATH", "/bin:/usr/bin") // for the shell that holds it; Redis is not asked for
	l := newLauncher(t)
	s := start(t, l, variant(plan.StandIn))
	if !slices.Contains(s.Flags, result.FlagStandIn) || s.Facts["redis.name"] != "miniredis" {
		t.Errorf("flags %v, facts %v: nothing says that it is not Redis", s.Flags, s.Facts)
	}
	c := control(s.Endpoint)
	defer c.Close()
	if got, err := c.Incr(t.Context(), "counter").Result(); err != nil || got != 1 {
		t.Errorf("it does not serve: %d, %v", got, err)
	}
	line, err := os.ReadFile("/proc/self/cmdline")
	if err == nil && bytes.Contains(line, []byte(s.Endpoint.Password)) {
		t.Error("the password is in the process list")
	}
	without := s.Endpoint
	without.Password = ""
	_, err = TestConnection(t.Context(), without)
	wants(t, err, "server.noauth")
	if err := s.Stop(t.Context()); err != nil || !gone(s.PIDs...) {
		t.Errorf("it goes on: %v", err)
	}
}

func TestStandInTurnsInlineCommandsIntoArrays(t *testing.T) {
	const array = "*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n"
	for in, want := range map[string]string{
		"PING\r\n":               "*1\r\n$4\r\nPING\r\n",
		"SET key value\r\n":      "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n",
		array:                    array, // a bulk string may hold line ends
		"\r\n":                   "",
		array + "PING\n" + array: array + "*1\r\n$4\r\nPING\r\n" + array,
	} {
		var got strings.Builder
		r, w := bufio.NewReader(strings.NewReader(in)), bufio.NewWriter(&got)
		for passCommand(r, w) == nil {
		}
		w.Flush()
		if got.String() != want {
			t.Errorf("%q becomes %q, want %q", in, got.String(), want)
		}
	}
}
