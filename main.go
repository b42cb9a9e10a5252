// Berth measures what it costs where a Redis server runs. With no arguments it
// opens the window, with arguments it is a command; two hidden commands are the processes
// that Berth starts beside itself: the agent, which generates load, and the guard, which cleans
// up when Berth dies.
package main

import (
	"os"

	"berth/assets"
	"berth/core/agent"
	"berth/core/server"
	"berth/ui/cli"
	"berth/ui/window"
)

func main() {
	if len(os.Args) < 2 {
		os.Exit(window.Run(window.Options{Version: assets.Version}))
	}
	switch os.Args[1] {
	case agent.Command:
		os.Exit(agent.Main(os.Stdin, os.Stdout))
	case server.GuardCommand:
		os.Exit(server.GuardMain(os.Stdin))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
