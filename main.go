// Berth shows what it costs where a Redis server runs. This file picks the
// window, a command, or one of the child processes; nothing else.
package main

import (
	"os"

	"berth/assets"
	"berth/core/agent"
	"berth/core/server"
	"berth/ui/cli"
	"berth/ui/window"
)

func main() { os.Exit(start(os.Args[1:])) }

// start picks by the first argument. The child processes come first: they must
// not reach Fyne, nor the parsing of a command.
func start(args []string) int {
	if len(args) == 0 {
		cli.FindHome()
		return window.Run(window.Options{Version: assets.Version})
	}
	switch args[0] {
	case agent.Command:
		return agent.Main(os.Stdin, os.Stdout)
	case server.GuardCommand:
		return server.GuardMain(os.Stdin)
	case server.StandInCommand:
		return server.StandInMain(args[1:])
	}
	return cli.Main(args, os.Stdin, os.Stdout, os.Stderr)
}
