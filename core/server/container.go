package server

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"berth/core/text"
)

// run creates and starts a container. Where it fails, none is left.
func (e *engine) run(ctx context.Context, name string, config *container.Config, hc *container.HostConfig) (id string, err error) {
	// A create that is cut off may still be carried out, under an id that nobody
	// learns: it is let through, and its outcome is undone.
	creating, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	created, err := e.api.ContainerCreate(creating, config, hc, nil, nil, name)
	if err != nil {
		return "", err
	}
	if err = ctx.Err(); err == nil {
		err = e.api.ContainerStart(ctx, created.ID, container.StartOptions{})
	}
	if err != nil {
		c := containerServer{engine: e, id: created.ID}
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		c.remove(removing)
		return "", err
	}
	return created.ID, nil
}

// A containerServer is a server that runs as a container.
type containerServer struct {
	engine *engine
	id     string
}

func (c *containerServer) wait() string {
	ended, failed := c.engine.api.ContainerWait(context.Background(), c.id, container.WaitConditionNotRunning)
	select {
	case e := <-ended:
		return fmt.Sprintf("exit status %d", e.StatusCode)
	case err := <-failed:
		return text.Err("server.docker-lost", nil, err).Error()
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
	if errdefs.IsNotFound(err) {
		return nil
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
	stdcopy.StdCopy(&b, &b, out)
	return lastLines(b.String())
}
