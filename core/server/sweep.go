package server

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/client"
)

// removeTime is how long an engine may take to remove what is asked for at once.
const removeTime = 10 * time.Second

// settle is how long it is until another look at what there is of a launch.
const settle = 300 * time.Millisecond

// labelled is everything of a label that is in Docker.
type labelled struct{ containers, networks, images []thing }

func (l labelled) isEmpty() bool { return len(l.containers)+len(l.networks)+len(l.images) == 0 }

// A thing is a container, a network or an image.
type thing struct{ id, name, owner string }

func (e *engine) find(ctx context.Context, label string) (labelled, error) {
	var all labelled
	with := filters.NewArgs(filters.Arg("label", label))
	containers, err := e.api.ContainerList(ctx, container.ListOptions{All: true, Filters: with})
	if err != nil {
		return all, err
	}
	for _, c := range containers {
		all.containers = append(all.containers, thing{c.ID, strings.TrimPrefix(strings.Join(c.Names, " "), "/"), c.Labels[labelOwner]})
	}
	networks, err := e.api.NetworkList(ctx, network.ListOptions{Filters: with})
	if err != nil {
		return all, err
	}
	for _, n := range networks {
		all.networks = append(all.networks, thing{n.ID, n.Name, n.Labels[labelOwner]})
	}
	images, err := e.api.ImageList(ctx, image.ListOptions{Filters: with})
	for _, i := range images {
		all.images = append(all.images, thing{i.ID, strings.Join(i.RepoTags, " "), i.Labels[labelOwner]})
	}
	return all, err
}

// remove removes what chosen accepts, containers first, and lists it.
func (e *engine) remove(ctx context.Context, all labelled, chosen func(thing) bool) (removed []string, err error) {
	var mu sync.Mutex
	var errs []error
	each := func(kind string, things []thing, remove func(id string) error) {
		var all sync.WaitGroup
		for _, t := range things {
			if !chosen(t) {
				continue
			}
			all.Go(func() {
				err := remove(t.id)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					removed = append(removed, kind+" "+t.name)
				case errdefs.IsNotFound(err):
				case errdefs.IsConflict(err) && strings.Contains(err.Error(), "in progress"):
					// Another is removing it: the guard, or a Berth that starts.
				default:
					errs = append(errs, err)
				}
			})
		}
		all.Wait()
	}
	each("container", all.containers, func(id string) error {
		return e.api.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
	})
	each("network", all.networks, func(id string) error { return e.api.NetworkRemove(ctx, id) })
	each("image", all.images, func(id string) error {
		_, err := e.api.ImageRemove(ctx, id, image.RemoveOptions{Force: true, PruneChildren: true})
		return err
	})
	return removed, errors.Join(errs...)
}

// sweepLaunch removes what a launch made in Docker. An engine may still be carrying out
// what a Berth asked for just before it died, so it looks until it has found nothing twice.
func sweepLaunch(ctx context.Context, address, id string) (removed []string, err error) {
	var e *engine // one for all looks: over ssh it takes a while to be there
	defer func() { e.close() }()
	for clean := 0; clean < 2; {
		var names []string
		if e == nil {
			e, err = dialEngine(ctx, address)
		}
		if err == nil {
			names, err = e.sweep(ctx, labelLaunch+"="+id, func(thing) bool { return true })
			removed = append(removed, names...)
		}
		switch {
		case err != nil:
			e.close()
			clean, e = 0, nil
		case len(names) == 0:
			clean++
		default:
			clean = 0
		}
		if clean == 2 {
			break
		}
		select {
		case <-ctx.Done():
			return removed, errors.Join(err, ctx.Err())
		case <-time.After(settle):
			err = nil
		}
	}
	return removed, nil
}

// sweepGone removes what Berths that have ended left in Docker. Where no engine answers there is nothing to say.
func sweepGone(ctx context.Context, me owner) ([]string, error) {
	e, err := dialEngine(ctx, "")
	if err != nil {
		return nil, nil
	}
	defer e.close()
	removed, err := e.sweep(ctx, labelOwner, func(t thing) bool {
		o, ok := parseOwner(t.owner)
		return ok && o.gone(me)
	})
	if client.IsErrConnectionFailed(err) || err != nil && e.ssh != nil {
		return removed, nil
	}
	return removed, err
}

// sweep removes what is there now of a label, and chosen.
func (e *engine) sweep(ctx context.Context, label string, chosen func(thing) bool) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	all, err := e.find(ctx, label)
	if err != nil {
		return nil, err
	}
	return e.remove(ctx, all, chosen)
}
