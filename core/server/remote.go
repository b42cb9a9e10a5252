package server

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	// connhelper is how the docker command itself speaks to an engine over ssh.
	"github.com/docker/cli/cli/connhelper"
	"github.com/docker/cli/cli/connhelper/ssh"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/client"

	"berth/core/plan"
	"berth/core/text"
)

// An engine that is reached over a network has none of this machine's files: they are copied to it, never
// mounted. What it publishes it publishes on its own loopback, as every engine does here, which leaves two
// ways to a server: an engine over TCP must be on this machine, and from one over ssh the port is brought
// here by the same ssh. A port open to a network is no way.

// sshOptions of every ssh: it asks nobody anything, and does not hang.
var sshOptions = []string{"-o", "BatchMode=yes", "-o", "ConnectTimeout=4", "-o", "ServerAliveInterval=5"}

// forwardOptions are those of an ssh that brings a port here: it ends where it cannot, and the port goes with it
// and not with a connection of the user's own that it might share.
var forwardOptions = []string{"-N", "-T", "-o", "ExitOnForwardFailure=yes", "-o", "ControlPath=none"}

// sshCheckTime is the most that Check takes for an engine over ssh.
const sshCheckTime = 8 * time.Second

func overSSH(address string) bool { return strings.HasPrefix(address, "ssh://") }

// isRemoteAddress reports whether an engine's address leads over a network.
func isRemoteAddress(address string) bool {
	scheme, _, ok := strings.Cut(address, "://")
	return ok && scheme != "unix" && scheme != "npipe" && scheme != "fd"
}

// reachable says why servers of the engine at a remote address could not be reached, before it is spoken to.
func reachable(address string) error {
	u, err := client.ParseHostURL(address)
	if err != nil {
		return text.Err("server.docker-host", text.Args{"Host": address}, err)
	}
	if !isLocal(Endpoint{Network: "tcp", Address: u.Host}) {
		return text.Err("server.docker-remote-tcp", text.Args{"Host": address}, nil)
	}
	return nil
}

// A line is how an engine behind ssh is spoken to: an ssh process for each connection.
type line struct {
	spec *ssh.Spec
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	open []net.Conn
	shut bool
}

// dialSSH makes a client that speaks to the engine behind ssh. It connects when it is asked something.
func dialSSH(address string) (*client.Client, *line, error) {
	args := text.Args{"Host": address}
	spec, err := ssh.ParseURL(address)
	if err != nil {
		return nil, nil, text.Err("server.docker-host", args, err)
	}
	helper, err := connhelper.GetConnectionHelperWithSSHOpts(address, sshOptions)
	if err != nil {
		return nil, nil, text.Err("server.docker-host", args, err)
	}
	l := &line{spec: spec, dial: helper.Dialer}
	api, err := client.NewClientWithOpts(client.WithHTTPClient(&http.Client{Transport: &http.Transport{}}), client.WithHost(helper.Host),
		client.WithDialContext(l.connect), client.WithAPIVersionNegotiation())
	if err != nil {
		return nil, nil, text.Err("server.docker-failed", args, err)
	}
	return api, l, nil
}

func (l *line) connect(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := l.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	l.open = append(l.open, conn)
	return conn, nil
}

// close ends every ssh process. The client by itself would leave those whose connections came about too late for
// the request that they were made for: they lie idle for ever.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = true
	var all sync.WaitGroup
	for _, conn := range l.open {
		all.Go(func() { conn.Close() })
	}
	all.Wait()
}

// sshCause is what ssh itself said, of an error that names all its arguments too.
func sshCause(err error) error {
	if _, said, ok := strings.Cut(err.Error(), "stderr="); ok && strings.TrimSpace(said) != "" {
		return errors.New(text.Line(said, replyLength))
	}
	return err
}

// machineNames are the names that kernels have for the processors that Go names otherwise.
var machineNames = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686"}

// runsOurs reports whether a container of the engine can run this machine's own programs.
func (e *engine) runsOurs() bool {
	if runtime.GOOS != "linux" || e.isVirtual() {
		return false
	}
	return e.isLocal() || e.info.OSType == "linux" && e.info.Architecture == cmp.Or(machineNames[runtime.GOARCH], runtime.GOARCH)
}

// cpus are those that containers of the engine may be bound to.
func (e *engine) cpus(ours []int) []int {
	if !e.isRemote() {
		return ours
	}
	theirs := make([]int, e.info.NCPU)
	for i := range theirs {
		theirs[i] = i
	}
	return theirs
}

// sees reports whether a running container is a process of this very machine: its control
// group here bears the container's id.
func (e *engine) sees(c container.InspectResponse) bool {
	if e.isLocal() {
		return true
	}
	groups, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", c.State.Pid))
	return err == nil && c.State.Pid > 0 && strings.Contains(string(groups), c.ID)
}

// dataFilesystem is that of an engine's volumes, as far as it tells.
func (e *engine) dataFilesystem() string {
	for _, status := range e.info.DriverStatus {
		if status[0] == "Backing Filesystem" {
			return strings.Replace(status[1], "extfs", "ext4", 1)
		}
	}
	return ""
}

// nobody runs what is copied to another machine, where the invoking user's number is somebody else's.
const nobody = 65534

// seenAway is the server's folder in a container that it was copied to; the volume around it is the engine's.
const seenAway = inside + "/server"

