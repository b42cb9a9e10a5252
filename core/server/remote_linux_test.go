package server

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
	"github.com/docker/docker/api/types/volume"
	// A server of ssh for the tests, so that none need be installed and started.
	"golang.org/x/crypto/ssh"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
)

// A forward passes a TCP port of loopback on to a socket, as a tunnel to another machine's engine does.
type forward struct {
	address string
	target  string
	l       net.Listener
	all     sync.WaitGroup
}

// openForward makes the engine at a unix socket one over TCP.
func openForward(t *testing.T, socket string) *forward {
	t.Helper()
	f := &forward{target: socket}
	f.open(t, "127.0.0.1:0")
	t.Cleanup(f.close)
	return f
}

func (f *forward) open(t *testing.T, address string) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	f.l, f.address = l, l.Addr().String()
	f.all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", f.target)
			if err != nil {
				c.Close()
				continue
			}
			go join(c, to)
		}
	})
}

func (f *forward) close() { f.l.Close(); f.all.Wait() }

// join passes bytes both ways until both have ended.
func join(a, b io.ReadWriteCloser) {
	var both sync.WaitGroup
	pass := func(to, from io.ReadWriteCloser) {
		io.Copy(to, from)
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			half.CloseWrite()
		} else {
			to.Close()
		}
	}
	both.Go(func() { pass(a, b) })
	both.Go(func() { pass(b, a) })
	both.Wait()
	a.Close()
	b.Close()
}

// engineSocket is that of the engine that the tests use.
func engineSocket(t *testing.T) string {
	t.Helper()
	e := testEngine(t)
	socket, ok := strings.CutPrefix(e.address, "unix://")
	if !ok {
		t.Skipf("the engine at %s is at no socket", e.address)
	}
	return socket
}

