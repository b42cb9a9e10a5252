package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/go-connections/nat"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// inside is where a container has its server's private folder.
const inside = "/berth"

// docker is a container on one of the networks that a wiring makes.
type docker struct{ wiring wiring }

// A wiring is how a container is reached: what the docker placements differ in.
type wiring interface {
	// network is the launch's own network that the container is on; ok is
	// false where it is on the host's.
	network() (name string, internal, ok bool)
	// listen is the address and port that the server itself listens on.
	listen(l *Launcher, svc service) (bind string, port int, err error)
	// publish is the port of l.host that is passed on to the container's; 0 lets the engine choose.
	publish(l *Launcher) (port int, ok bool, err error)
	// reach is the address at which a running container is reached, the
	// path that bytes take to it, and the docker-proxy processes on it.
	reach(l *Launcher, c container.InspectResponse, port int) (reached, error)
}

type reached struct {
	address string
	path    string
	proxies []int
}

func (d docker) check(ctx context.Context, svc service, v plan.Variant) Availability {
	e, err := openEngine(ctx)
	if err != nil {
		return noEngine(err)
	}
	defer e.close()
	if err := e.suits(ctx, svc, v); err != nil {
		if v.Image == "" && e.isLocal() {
			if _, absent := findProgram(svc, v); absent != nil { // its advice names a command
				return missingProgram(svc, v, absent)
			}
		}
		return unavailable(err, nil, "")
	}
	return Availability{OK: true, Facts: e.facts()}
}

// suits says why the engine cannot run v.
func (e *engine) suits(ctx context.Context, svc service, v plan.Variant) error {
	if err := e.offers(v.Placement); err != nil {
		return err
	}
	if e.isRemote() && v.Service == plan.MySQL {
		return text.Err("server.docker-remote-mysql", text.Args{"Label": v.Label, "Host": e.address}, nil)
	}
	if v.CPUs != "" && (e.isLocal() || e.isRemote()) {
		if _, err := checkCPUs(v.CPUs, e.cpus(host.CPUs())); err != nil {
			return err
		}
	}
	needs, err := svc.needs(v)
	if err != nil || v.Image != "" {
		return err
	}
	if !e.runsOurs() {
		return text.Err("server.docker-needs-image", text.Args{"Engine": e.name()}, nil)
	}
	program, err := findProgram(svc, v)
	if err != nil {
		return err
	}
	if len(needs) == 0 {
		return nil
	}
	if e.isRemote() {
		return text.Err("server.config-not-on-engine", text.Args{"Label": v.Label, "File": v.ConfigFile, "Needs": strings.Join(needs, ", "), "Host": e.address}, nil)
	}
	return absentFiles(v, notMounted(needs, hostMounts(ctx, program)))
}

// absentFiles says that files which v's configuration needs are not in its container; nil if there are none such.
func absentFiles(v plan.Variant, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	args := text.Args{"Label": v.Label, "File": v.ConfigFile, "Needs": strings.Join(paths, ", "), "Image": v.Image}
	return text.Err("server.config-not-in-container", args, nil)
}

// hasNeeds says what v's configuration needs and its image lacks, as far as the engine tells, once there is a
// container to look into. (What this machine's own program needs, suits has looked for.)
func (e *engine) hasNeeds(ctx context.Context, id string, svc service, v plan.Variant) error {
	if v.Image == "" {
		return nil
	}
	needs, err := svc.needs(v)
	if err != nil {
		return err
	}
	return absentFiles(v, slices.DeleteFunc(needs, func(path string) bool {
		_, err := e.api.ContainerStatPath(ctx, id, path)
		return !errdefs.IsNotFound(err)
	}))
}

// notMounted are those of paths that lie in no mount.
func notMounted(paths []string, mounts []mount.Mount) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return slices.ContainsFunc(mounts, func(m mount.Mount) bool { return under(p, m.Target) }) ||
			// /lib and its like are links into /usr where they are no mounts.
			slices.ContainsFunc(hostLinks, func(l string) bool { return under(p, "/"+l) })
	})
}