// dataVolume is a place of the engine's own for a server's folder, on a real filesystem; it goes with its container.
func dataVolume() mount.Mount { return mount.Mount{Type: mount.TypeVolume, Target: inside} }

// deliver copies a server's folder into a container that was created and does not run yet.
func (e *engine) deliver(ctx context.Context, id, folder string) error {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(inside, seenAway)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Join(within, below))
		if d.IsDir() {
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o700, Uid: nobody, Gid: nobody})
		}
		return addFile(w, name, path, tar.Header{Mode: 0o600, Uid: nobody, Gid: nobody})
	})
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return e.api.CopyToContainer(ctx, id, inside, &archive, container.CopyToContainerOptions{})
}

// addFile adds what a path leads to, through links, as a plain file with h's mode and owner.
func addFile(w *tar.Writer, name, path string, h tar.Header) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	h.Typeflag, h.Name, h.Size = tar.TypeReg, name, int64(len(raw))
	if err := w.WriteHeader(&h); err != nil {
		return err
	}
	_, err = w.Write(raw)
	return err
}

// programFiles are a program of this machine and the libraries that it is linked with, each after the folders
// above it: what an archive only implies, some engines let nobody but root enter.
func programFiles(ctx context.Context, program string) (paths []string) {
	have := map[string]bool{"/": true}
	var add func(path string)
	add = func(path string) {
		if !have[path] {
			have[path] = true
			add(filepath.Dir(path))
			paths = append(paths, path)
		}
	}
	for _, path := range append([]string{program}, linkedLibraries(ctx, program)...) {
		add(filepath.Clean(path))
	}
	return paths
}

// makeProgramImage makes an image of a program of this machine and its libraries, for an engine that cannot mount them.
func (e *engine) makeProgramImage(ctx context.Context, name, program string) error {
	if _, made := e.images[name]; made {
		return nil
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := addFolders(w); err != nil {
		return err
	}
	for _, path := range programFiles(ctx, program) {
		name := strings.TrimPrefix(path, "/")
		info, err := os.Stat(path)
		switch {
		case err != nil || slices.Contains(imageFolders, name):
		case info.IsDir():
			err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
		default:
			err = addFile(w, name, path, tar.Header{Mode: 0o755})
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return e.importImage(ctx, name, &archive)
}

// ownImage is the name of the image with which containers of e run a program of this machine.
func (l *Launcher) ownImage(e *engine, program string) string {
	if !e.isRemote() {
		return l.hostImage()
	}
	return fmt.Sprintf("%s-%x", l.hostImage(), sha256.Sum256([]byte(program)))[:len(l.hostImage())+9]
}

// obedient reads until ctx is done: what an engine has not been sent whole, it does not make.
type obedient struct {
	io.Reader
	ctx context.Context
}

func (o obedient) Read(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.Reader.Read(p)
}

// answersHere says that what an engine over TCP has published is not published on this machine: the engine's
// address is itself a forward to elsewhere.
func answersHere(ctx context.Context, e *engine, address string) error {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(asking, "tcp", address)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return text.Err("server.docker-not-here", text.Args{"Host": e.address, "Address": address}, err)
	}
	return conn.Close()
}

// comeHere makes what a remote engine has published at answer on this machine, and says where.
func (s *Server) comeHere(ctx context.Context, e *engine, at reached, seen bool) (reached, error) {
	if !seen {
		// A docker-proxy here that has the same port is another's.
		at.proxies, at.path = nil, "another machine's published port"
	}
	if e.ssh == nil {
		return at, answersHere(ctx, e, at.address)
	}
	_, port, err := net.SplitHostPort(at.address)
	if err != nil {
		return at, err
	}
	s.tunnel, at.address, err = s.launcher.openTunnel(e, s.folder, port)
	at.path = "ssh tunnel"
	return at, err
}

// A tunnel is an ssh that brings a port of an engine's loopback to this machine's.
type tunnel struct {
	process *process
	ended   chan struct{}
	how     error // it ended, once it has
}

// openTunnel starts one for the port that a container of e is published on. It returns before it leads there.
func (l *Launcher) openTunnel(e *engine, folder, port string) (*tunnel, string, error) {
	own, err := l.port()
	if err != nil {
		return nil, "", err
	}
	address := net.JoinHostPort(l.host, strconv.Itoa(own))
	argv := append([]string{"ssh"}, append(forwardOptions, sshOptions...)...)
	argv = append(argv, "-L", address+":"+net.JoinHostPort(away, port))
	argv = append(argv, e.ssh.spec.Args()...)
	p, err := spawn(l, argv, folder)
	if err != nil {
		return nil, "", text.Err("server.docker-ssh", text.Args{"Host": e.address}, err)
	}
	t := &tunnel{process: p, ended: make(chan struct{})}
	go func() {
		defer close(t.ended)
		t.how, _ = p.wait()
	}()
	return t, address, nil
}

// away is the address that ports are published on where it is not this machine's.
const away = "127.0.0.1"

// gone says that the tunnel has ended, with what ssh said.
func (t *tunnel) gone(v plan.Variant) error {
	select {
	case <-t.ended:
		return text.Err("server.tunnel-gone", text.Args{"Label": v.Label, "Log": lastLines(t.process.log())}, t.how)
	default:
		return nil
	}
}

func (t *tunnel) close(ctx context.Context) error {
	err := t.process.terminate()
	if !within(t.ended, graceCancelled) {
		err = t.process.kill()
	}
	if !within(t.ended, grace) {
		return err
	}
	return t.process.remove(ctx)
}
