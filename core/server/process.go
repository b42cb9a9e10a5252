package server

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"berth/core/host"
)

// A process is a server that runs as one.
type process struct {
	cmd      *exec.Cmd
	id       identity
	launcher *Launcher
	output   string // file that its standard output and error go to

	mu       sync.Mutex
	children []identity // found when it was ready: a program may be a script that starts the server
}

// spawn starts argv in a process group of its own, so that a Ctrl-C meant for
// Berth does not reach it. It is held until the guard knows of it.
func spawn(l *Launcher, argv []string, folder string) (*process, error) {
	p := &process{launcher: l, output: filepath.Join(folder, "server.log")}
	out, err := os.OpenFile(p.output, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	argv = held(argv)
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = out, out, folder
	p.cmd.SysProcAttr = ownGroup()
	release, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	abandon := func(err error) (*process, error) {
		release.Close()
		p.cmd.Process.Kill()
		p.cmd.Wait()
		return nil, err
	}
	if p.id, err = identify(p.cmd.Process.Pid); err != nil {
		return abandon(err)
	}
	if err := l.record.tell(entry{Started: &p.id}); err != nil {
		return abandon(err)
	}
	if _, err := release.Write([]byte("go\n")); err != nil {
		return abandon(err)
	}
	return p, nil
}

// wait also waits for what the process has started and that outlived it, and ends that.
func (p *process) wait() (how, lost error) {
	p.cmd.Wait()
	p.endChildren(grace)
	return errors.New(p.cmd.ProcessState.String()), nil
}

// pids are those of the process and of its children, which the guard is told of.
func (p *process) pids() ([]int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pids := []int{p.id.PID}
	for _, child := range groupOf(p.id) {
		if err := p.launcher.record.tell(entry{Started: &child}); err != nil {
			return pids, err
		}
		p.children, pids = append(p.children, child), append(pids, child.PID)
	}
	return pids, nil
}

func (p *process) terminate() error { return askToEnd(p.cmd.Process) }

func (p *process) kill() error {
	err := endGroup(p.cmd.Process)
	if errors.Is(err, os.ErrProcessDone) {
		p.endChildren(0)
	}
	return err
}

// endChildren has wait given to each to end by itself. The guard ends what does not end here.
func (p *process) endChildren(wait time.Duration) {
	p.mu.Lock()
	children := append(groupOf(p.id), p.children...)
	p.mu.Unlock()
	for _, child := range children {
		_, _ = child.end(wait)
	}
}

func (p *process) remove(ctx context.Context) error {
	p.mu.Lock()
	all := append(slices.Clone(p.children), p.id)
	p.mu.Unlock()
	for _, one := range all {
		if err := p.launcher.record.tell(entry{Ended: &one}); err != nil {
			return err
		}
	}
	return nil
}

func (p *process) facts(ctx context.Context) host.Facts { return asSeenBy(p.id.PID, ownSomaxconn()) }

func (p *process) log() string {
	raw, _ := os.ReadFile(p.output)
	return string(raw)
}