// noEngine says what to do about an engine that does not answer.
func noEngine(err error) Availability {
	var e *text.Error
	switch {
	case !errors.As(err, &e):
	case e.ID == "server.docker-denied":
		return unavailable(err, text.Err("server.docker-denied-advice", nil, nil), "sudo usermod -aG docker $USER")
	case e.ID == "server.docker-refused":
		return unavailable(err, text.Err("server.docker-refused-advice", nil, nil), "sudo systemctl start docker")
	case e.ID == "server.docker-none":
		return unavailable(err, text.Err("server.docker-none-advice", nil, nil), "")
	}
	return unavailable(err, nil, "")
}

func (d docker) prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error {
	e, err := l.openEngine(ctx)
	if err != nil {
		return err
	}
	if err := e.suits(ctx, svc, v); err != nil {
		return err
	}
	if v.Image != "" {
		err = e.pullImage(ctx, v.Image, func(done, total int64) {
			if total == 0 {
				say("server.say-pull", text.Args{"Image": v.Image})
				return
			}
			say("server.say-pulled", text.Args{"Image": v.Image, "Done": megabytes(done), "Total": megabytes(total)})
		})
		if err != nil {
			return err
		}
	} else {
		program, err := findProgram(svc, v)
		if err != nil {
			return err
		}
		say("server.say-image", text.Args{"Program": program})
		make := func() error { return e.makeHostImage(ctx, l.hostImage()) }
		if e.isRemote() {
			make = func() error { return e.makeProgramImage(ctx, l.ownImage(e, program), program) }
		}
		if err := make(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return text.Err("server.docker-image", text.Args{"Label": v.Label}, err)
		}
	}
	if name, internal, ok := d.wiring.network(); ok {
		say("server.say-network", text.Args{"Label": v.Label})
		if err := e.makeNetwork(ctx, l.dockerName(name), internal); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return text.Err("server.docker-network", text.Args{"Label": v.Label}, err)
		}
	}
	return nil
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

// openEngine connects to the engine once. The record is told before anything can be made there.
func (l *Launcher) openEngine(ctx context.Context) (*engine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.engine != nil {
		return l.engine, nil
	}
	e, err := openEngine(ctx)
	if err != nil {
		return nil, err
	}
	e.labels = map[string]string{labelRun: l.launch.Run, labelLaunch: l.launch.ID, labelOwner: l.launch.Owner.String()}
	if err := l.record.tell(entry{Docker: true, Engine: e.address}); err != nil {
		e.close()
		return nil, err
	}
	l.engine = e
	return e, nil
}

// closeEngine removes the launch's networks and image.
func (l *Launcher) closeEngine(ctx context.Context) error {
	l.mu.Lock()
	e := l.engine
	l.engine = nil
	l.mu.Unlock()
	if e == nil {
		return nil
	}
	defer e.close()
	if err := e.removeLaunch(ctx, l.launch.ID); err != nil {
		return text.Err("server.docker-left", nil, err)
	}
	return nil
}

// removeLaunch removes what a launch made, and looks again until it finds nothing: an engine
// that was slow to make something may have made it after the first look.
func (e *engine) removeLaunch(ctx context.Context, id string) error {
	for look := 1; ; look++ {
		all, err := e.find(ctx, labelLaunch+"="+id)
		if err != nil || look > 1 && all.isEmpty() {
			return err
		}
		if _, err = e.remove(ctx, all, func(thing) bool { return true }); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settle):
		}
	}
}

func (l *Launcher) dockerName(what string) string { return "berth-" + l.launch.ID + "-" + what }
func (l *Launcher) hostImage() string             { return "berth:" + l.launch.ID }

