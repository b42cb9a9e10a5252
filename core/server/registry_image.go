package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/pkg/jsonmessage"
)

// pullImage gets an image from its registry unless the engine has it. progress is told bytes done and in all.
func (e *engine) pullImage(ctx context.Context, name string, progress func(done, total int64)) error {
	if _, known := e.images[name]; known {
		return nil
	}
	found, err := e.api.ImageInspect(ctx, name)
	if errdefs.IsNotFound(err) {
		progress(0, 0)
		var reply io.ReadCloser
		if reply, err = e.api.ImagePull(ctx, name, image.PullOptions{}); err != nil {
			return err
		}
		if err = drain(reply, progress); err != nil {
			return err
		}
		found, err = e.api.ImageInspect(ctx, name)
	}
	if err == nil {
		e.images[name] = found
	}
	return err
}

// drain reads an engine's progress messages to their end, and returns the error that one of them may hold.
func drain(reply io.ReadCloser, progress func(done, total int64)) error {
	defer reply.Close()
	layers := map[string][2]int64{}
	told := time.Now()
	for messages := json.NewDecoder(reply); ; {
		var m jsonmessage.JSONMessage
		if err := messages.Decode(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if m.Error != nil {
			return m.Error
		}
		if progress == nil || m.Progress == nil || m.Progress.Total == 0 || m.Status != "Downloading" {
			continue
		}
		layers[m.ID] = [2]int64{m.Progress.Current, m.Progress.Total}
		if time.Since(told) < time.Second {
			continue
		}
		told = time.Now()
		var done, total int64
		for _, l := range layers {
			done, total = done+l[0], total+l[1]
		}
		progress(done, total)
	}
}
