package agent

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// An agent that would go on for ever ends within a second of its parent's SIGKILL.
func TestAgentEndsWithItsParent(t *testing.T) {
	pretend(t, "hang")
	path := pidFile(t)
	parent := exec.Command(os.Args[0], parentArgument)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	eventually(t, "the agent's pid", func() (ok bool) {
		var err error
		pid, err = readPID(path)
		return err == nil
	})
	agent, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(agent)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	_ = parent.Wait() // killed, so an error
	ends := []unix.PollFd{{Fd: int32(agent), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(ends, 5000)
		if err == unix.EINTR {
			continue
		}
		if took := time.Since(killed); n != 1 || err != nil || took > time.Second {
			_ = unix.PidfdSendSignal(agent, unix.SIGKILL, nil, 0)
			t.Fatalf("the agent outlived its parent by %v (%v)", took, err)
		}
		return
	}
}
