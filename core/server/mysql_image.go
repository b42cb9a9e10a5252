package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/docker/docker/api/types/container"

	"berth/core/text"
)

// installWithin does what install does with the programs of v's image, and notes the program's version.
func (mysqlService) installWithin(ctx context.Context, l *Launcher, e *engine, s setting) error {
	args := text.Args{"Label": s.variant.Label, "Image": s.variant.Image, "Program": s.program, "Folder": s.folder}
	out, status, err := e.once(ctx, l, s, []string{s.program, "--no-defaults", "--version"})
	if err == nil && (status != 0 || versionLine(out) == "") {
		err = fmt.Errorf("exit status %d: %s", status, text.Line(strings.TrimSpace(out), 200))
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return text.Err("server.mysql-image-program", args, err)
	}
	s.facts["program.version"] = versionLine(out)
	out, status, err = e.once(ctx, l, s, installCommandLine(s))
	if err == nil && status != 0 {
		err = fmt.Errorf("exit status %d", status)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		args["Log"] = lastLines(out)
		args["Program"] = s.variant.Image
		return text.Err("server.mysql-install", args, err)
	}
	return nil
}

// versionLine is the line in which a server's program says what it is; others are warnings.
func versionLine(out string) string {
	for line := range strings.Lines(out) {
		if strings.Contains(line, " Ver ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// once runs a command in a container of v's image that has the private folder and no network, and
// gives what it wrote and its exit status.
func (e *engine) once(ctx context.Context, l *Launcher, s setting, argv []string) (out string, status int64, err error) {
	hc := confined(e, s.folder)
	hc.NetworkMode = "none"
	config := &container.Config{
		Image: s.variant.Image, Entrypoint: argv[:1], Cmd: argv[1:], WorkingDir: inside,
		Labels: e.labels, User: containerUser(e),
	}
	id, err := e.run(ctx, l.dockerName("once"), config, hc, func(context.Context, string) error { return nil })
	if err != nil {
		return "", 0, err
	}
	c := &containerServer{engine: e, id: id}
	defer func() {
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		if removal := c.remove(removing); err == nil {
			err = removal
		}
	}()
	ended, failed := e.api.ContainerWait(ctx, id, container.WaitConditionNotRunning)
	select {
	case how := <-ended:
		return c.log(), how.StatusCode, nil
	case err := <-failed:
		return "", 0, err
	}
}
