<<<<<<< HEAD
// Berth measures what it costs where a Redis server runs. With no arguments it
// opens the window, with arguments it is a command; two hidden commands are the processes
// that Berth starts beside itself: the agent, which generates load, and the guard, which cleans
// up when Berth dies.
=======
// Berth shows what it costs where a Redis server runs. This file picks the
// window, a command, or one of the two child processes; nothing else.
>>>>>>> window
package main

import (
	"os"

	"berth/assets"
	"berth/core/agent"
	"berth/core/server"
	"berth/ui/cli"
	"berth/ui/window"
)

<<<<<<< HEAD
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
=======
func main() { os.Exit(start(os.Args[1:])) }

// start picks by the first argument. The child processes come first: they must
// not reach Fyne, nor the parsing of a command.
func start(args []string) int {
	if len(args) == 0 {
		return window.Run(window.Options{Version: assets.Version})
	}
	switch args[0] {
	case agent.Command:
		return agent.Main(os.Stdin, os.Stdout)
	case server.GuardCommand:
		return server.GuardMain(os.Stdin)
	}
	return cli.Main(args, os.Stdin, os.Stdout, os.Stderr)
>>>>>>> window
}
