//go:build unix

package server

import (
	"fmt"
	"os"
	"syscall"
)

// ownGroup keeps signals meant for this process's group from a child.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownSession also keeps from it the end of the terminal.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// held is a command that becomes argv, in the same process, once it has read a line,
// and ends if there comes none: a server whose Berth dies before the guard knows of it never starts.
//
// It may open as many files as a server with the most clients needs, where its hard limit allows it.
func held(argv []string) []string {
	script := fmt.Sprintf(`read -r go || exit 1
soft=$(ulimit -S -n) hard=$(ulimit -H -n) want=%d
if [ "$hard" != unlimited ] && [ "$hard" -lt "$want" ]; then want=$hard; fi
if [ "$soft" != unlimited ] && [ "$soft" -lt "$want" ]; then ulimit -S -n "$want"; fi
exec "$@" </dev/null`, openFiles)
	return append([]string{"/bin/sh", "-c", script, "berth"}, argv...)
}

// askToEnd asks the process and its group, which is its own.
func askToEnd(p *os.Process) error { return signalGroup(p, syscall.SIGTERM) }

func endGroup(p *os.Process) error { return signalGroup(p, syscall.SIGKILL) }

// signalGroup signals a process that was not waited for yet, so that its id is nobody else's, and its group.
func signalGroup(p *os.Process, s syscall.Signal) error {
	if err := p.Signal(syscall.Signal(0)); err != nil {
		return err
	}
	return syscall.Kill(-p.Pid, s)
}
