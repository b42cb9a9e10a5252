package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	// reference reads image names as Docker does: the registry is in the name, or is Docker Hub.
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/jsonmessage"

	"berth/core/text"
)

// registryPatience is how long a registry may take to react to a request before
// it is said to be out of reach; the engine itself would try for a quarter of a minute and more.
const registryPatience = 1500 * time.Millisecond

// pullImage gets an image from its registry unless the engine has it. progress is told bytes done and in all.
func (e *engine) pullImage(ctx context.Context, name string, progress func(done, total int64)) error {
	if _, known := e.images[name]; known {
		return nil
	}
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return text.Err("server.image-name", text.Args{"Image": name}, err)
	}
	found, err := e.api.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		progress(0, 0)
		if err = e.reachRegistry(ctx, named); err != nil {
			return err
		}
		var reply io.ReadCloser
		if reply, err = e.api.ImagePull(ctx, name, image.PullOptions{}); err != nil {
			return pullFailure(ctx, name, err)
		}
		if err = drain(reply, progress); err != nil {
			return pullFailure(ctx, name, err)
		}
		found, err = e.api.ImageInspect(ctx, name)
	}
	if err == nil {
		e.images[name] = found
	}
	return err
}

func pullFailure(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return text.Err("server.docker-pull", text.Args{"Image": name}, err)
}

// reachRegistry says at once where the registry of an image does not answer. Only an
// engine of this machine that goes there itself, by no proxy and no mirror, can be answered for.
func (e *engine) reachRegistry(ctx context.Context, image reference.Named) error {
	mirrored := e.info.RegistryConfig != nil && len(e.info.RegistryConfig.Mirrors) > 0
	if !e.isLocal() || mirrored || e.info.HTTPProxy != "" || e.info.HTTPSProxy != "" {
		return nil
	}
	address := registryAddress(reference.Domain(image))
	asking, cancel := context.WithTimeout(ctx, registryPatience)
	defer cancel()
	err := answers(asking, address)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return text.Err("server.registry-unreachable", text.Args{"Image": reference.FamiliarString(image), "Registry": address}, err)
}

// answers sends a plain HTTP request and waits for any reaction. A server that speaks TLS
// refuses it or hangs up, which shows as well that somebody is there.
func answers(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		conn.SetDeadline(deadline)
	}
	release := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer release()
	if _, err := io.WriteString(conn, "GET /v2/ HTTP/1.0\r\nHost: "+address+"\r\n\r\n"); err != nil {
		return nil // it hung up
	}
	if _, err := conn.Read(make([]byte, 1)); timedOut(err) {
		return err
	}
	return nil
}

// registryAddress is where the registry that names an image is reached: Docker
// Hub's is not the host in the name.
func registryAddress(domain string) string {
	if domain == "docker.io" {
		domain = "registry-1.docker.io"
	}
	if _, _, err := net.SplitHostPort(domain); err == nil {
		return domain
	}
	return net.JoinHostPort(strings.Trim(domain, "[]"), "443")
}

// drain reads an engine's progress messages to their end, and returns the error that one of them may
// hold. It tells of bytes as the first of them come, once a second, and when all are there.
func drain(reply io.ReadCloser, progress func(done, total int64)) error {
	defer reply.Close()
	layers := map[string][2]int64{}
	var told time.Time
	tell := func() {
		var done, total int64
		for _, l := range layers {
			done, total = done+l[0], total+l[1]
		}
		if progress != nil && total > 0 {
			progress(done, total)
		}
	}
	for messages := json.NewDecoder(reply); ; {
		var m jsonmessage.JSONMessage
		if err := messages.Decode(&m); err != nil {
			if errors.Is(err, io.EOF) {
				tell()
				return nil
			}
			return err
		}
		if m.Error != nil {
			return m.Error
		}
		layer := layers[m.ID]
		switch {
		case m.Status == "Download complete" && layer[1] > 0:
			layers[m.ID] = [2]int64{layer[1], layer[1]}
		case m.Status == "Downloading" && m.Progress != nil && m.Progress.Total > 0:
			layers[m.ID] = [2]int64{m.Progress.Current, m.Progress.Total}
		default:
			continue
		}
		if time.Since(told) >= time.Second {
			told = time.Now()
			tell()
		}
	}
}