// volumes are the names of the engine's volumes.
func volumes(t *testing.T, e *engine) []string {
	t.Helper()
	all, err := e.api.VolumeList(context.Background(), volume.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range all.Volumes {
		names = append(names, v.Name)
	}
	return names
}

// inspect is a running server's container.
func inspect(t *testing.T, s *Server) container.InspectResponse {
	t.Helper()
	c := s.running.(*containerServer)
	state, err := c.engine.api.ContainerInspect(t.Context(), c.id)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// nothingOfOurs fails the test where the container has anything of this machine's in it but copies.
func nothingOfOurs(t *testing.T, s *Server) (volumeName string) {
	t.Helper()
	state := inspect(t, s)
	for _, m := range state.Mounts {
		if m.Type == mount.TypeBind {
			t.Errorf("%s is mounted", m.Source)
		}
		volumeName = m.Name
	}
	if state.Config.User != fmt.Sprintf("%d:%d", nobody, nobody) || len(state.HostConfig.CapDrop) == 0 || !slices.Contains(state.HostConfig.SecurityOpt, "no-new-privileges") {
		t.Errorf("it runs as %s, without %v, with %v", state.Config.User, state.HostConfig.CapDrop, state.HostConfig.SecurityOpt)
	}
	for within, bindings := range state.NetworkSettings.Ports {
		for _, b := range bindings {
			if b.HostIP != "127.0.0.1" {
				t.Errorf("%s is published on %s", within, b.HostIP)
			}
		}
	}
	return volumeName
}

func TestEngineOverTCPGetsCopiesAndServes(t *testing.T) {
	l := newDockerLauncher(t)
	ours := start(t, l, variant(plan.Native)).Facts
	makeRedisImage(t, "berth-test-tcp:"+l.launch.ID)
	direct := testEngine(t)
	t.Setenv("DOCKER_HOST", "tcp://"+openForward(t, engineSocket(t)).address)
	file := filepath.Join(t.TempDir(), "redis.conf")
	if err := os.WriteFile(file, []byte(articlesConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, image := range []string{"", "berth-test-tcp:" + l.launch.ID} {
		v := variant(plan.DockerNAT)
		v.Image, v.ConfigFile, v.Persistence, v.CPUs = image, file, plan.PersistenceSecond, "01"
		s := start(t, l, v)
		name := nothingOfOurs(t, s)
		if s.Facts["redis.build_id"] != ours["redis.build_id"] {
			t.Errorf("it runs build %s, native runs %s", s.Facts["redis.build_id"], ours["redis.build_id"])
		}
		if s.Facts["redis.maxmemory"] != "52428800" || s.Facts["redis.persistence"] != plan.PersistenceSecond {
			t.Errorf("it has not the user's configuration: %v", s.Facts)
		}
		// That it is this very machine, its processes show: its CPU is known, and no network is in the way.
		if len(s.PIDs) == 0 || len(s.ProxyPIDs) != 1 || slices.Contains(s.Flags, result.FlagNetwork) || s.Facts["data.filesystem"] == "" {
			t.Errorf("pids %v, proxies %v, flags %v, facts %v", s.PIDs, s.ProxyPIDs, s.Flags, s.Facts)
		}
		if got := lineOf(procFile(t, s, "status"), "Cpus_allowed_list:"); got != "Cpus_allowed_list: 1" {
			t.Error(got)
		}
		c := control(s.Endpoint)
		if n, err := c.Incr(t.Context(), "counter").Result(); err != nil || n != 1 {
			t.Errorf("it does not serve: %d, %v", n, err)
		}
		c.Close()
		answersNowhereElse(t, s)
		t.Logf("by hand:\n%s", strings.Join(s.Commands, "\n"))
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if name == "" || slices.Contains(volumes(t, direct), name) {
			t.Errorf("the volume %q is left", name)
		}
	}
}

func TestEngineOverTCPIsRefusedWhatItCannotBeGiven(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	t.Setenv("DOCKER_HOST", "tcp://"+openForward(t, engineSocket(t)).address)
	v := variant(plan.DockerNAT)
	v.ConfigFile = filepath.Join(writeFiles(t, map[string]string{"redis.conf": "loadmodule /opt/m.so\n"}), "redis.conf")
	wants(t, Check(t.Context(), v).Err, "server.config-not-on-engine")
	v = variant(plan.DockerNAT)
	v.CPUs = "60000"
	wants(t, Check(t.Context(), v).Err, "server.no-such-cpu")
	v = variant(plan.DockerNAT)
	v.Service = plan.MySQL
	wants(t, Check(t.Context(), v).Err, "server.docker-remote-mysql")
}

// An engine with a network of its own, behind a forward, is another machine's in all that matters here.
func TestEngineThatPublishesElsewhereIsToldAndLeftClean(t *testing.T) {
	need.Dockerd(t)
	need.Redis(t)
	folder, err := os.MkdirTemp("", "berth-away-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(in("daemon.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--net", "sh", "-c", `ip link set lo up; exec dockerd "$@"`, "sh", "--config-file", in("daemon.json"),
		"--data-root", in("data"), "--exec-root", in("exec"), "--pidfile", in("pid"), "-H", "unix://"+in("docker.sock"), "--bridge=none", "--iptables=false",
		"--storage-driver", "vfs", "--containerd-namespace", "berth-away", "--containerd-plugins-namespace", "berth-away-plugins")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
		mounts, _ := filepath.Glob(filepath.Join(folder, "exec", "netns", "*"))
		for _, m := range mounts {
			syscall.Unmount(m, 0)
		}
		eventually(t, 10*time.Second, "the engine's folder is gone", func() bool { return os.RemoveAll(folder) == nil })
	})
	t.Setenv("DOCKER_HOST", "tcp://"+openForward(t, in("docker.sock")).address)
	eventually(t, 20*time.Second, "the engine answers", func() bool {
		e, err := openEngine(t.Context())
		if err == nil {
			e.close()
		}
		return err == nil
	})
	l := newLauncher(t)
	if err := l.Prepare(t.Context(), []plan.Variant{variant(plan.DockerNAT)}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = l.Start(t.Context(), variant(plan.DockerNAT))
	wants(t, err, "server.docker-not-here")
	t.Log(errors.Unwrap(err))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if left := inDocker(t, labelOwner); len(left) > 0 {
		t.Errorf("left in the engine: %v", left)
	}
}

func TestWhatIsLeftAtAnEngineThatIsAwayIsRemovedWhenItIsBack(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	need.Docker(t)
	direct := testEngine(t)
	f := openForward(t, engineSocket(t))
	t.Setenv("DOCKER_HOST", "tcp://"+f.address)
	work := t.TempDir()
	berth, _, told := startBerth(t, work, variant(plan.DockerNAT))
	syscall.Kill(told.Guard, syscall.SIGKILL)
	syscall.Kill(berth.Process.Pid, syscall.SIGKILL)
	berth.Wait()
	// The user works with another engine by now: the record knows where the containers are.
	t.Setenv("DOCKER_HOST", direct.address)
	f.close()
	began := time.Now()
	_, err := clean(t.Context(), work, nil)
	wants(t, err, "server.docker-left-away")
	t.Logf("after %v: %v", time.Since(began).Round(time.Millisecond), err)
	if isEmpty(work) {
		t.Fatal("the record of what is left is gone")
	}
	f.open(t, f.address)
	removed, err := clean(t.Context(), work, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left := inDocker(t, labelLaunch+"="+told.Launch); len(left) > 0 || !isEmpty(work) {
		t.Errorf("cleaned %v; left %v", removed, left)
	}
}

// sshServer is an ssh server on loopback that lets one key in, runs commands and forwards ports. The user's ssh, for
// the length of the test, is one that knows it and nothing else.
func sshServer(t *testing.T) (address string) {
	t.Helper()
	need.SSH(t)
	folder := t.TempDir()
	key := func(name string) ssh.Signer {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKey(private, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		shown, err := ssh.NewPublicKey(public)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".pub"), ssh.MarshalAuthorizedKey(shown), 0o600); err != nil {
			t.Fatal(err)
		}
		signer, err := ssh.NewSignerFromKey(private)
		if err != nil {
			t.Fatal(err)
		}
		return signer
	}
	host, user := key("host"), key("user")
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, offered ssh.PublicKey) (*ssh.Permissions, error) {
		if string(offered.Marshal()) != string(user.PublicKey().Marshal()) {
			return nil, fmt.Errorf("another's key")
		}
		return &ssh.Permissions{}, nil
	}}
	config.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(func() { l.Close(); serving.Wait() })
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveSSH(c, config)
		}
	})
	name, port, _ := net.SplitHostPort(l.Addr().String())
	write := func(file, body string, mode os.FileMode) string {
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, []byte(body), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	known := write("known_hosts", fmt.Sprintf("[%s]:%s %s", name, port, ssh.MarshalAuthorizedKey(host.PublicKey())), 0o600)
	conf := write("config", fmt.Sprintf("Host *\nIdentityFile %s\nIdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile %s\nGlobalKnownHostsFile none\n",
		filepath.Join(folder, "user"), known), 0o600)
	real, err := exec.LookPath("ssh")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(folder, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", real, conf), 0o700)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return l.Addr().String()
}

func serveSSH(c net.Conn, config *ssh.ServerConfig) {
	defer c.Close()
	conn, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	defer conn.Close()
	go func() {
		for r := range requests {
			if r.WantReply {
				r.Reply(strings.HasPrefix(r.Type, "keepalive"), nil)
			}
		}
	}()
	for asked := range channels {
		switch asked.ChannelType() {
		case "direct-tcpip": // RFC 4254, 7.2
			var to struct {
				Host   string
				Port   uint32
				Origin string
				From   uint32
			}
			ssh.Unmarshal(asked.ExtraData(), &to)
			there, err := net.Dial("tcp", net.JoinHostPort(to.Host, fmt.Sprint(to.Port)))
			if err != nil {
				asked.Reject(ssh.ConnectionFailed, err.Error())
				continue
			}
			if here, requests, err := asked.Accept(); err == nil {
				go ssh.DiscardRequests(requests)
				go join(here, there)
			}
		case "session":
			if session, requests, err := asked.Accept(); err == nil {
				go runSSH(session, requests)
			}
		default:
			asked.Reject(ssh.UnknownChannelType, "")
		}
	}
}

// runSSH runs the command that a session asks for, on this machine's own engine.
func runSSH(session ssh.Channel, requests <-chan *ssh.Request) {
	defer session.Close()
	for r := range requests {
		if r.Type != "exec" {
			r.Reply(r.Type == "env", nil)
			continue
		}
		var command struct{ Line string }
		ssh.Unmarshal(r.Payload, &command)
		r.Reply(true, nil)
		cmd := exec.Command("/bin/sh", "-c", command.Line)
		cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "DOCKER_") })
		cmd.Stdout, cmd.Stderr = session, session.Stderr()
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			fmt.Fprintln(session.Stderr(), err)
			return
		}
		go func() { io.Copy(in, session); in.Close() }()
		cmd.Wait()
		session.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(cmd.ProcessState.ExitCode())}))
		return
	}
}

