package run

import (
	"os"
	"testing"

	"github.com/adrg/xdg"

	"berth/core/agent"
	"berth/core/server"
)

// TestMain lets the test's own program be the agent and the guard that a run
// starts, as Berth's does, and keeps runs and servers in a folder of the tests' own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case agent.Command:
			os.Exit(agent.Main(os.Stdin, os.Stdout))
		case server.GuardCommand:
			os.Exit(server.GuardMain(os.Stdin))
		case server.StandInCommand:
			os.Exit(server.StandInMain(os.Args[2:]))
		}
	}
	dir, err := os.MkdirTemp("", "berth-run-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_DATA_HOME", dir)
	os.Setenv("XDG_CACHE_HOME", dir)
	xdg.Reload()
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
