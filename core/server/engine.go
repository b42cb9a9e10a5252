package server

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
	"github.com/docker/docker/pkg/jsonmessage"
	"github.com/docker/docker/pkg/stdcopy"

	"berth/core/host"
	"berth/core/text"
)

// Labels of everything that Berth makes in Docker.
const (
	labelRun    = "berth.run"    // the run's id
	labelLaunch = "berth.launch" // the Launcher's: what it removes
	labelOwner  = "berth.owner"  // owner.String: whose it is
)

// An engine is the Docker engine that the environment or the docker command's context names.
type engine struct {
	api  *client.Client
	info system.Info
	// Of one launch: what has been made, by name.
	labels   map[string]string
	networks map[string]bool
	images   map[string]image.InspectResponse
}

// openEngine connects to the engine, and says in a sentence why it cannot.
func openEngine(ctx context.Context) (*engine, error) {
	options := []client.Opt{client.FromEnv, client.WithAPIVersionNegotiation()}
	if address := contextHost(); address != "" {
		options = append(options, client.WithHost(address))
	}
	api, err := client.NewClientWithOpts(options...)
	if err != nil {
		return nil, text.Err("server.docker-failed", text.Args{"Host": os.Getenv("DOCKER_HOST")}, err)
	}
	e := &engine{api: api, networks: map[string]bool{}, images: map[string]image.InspectResponse{}}
	args := text.Args{"Host": api.DaemonHost()}
	// The client's own errors do not tell these three apart.
	if path, ok := strings.CutPrefix(api.DaemonHost(), "unix://"); ok {
		conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
		switch {
		case err == nil:
			conn.Close()
		case errors.Is(err, os.ErrPermission):
			return nil, e.fail("server.docker-denied", args, err)
		case errors.Is(err, os.ErrNotExist):
			return nil, e.fail("server.docker-none", args, err)
		default:
			return nil, e.fail("server.docker-refused", args, err)
		}
	}
	if e.info, err = api.Info(ctx); err != nil {
		if client.IsErrConnectionFailed(err) {
			return nil, e.fail("server.docker-none", args, err)
		}
		return nil, e.fail("server.docker-failed", args, err)
	}
	return e, nil
}

func (e *engine) fail(id string, args text.Args, cause error) error {
	e.api.Close()
	return text.Err(id, args, cause)
}

// isLocal reports whether the engine's containers are processes of this very
// machine, with its files.
func (e *engine) isLocal() bool {
	return strings.HasPrefix(e.api.DaemonHost(), "unix://") && !strings.Contains(e.info.OperatingSystem, "Docker Desktop")
}

// secured reports whether the engine runs with a security option: "rootless", "userns", "selinux".
func (e *engine) secured(option string) bool {
	return slices.ContainsFunc(e.info.SecurityOptions, func(o string) bool {
		return o == "name="+option || strings.HasPrefix(o, "name="+option+",")
	})
}

func (e *engine) facts() host.Facts {
	f := host.Facts{
		"docker.version": e.info.ServerVersion, "docker.api": e.api.ClientVersion(), "docker.os": e.info.OperatingSystem,
		"docker.storage_driver": e.info.Driver, "docker.cgroup_version": e.info.CgroupVersion,
		"docker.runtime": e.info.DefaultRuntime, "docker.security": strings.Join(e.info.SecurityOptions, " "), "docker.rootless": "no",
	}
	if e.secured("rootless") {
		f["docker.rootless"] = "yes"
	}
	return f
}

// makeNetwork makes a bridge network of the launch's own, once.
func (e *engine) makeNetwork(ctx context.Context, name string, internal bool) error {
	if e.networks[name] {
		return nil
	}
	_, err := e.api.NetworkCreate(ctx, name, network.CreateOptions{Driver: "bridge", Internal: internal, Labels: e.labels})
	e.networks[name] = err == nil
	return err
}

// hostLinks are the names in / that are links into /usr where a distribution has merged them.
var hostLinks = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}

// makeHostImage makes an image called name with nothing in it but empty folders and
// this machine's own links into /usr, for a container in which /usr is this machine's.
func (e *engine) makeHostImage(ctx context.Context, name string) error {
	if _, made := e.images[name]; made {
		return nil
	}
	var archive bytes.Buffer
	t := tar.NewWriter(&archive)
	for _, folder := range []string{"usr", "etc", "proc", "sys", "dev", "run", "tmp", strings.Trim(inside, "/")} {
		if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: 0o755}); err != nil {
			return err
		}
	}
	for _, link := range hostLinks {
		if target, err := os.Readlink("/" + link); err == nil {
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: link, Linkname: target, Mode: 0o777}); err != nil {
				return err
			}
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	var changes []string
	for key, value := range e.labels {
		changes = append(changes, fmt.Sprintf("LABEL %s=%q", key, value))
	}
	reply, err := e.api.ImageImport(ctx, image.ImportSource{Source: &archive, SourceName: "-"}, name, image.ImportOptions{Changes: changes})
	if err != nil {
		return err
	}
	if err := drain(reply, nil); err != nil {
		return err
	}
	e.images[name], err = e.api.ImageInspect(ctx, name)
	return err
}

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

// removeTime is how long an engine may take to remove what is asked for at once.
const removeTime = 10 * time.Second

// labelled is everything of a label that is in Docker.
type labelled struct{ containers, networks, images []thing }

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
func sweepLaunch(ctx context.Context, id string) (removed []string, err error) {
	const settle = 400 * time.Millisecond
	for clean := 0; clean < 2; {
		names, again := sweepOnce(ctx, labelLaunch+"="+id, func(thing) bool { return true })
		removed = append(removed, names...)
		switch {
		case again != nil:
			clean, err = 0, again
		case len(names) == 0:
			clean, err = clean+1, nil
		default:
			clean, err = 0, nil
		}
		if clean == 2 {
			break
		}
		select {
		case <-ctx.Done():
			return removed, errors.Join(err, ctx.Err())
		case <-time.After(settle):
		}
	}
	return removed, nil
}

// sweepGone removes what Berths that have ended left in Docker. Where no engine answers there is nothing to say.
func sweepGone(ctx context.Context, me owner) ([]string, error) {
	removed, err := sweepOnce(ctx, labelOwner, func(t thing) bool {
		o, ok := parseOwner(t.owner)
		return ok && o.gone(me)
	})
	var unavailable *text.Error
	if errors.As(err, &unavailable) {
		return removed, nil
	}
	return removed, err
}

func sweepOnce(ctx context.Context, label string, chosen func(thing) bool) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, removeTime)
	defer cancel()
	e, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	defer e.api.Close()
	all, err := e.find(ctx, label)
	if err != nil {
		return nil, err
	}
	return e.remove(ctx, all, chosen)
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

// outsideUsr are the folders that a program of this machine needs and that do not
// lie in /usr: its own, and those of the libraries it is linked with.
func outsideUsr(program string, libraries []string) []string {
	var folders []string
	add := func(folder string) {
		if folder != "/" && !under(folder, "/usr") && !slices.ContainsFunc(hostLinks, func(l string) bool { return under(folder, "/"+l) }) &&
			!slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	for _, path := range append([]string{program}, libraries...) {
		add(filepath.Dir(path))
		if real, err := filepath.EvalSymlinks(path); err == nil {
			add(filepath.Dir(real))
		}
	}
	return folders
}

func under(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }
