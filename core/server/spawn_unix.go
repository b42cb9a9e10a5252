//go:build unix

package server

import (
	"os"
	"syscall"
)

// ownGroup keeps signals meant for this process's group from a child.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession also keeps from it the end of the terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// held is a command that becomes argv, in the same process, once it has read a line,
// and ends if there comes none: a server whose Berth dies before the guard knows of it never starts.
func held(argv []string) []string {
	return append([]string{"/bin/sh", "-c", `read -r go && exec "$@" </dev/null`, "berth"}, argv...)
}

func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