func (d docker) start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	e, err := l.openEngine(ctx)
	if err != nil {
		return nil, err
	}
	set, err := d.setting(ctx, l, e, svc, v)
	if err != nil {
		return nil, err
	}
	config, hostConfig, err := d.configure(ctx, l, e, svc, set)
	var id string
	if err == nil {
		id, err = e.run(ctx, l.dockerName(filepath.Base(set.folder)), config, hostConfig, func(ctx context.Context, id string) error {
			if err := e.hasNeeds(ctx, id, svc, v); err != nil || !e.isRemote() {
				return err
			}
			return e.deliver(ctx, id, set.folder)
		})
	}
	if err != nil {
		_ = l.removeFolder(set.folder) // the first error says why; the guard knows the folder
		var told *text.Error
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &told):
			return nil, err
		}
		return nil, text.Err("server.docker-start", text.Args{"Label": v.Label}, err)
	}
	s := l.newServer(v, &containerServer{engine: e, id: id}, set.folder, set.secrets)
	s.Facts, s.Flags = set.facts, set.flags()
	s.Commands = d.byHand(ctx, e, svc, set, config, hostConfig)
	state, err := e.api.ContainerInspect(ctx, id)
	var at reached
	seen := false
	if err == nil && state.State.Running {
		seen = e.sees(state)
		at, err = d.wiring.reach(l, state, set.port)
	}
	if err == nil && e.isRemote() && at.address != "" {
		at, err = s.comeHere(ctx, e, at, seen)
	}
	if err != nil {
		// A container that has just ended has no address: its own log says more.
		if within(s.exited, 200*time.Millisecond) {
			err = s.failure
		}
		_ = s.Stop(ctx) // the first error says why
		return nil, err
	}
	s.Endpoint = Endpoint{Network: "tcp", Address: at.address, Password: set.password}
	s.Endpoint.User, s.Endpoint.Schema = svc.account()
	s.ProxyPIDs = at.proxies
	s.Facts["network.path"] = at.path
	if _, ok := d.wiring.(dockerNAT); ok && seen {
		// The engine does not tell the setting; its process does.
		s.Facts["docker.userland_proxy"] = map[bool]string{true: "on", false: "off"}[len(at.proxies) > 0]
	}
	if e.passesUserNetwork() {
		s.Facts["network.path"] = "user-mode network"
		s.Flags = append(s.Flags, result.FlagUserNetwork)
	}
	if e.isRemote() && seen && len(state.Mounts) == 1 { // the volume, which lies on this machine
		if name := host.Filesystem(state.Mounts[0].Source); name != "" {
			s.Facts["data.filesystem"] = name
		}
	}
	if e.isRemote() && (e.ssh != nil || !seen) {
		s.Flags = append(s.Flags, result.FlagNetwork)
	}
	if seen {
		s.PIDs = family(state.State.Pid)
	}
	return s, nil
}

// setting decides what the container's server is told.
func (d docker) setting(ctx context.Context, l *Launcher, e *engine, svc service, v plan.Variant) (setting, error) {
	password := newPassword()
	set := setting{variant: v, seen: inside, password: password, secrets: &secrets{[]string{password}}, facts: e.facts(), mysql: l.options.MySQL, root: rootWithin(e)}
	var err error
	if set.bind, set.port, err = d.wiring.listen(l, svc); err != nil {
		return set, err
	}
	_, _, set.published = d.wiring.network()
	name := v.Image
	if name != "" {
		set.program = imageProgram(e, svc, v)
		set.facts["image.name"] = name
		set.master = l.master(masterKey(v, set.program))
	} else {
		if set.program, err = findProgram(svc, v); err != nil {
			return set, err
		}
		name = l.ownImage(e, set.program)
		set.master = l.master(masterKey(v, set.program))
		for key, value := range l.programFacts(ctx, set.program) {
			set.facts[key] = value
		}
		set.facts["image.name"] = "none: this machine's own program"
	}
	found, prepared := e.images[name]
	if !prepared {
		return set, text.Err("server.docker-image", text.Args{"Label": v.Label}, fmt.Errorf("no image %s", name))
	}
	set.facts["image.id"] = found.ID
	if len(found.RepoDigests) > 0 {
		set.facts["image.digest"] = found.RepoDigests[0]
	}
	if set.folder, err = l.newFolder(); err != nil {
		return set, err
	}
	set.facts["data.filesystem"] = host.Filesystem(set.folder)
	if e.isRemote() {
		set.seen = seenAway
		delete(set.facts, "data.filesystem")
		if name := e.dataFilesystem(); name != "" {
			set.facts["data.filesystem"] = name
		}
	}
	return set, nil
}

