package server

import (
	"os"
	"syscall"
)

// ownGroup keeps a Ctrl-C meant for this process from a child.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func ownSession() *syscall.SysProcAttr { return ownGroup() }

// held is argv: no program here turns into another in the same process.
func held(argv []string) []string { return argv }

// askToEnd ends the process: there is no signal that asks.
func askToEnd(p *os.Process) error { return p.Kill() }

func endGroup(p *os.Process) error { return p.Kill() }
