package server

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"berth/core/text"
)

// run creates a container, has it looked into, and starts it. Where one of them fails, none is left.
func (e *engine) run(ctx context.Context, name string, config *container.Config, hc *container.HostConfig,
	look func(ctx context.Context, id string) error) (id string, err error) {
	creating, cancel := lettingThrough(ctx)
	defer cancel()
	created, err := e.api.ContainerCreate(creating, config, hc, nil, nil, name)
	if err != nil {
		return "", err
	}
	if err = ctx.Err(); err == nil {
		err = look(ctx, created.ID)
	}
	if err == nil {
		err = e.api.ContainerStart(ctx, created.ID, container.StartOptions{})
	}
	if err != nil {
		c := containerServer{engine: e, id: created.ID}
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		_ = c.remove(removing) // the first error says why; the guard has its label
		return "", err
	}
	return created.ID, nil
}

// A containerServer is a server that runs as a container.
type containerServer struct {
	engine *engine
	id     string
}

// How long an engine that no longer answers is waited for, and how often it is tried: one
// that is restarted with live-restore keeps its containers.
const (
	engineBack = 5 * time.Second
	engineTry  = 200 * time.Millisecond
	// engineStays is how long an engine that is itself stopped may keep a connection after it stopped a container.
	engineStays = 800 * time.Millisecond
)

func (c *containerServer) wait() (how, lost error) {
	for {
		ended, failed := c.engine.api.ContainerWait(context.Background(), c.id, container.WaitConditionNotRunning)
		select {
		case e := <-ended:
			how = fmt.Errorf("exit status %d", e.StatusCode)
			if !c.wasStopped(e.StatusCode) {
				return how, nil
			}
			return c.whoStopped(e.StatusCode, how)
		case err := <-failed:
			if !c.survives() {
				return nil, err
			}
		}
	}
}

// wasStopped reports whether a container that ended with status was told to, as an engine that
// is itself stopped tells its containers: by SIGTERM, which Redis obeys with status 0, then SIGKILL.
func (c *containerServer) wasStopped(status int64) bool {
	const byTERM, byKILL = 128 + 15, 128 + 9
	return status == byTERM || status == byKILL || status == 0 && strings.Contains(c.log(), "SIGTERM")
}

// whoStopped says how a container was stopped, once it is known that the engine stays: one that is itself
// stopped takes no new connection, stops its containers, and then lets go of the connections that it has.
func (c *containerServer) whoStopped(status int64, how error) (_, lost error) {
	asking, cancel := context.WithTimeout(context.Background(), engineStays)
	defer cancel()
	e, err := dialEngine(asking, c.engine.address)
	if err != nil {
		return nil, how
	}
	defer e.close()
	args := text.Args{"Status": status}
	state, err := e.api.ContainerInspect(asking, c.id)
	if err == nil && state.State.OOMKilled {
		return text.Err("server.ended-memory", args, nil), nil
	}
	if err == nil {
		removed, failed := e.api.ContainerWait(asking, c.id, container.WaitConditionRemoved)
		select {
		case <-removed:
			return text.Err("server.ended-removed", args, nil), nil
		case err = <-failed:
		case <-asking.Done():
		}
	}
	switch {
	case errdefs.IsNotFound(err):
		return text.Err("server.ended-removed", args, nil), nil
	case asking.Err() == nil:
		return nil, how
	}
	return text.Err("server.ended-stopped", args, nil), nil
}

// survives reports whether the engine comes back with the container still running.
func (c *containerServer) survives() bool {
	asking, cancel := context.WithTimeout(context.Background(), engineBack)
	defer cancel()
	for {
		state, err := c.engine.api.ContainerInspect(asking, c.id)
		switch {
		case err == nil:
			return state.State.Running
		case errdefs.IsNotFound(err), asking.Err() != nil:
			return false
		}
		<-time.After(engineTry)
	}
}

func (c *containerServer) terminate() error { return c.signal("SIGTERM") }
func (c *containerServer) kill() error      { return c.signal("SIGKILL") }

func (c *containerServer) signal(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return c.engine.api.ContainerKill(ctx, c.id, name)
}

func (c *containerServer) remove(ctx context.Context) error {
	err := c.engine.api.ContainerRemove(ctx, c.id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	if errdefs.IsNotFound(err) || errdefs.IsConflict(err) && strings.Contains(err.Error(), "already in progress") {
		return nil // somebody else removes it
	}
	return err
}

func (c *containerServer) log() string {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	out, err := c.engine.api.ContainerLogs(ctx, c.id, container.LogsOptions{ShowStdout: true, ShowStderr: true, Tail: "40"})
	if err != nil {
		return ""
	}
	defer out.Close()
	var b bytes.Buffer
	_, _ = stdcopy.StdCopy(&b, &b, out) // a torn log is better than none
	return b.String()
}