// imageProgram is the server program of a registry image: what the image starts by itself, if that is a server.
func imageProgram(e *engine, svc service, v plan.Variant) string {
	if v.Program != "" {
		return v.Program
	}
	if config := e.images[v.Image].Config; config != nil && len(config.Cmd) > 0 && svc.starts(config.Cmd[0]) {
		return config.Cmd[0]
	}
	return filepath.Base(svc.program()) // where it lies in the image is not known
}

// configure writes the container's configuration: the invoking user, no
// capability, this machine's folders read-only, the limits of a native server.
func (d docker) configure(ctx context.Context, l *Launcher, e *engine, svc service, set setting) (*container.Config, *container.HostConfig, error) {
	argv, err := svc.prepare(ctx, set)
	if err != nil {
		return nil, nil, err
	}
	v := set.variant
	config := &container.Config{
		Image: v.Image, Entrypoint: argv[:1], Cmd: argv[1:], WorkingDir: inside,
		Labels: e.labels, User: containerUser(e),
	}
	limits, err := nativeLimits(ctx)
	if err != nil {
		return nil, nil, err
	}
	hc := confined(e, set.folder)
	hc.NetworkMode, hc.Resources.Ulimits = "host", limits
	if v.CPUs != "" {
		cpus, err := checkCPUs(v.CPUs, e.cpus(host.CPUs()))
		if err != nil {
			return nil, nil, err
		}
		hc.Resources.CpusetCpus = host.FormatCPUs(cpus)
		set.facts["server.cpus"] = hc.Resources.CpusetCpus
	}
	if all, err := host.ReadMeter(); v.CPUs == "" && err == nil && !e.isRemote() && !e.isVirtual() && len(host.CPUs()) < all.CPUs() {
		// A native server may run only where Berth may, as under taskset; a container would run anywhere.
		hc.Resources.CpusetCpus = host.FormatCPUs(host.CPUs())
	}
	if v.Image == "" {
		config.Image = l.ownImage(e, set.program)
		hc.ReadonlyRootfs = true
		hc.Tmpfs = map[string]string{"/tmp": ""}
		if !e.isRemote() {
			hc.Mounts = append(hc.Mounts, hostMounts(ctx, set.program)...)
		}
	}
	if name, _, ok := d.wiring.network(); ok {
		hc.NetworkMode = container.NetworkMode(l.dockerName(name))
	}
	port, ok, err := d.wiring.publish(l)
	if err != nil {
		return nil, nil, err
	}
	if ok {
		address := l.host
		if e.ssh != nil {
			address, port = away, 0 // the chosen port is this machine's end of the tunnel
		}
		within := nat.Port(fmt.Sprintf("%d/tcp", set.port))
		config.ExposedPorts = nat.PortSet{within: {}}
		hc.PortBindings = nat.PortMap{within: {{HostIP: address, HostPort: strconv.Itoa(port)}}}
	}
	return config, hc, nil
}

// confined is a container without any capability that has a server's private folder, or a place for a copy.
func confined(e *engine, folder string) *container.HostConfig {
	hc := &container.HostConfig{
		CapDrop:     []string{"ALL"},
		SecurityOpt: []string{"no-new-privileges"},
		LogConfig:   container.LogConfig{Type: "json-file"},
		Mounts:      []mount.Mount{{Type: mount.TypeBind, Source: folder, Target: inside}},
	}
	if e.isRemote() {
		hc.Mounts = []mount.Mount{dataVolume()}
	} else if e.secured("selinux") {
		// Only Berth's own folder is relabelled.
		hc.Mounts, hc.Binds = nil, []string{folder + ":" + inside + ":Z"}
	}
	if e.secured("userns") {
		hc.UsernsMode = "host"
	}
	return hc
}

// rootWithin says whether what runs in a container is root there.
func rootWithin(e *engine) bool {
	user := containerUser(e)
	return user == "" || strings.HasPrefix(user, "0:")
}

// containerUser is the invoking user; a rootless engine maps its root to them, and
// another machine does not know them.
func containerUser(e *engine) string {
	if e.isRemote() {
		return fmt.Sprintf("%d:%d", nobody, nobody)
	}
	if os.Getuid() < 0 || e.secured("rootless") {
		return ""
	}
	return fmt.Sprintf("%d:%d", os.Getuid(), os.Getgid())
}