// tunnels are the ssh processes that lead to address, whoever started them.
func tunnels(address string) (pids []int, arguments string) {
	_, port, _ := net.SplitHostPort(address)
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		raw, _ := os.ReadFile(f)
		line := strings.ReplaceAll(string(raw), "\x00", " ")
		var pid int
		if _, err := fmt.Sscanf(f, "/proc/%d/", &pid); err == nil && strings.Contains(line, "ssh ") && strings.Contains(line, "-p "+port+" ") && !gone(pid) {
			pids, arguments = append(pids, pid), arguments+line+"\n"
		}
	}
	return pids, arguments
}

func TestEngineOverSSHServesThroughATunnelAndIsMarked(t *testing.T) {
	l := newDockerLauncher(t)
	direct := testEngine(t)
	address := sshServer(t)
	t.Setenv("DOCKER_HOST", "ssh://somebody@"+address)
	a := Check(t.Context(), variant(plan.DockerNAT))
	if told := fmt.Sprint(Cautions(a.Facts)); !a.OK || !strings.Contains(told, "over ssh") {
		t.Fatalf("%+v, %s", a, told)
	}
	s := start(t, l, variant(plan.DockerNAT))
	name := nothingOfOurs(t, s)
	if !slices.Contains(s.Flags, result.FlagNetwork) || s.Facts["network.path"] != "ssh tunnel" || s.Facts["redis.version"] == "" {
		t.Errorf("flags %v, facts %v", s.Flags, s.Facts)
	}
	if host, _, _ := net.SplitHostPort(s.Endpoint.Address); host != "127.0.0.1" {
		t.Errorf("it is reached at %s", s.Endpoint.Address)
	}
	answersNowhereElse(t, s)
	if _, arguments := tunnels(address); arguments == "" || strings.Contains(arguments, s.Endpoint.Password) {
		t.Errorf("its processes: %s", arguments)
	}
	c := control(s.Endpoint)
	defer c.Close()
	if n, err := c.Incr(t.Context(), "counter").Result(); err != nil || n != 1 {
		t.Errorf("it does not serve: %d, %v", n, err)
	}
	t.Logf("ready in %v, by hand:\n%s", s.Ready, strings.Join(s.Commands, "\n"))
	if s.Failure() != nil {
		t.Error(s.Failure())
	}
	s.tunnel.process.kill()
	eventually(t, 2*time.Second, "its end is told", func() bool { return s.Failure() != nil })
	wants(t, s.Failure(), "server.tunnel-gone")
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if name == "" || slices.Contains(volumes(t, direct), name) {
		t.Errorf("the volume %q is left", name)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "no ssh is left", func() bool { pids, _ := tunnels(address); return len(pids) == 0 })
}

func TestKilledBerthLeavesNothingAtAnEngineOverSSH(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	need.Docker(t)
	direct := testEngine(t)
	address := sshServer(t)
	work := t.TempDir()
	before := volumes(t, direct)
	t.Setenv("DOCKER_HOST", "ssh://somebody@"+address)
	berth, _, told := startBerth(t, work, variant(plan.DockerNAT))
	syscall.Kill(-berth.Process.Pid, syscall.SIGKILL)
	berth.Wait()
	t.Setenv("DOCKER_HOST", direct.address)
	eventually(t, 5*time.Second, "container, network, image, volume, ssh, guard and folder are gone", func() bool {
		pids, _ := tunnels(address)
		return len(pids) == 0 && gone(append(told.PIDs, told.Guard)...) && isEmpty(work) && len(inDocker(t, labelLaunch+"="+told.Launch)) == 0
	})
	for _, name := range volumes(t, direct) {
		if !slices.Contains(before, name) {
			t.Errorf("the volume %s is left", name)
		}
	}
}
