package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"

	"berth/core/host"
	"berth/core/plan"
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
	api     *client.Client
	address string // unix:///var/run/docker.sock, tcp://127.0.0.1:2375, ssh://user@host
	ssh     *line  // over which it is spoken to; nil where it is not behind ssh
	info    system.Info
	podman  bool
	// Of one launch: what has been made, by name.
	labels   map[string]string
	networks map[string]bool
	images   map[string]image.InspectResponse
}

// openEngine connects to the engine and asks what it is; it says in a sentence why it cannot.
func openEngine(ctx context.Context) (*engine, error) {
	e, err := dialEngine(ctx, "")
	if err != nil {
		return nil, err
	}
	args := text.Args{"Host": e.address}
	if e.ssh != nil {
		// The first question of a client that agrees on a version is asked in silence, and ssh would say its troubles to nobody.
		if _, err := e.api.Ping(ctx); err != nil {
			return nil, e.fail("server.docker-ssh", args, sshCause(err))
		}
	}
	if e.info, err = e.api.Info(ctx); err != nil {
		switch {
		case e.ssh != nil:
			return nil, e.fail("server.docker-ssh", args, sshCause(err))
		case client.IsErrConnectionFailed(err):
			return nil, e.fail("server.docker-none", args, err)
		}
		return nil, e.fail("server.docker-failed", args, err)
	}
	if v, err := e.api.ServerVersion(ctx); err == nil {
		e.podman = slices.ContainsFunc(v.Components, func(c types.ComponentVersion) bool { return strings.HasPrefix(c.Name, "Podman") })
	}
	return e, nil
}

// dialEngine finds the engine at address, "" for the user's, and sees whether it can be spoken to, for those
// who need not know what it is: that question takes it longer than most.
func dialEngine(ctx context.Context, address string) (*engine, error) {
	choice, err := chosenEngine()
	switch {
	case address == "" && err != nil:
		return nil, err
	case address == "":
		address = choice.address
	case address != choice.address:
		choice = engineChoice{address: address}
	}
	e := &engine{address: address, networks: map[string]bool{}, images: map[string]image.InspectResponse{}}
	switch {
	case overSSH(address):
		if e.api, e.ssh, err = dialSSH(address); err != nil {
			return nil, err
		}
		return e, nil
	case isRemoteAddress(address):
		if err := reachable(address); err != nil {
			return nil, err
		}
	}
	args := text.Args{"Host": address}
	if e.api, err = client.NewClientWithOpts(choice.options()...); err != nil {
		if _, unreadable := client.ParseHostURL(address); unreadable != nil && address != "" {
			return nil, text.Err("server.docker-host", args, err)
		}
		return nil, text.Err("server.docker-failed", args, err)
	}
	e.address = e.api.DaemonHost()
	args["Host"] = e.address
	// The client's own errors do not tell these three apart.
	if path, ok := strings.CutPrefix(e.address, "unix://"); ok {
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
	return e, nil
}

// close ends all connections to the engine; to none, it has nothing to end.
func (e *engine) close() {
	if e == nil {
		return
	}
	e.api.Close()
	if e.ssh != nil {
		e.ssh.close()
	}
}

func (e *engine) fail(id string, args text.Args, cause error) error {
	e.close()
	return text.Err(id, args, cause)
}

// isRemote reports whether the engine is reached over a network. Files are then
// copied to it, and whether its containers are processes of this machine only these show.
func (e *engine) isRemote() bool { return isRemoteAddress(e.address) }

// isVirtual reports whether the engine's containers run in a virtual machine, as those of
// Docker Desktop, Podman's machine, Colima and Lima do: they have another kernel than this machine.
//
// Of an engine behind ssh the kernel is another machine's in any case.
func (e *engine) isVirtual() bool {
	if e.ssh != nil {
		return strings.Contains(e.info.OperatingSystem, "Docker Desktop")
	}
	told := e.info.KernelVersion != "" && e.info.KernelVersion != "<unknown>"
	ours := kernelRelease()
	return strings.Contains(e.info.OperatingSystem, "Docker Desktop") || ours == "" || told && e.info.KernelVersion != ours
}

// isLocal reports whether the engine's containers are processes of this very
// machine, with its files.
func (e *engine) isLocal() bool { return !e.isRemote() && !e.isVirtual() }

// passesUserNetwork reports whether what goes to a published port passes a program that
// stands for a network, a rootless engine's or a virtual machine's.
func (e *engine) passesUserNetwork() bool { return e.isVirtual() || e.secured("rootless") }

// name is what a user calls the engine.
func (e *engine) name() string {
	switch {
	case strings.Contains(e.info.OperatingSystem, "Docker Desktop"):
		return "Docker Desktop"
	case e.podman:
		return "Podman"
	}
	return "Docker"
}

// offers says in a sentence why the engine cannot do what a placement means.
func (e *engine) offers(placement string) error {
	args := text.Args{"Engine": e.name(), "Host": e.address, "Placement": placement}
	switch {
	case placement == plan.DockerNAT:
		return nil
	case e.isRemote():
		return text.Err("server.docker-remote-placement", args, nil)
	case e.isVirtual():
		return text.Err("server.docker-virtual", args, nil)
	// Podman's containers are on the real host network, rootless or not.
	case e.secured("rootless") && (!e.podman || placement != plan.DockerHost):
		return text.Err("server.docker-rootless", args, nil)
	}
	return nil
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
	f["docker.engine"], f["docker.kernel"] = e.name(), e.info.KernelVersion
	if e.passesUserNetwork() {
		f["docker.user_network"] = "yes"
	}
	if e.ssh != nil {
		f["docker.over_ssh"] = "yes"
	}
	return f
}

// creationTime is how long an engine may take to make a network, an image or a container.
const creationTime = 10 * time.Second

// lettingThrough is a context for a request that makes something. A request that is cut off may still be
// carried out, after everything was looked through and removed: so it is let through, and its outcome
// known, before a cancelled ctx is obeyed.
func lettingThrough(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), creationTime)
}

// makeNetwork makes a bridge network of the launch's own, once.
func (e *engine) makeNetwork(ctx context.Context, name string, internal bool) error {
	if e.networks[name] {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	creating, cancel := lettingThrough(ctx)
	defer cancel()
	_, err := e.api.NetworkCreate(creating, name, network.CreateOptions{Driver: "bridge", Internal: internal, Labels: e.labels})
	e.networks[name] = err == nil
	return cmp.Or(ctx.Err(), err)
}
