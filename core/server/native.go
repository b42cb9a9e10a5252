package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// native is a plain process that listens on loopback.
type native struct{}

func (native) check(ctx context.Context, svc service, v plan.Variant) Availability {
	path, err := findProgram(svc, v)
	if err != nil {
		return missingProgram(svc, v, err)
	}
	if _, err := svc.needs(v); err != nil {
		return unavailable(err, nil, "")
	}
	return Availability{OK: true, Facts: programFacts(ctx, path)}
}

func (native) prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error {
	if _, err := findProgram(svc, v); err != nil {
		return err
	}
	_, err := svc.needs(v)
	return err
}

func (native) start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	return startProcess(ctx, l, svc, v)
}

// pinned is native, its CPUs chosen through taskset, as its users would do it.
type pinned struct{}

func (pinned) check(ctx context.Context, svc service, v plan.Variant) Availability {
	if runtime.GOOS != "linux" {
		return unavailable(text.Err("server.pinned-needs-linux", nil, nil), nil, "")
	}
	if _, err := exec.LookPath("taskset"); err != nil {
		return unavailable(text.Err("server.no-taskset", nil, err), text.Err("server.install-package", text.Args{"Package": "util-linux"}, nil),
			installCommand(map[string]string{"apt-get": "util-linux", "dnf": "util-linux", "pacman": "util-linux", "zypper": "util-linux"}))
	}
	// Before a run no CPU need be chosen yet: the run chooses it.
	if v.CPUs != "" {
		if _, err := checkCPUs(v.CPUs, host.CPUs()); err != nil {
			return unavailable(err, nil, "")
		}
	}
	a := native{}.check(ctx, svc, v)
	if a.OK {
		a.Facts["host.cpus_online"] = host.FormatCPUs(host.CPUs())
	}
	return a
}

func (pinned) prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error {
	if v.CPUs == "" {
		return text.Err("server.pinned-needs-cpus", text.Args{"Label": v.Label, "Online": host.FormatCPUs(host.CPUs())}, nil)
	}
	return pinned{}.check(ctx, svc, v).Err
}

func (pinned) start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	return startProcess(ctx, l, svc, v)
}

// taskset is what stands before the command of a process bound to list; nothing if list is empty.
func taskset(v plan.Variant) (prefix []string, cpus string, err error) {
	if v.CPUs == "" {
		if v.Placement == plan.Pinned {
			return nil, "", text.Err("server.pinned-needs-cpus", text.Args{"Label": v.Label, "Online": host.FormatCPUs(host.CPUs())}, nil)
		}
		return nil, "", nil
	}
	if runtime.GOOS != "linux" {
		return nil, "", text.Err("server.pinned-needs-linux", nil, nil)
	}
	numbers, err := checkCPUs(v.CPUs, host.CPUs())
	if err != nil {
		return nil, "", err
	}
	program, err := exec.LookPath("taskset")
	if err != nil {
		return nil, "", text.Err("server.no-taskset", nil, err)
	}
	cpus = host.FormatCPUs(numbers)
	return []string{program, "-c", cpus}, cpus, nil
}

// startProcess starts v's program as a process of this machine.
func startProcess(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	prefix, cpus, err := taskset(v)
	if err != nil {
		return nil, err
	}
	program, err := findProgram(svc, v)
	if err != nil {
		return nil, err
	}
	port, err := l.port()
	if err != nil {
		return nil, err
	}
	folder, err := l.newFolder()
	if err != nil {
		return nil, err
	}
	password := newPassword()
	set := setting{variant: v, program: program, folder: folder, seen: folder, bind: l.host, port: port,
		password: password, secrets: &secrets{[]string{password}}, facts: l.programFacts(ctx, program), master: l.master(masterKey(v, program)), mysql: l.options.MySQL, root: os.Geteuid() == 0}
	command, err := svc.prepare(ctx, set)
	if err != nil {
		_ = l.removeFolder(folder) // the first error says why; the guard knows the folder
		return nil, err
	}
	p, err := spawn(l, append(prefix, command...), folder)
	if err != nil {
		_ = l.removeFolder(folder) // the first error says why; the guard knows the folder
		return nil, text.Err("server.not-started", text.Args{"Label": v.Label, "Program": program}, err)
	}
	set.facts["network.path"] = "loopback"
	set.facts["data.filesystem"] = host.Filesystem(folder)
	if cpus != "" {
		set.facts["server.cpus"] = cpus
	}
	s := l.newServer(v, p, folder, set.secrets)
	s.Endpoint = endpointOn(svc, l.host, port, set.password)
	s.PIDs = []int{p.id.PID}
	s.Facts, s.Flags = set.facts, set.flags()
	if prefix != nil {
		prefix[0] = "taskset"
	}
	if first := copyConfig(set, ""); first != "" {
		s.Commands = append(s.Commands, first)
	}
	if first := svc.beforehand(set); first != nil {
		s.Commands = append(s.Commands, shellLine(first))
	}
	s.Commands = append(s.Commands, shellLine(append(prefix, svc.byHand(set)...)))
	return s, nil
}

// endpointOn is how a server of Berth's own is reached.
func endpointOn(svc service, address string, port int, password string) Endpoint {
	e := Endpoint{Network: "tcp", Address: net.JoinHostPort(address, strconv.Itoa(port)), Password: password}
	e.User, e.Schema = svc.account()
	return e
}

// findProgram is the path of v's server program on this machine.
func findProgram(svc service, v plan.Variant) (string, error) {
	name := v.Program
	if name == "" {
		name = svc.program()
	}
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	args := text.Args{"Program": name}
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, syscall.EISDIR):
		return "", text.Err("server.program-is-folder", args, err)
	case errors.Is(err, os.ErrPermission):
		return "", text.Err("server.program-not-executable", args, err)
	}
	return "", text.Err("server.no-program", args, err)
}

// programFacts are what a program says of itself when asked for its version.
func programFacts(ctx context.Context, path string) host.Facts {
	f := host.Facts{"program.path": path}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		f["program.real_path"] = real
	}
	if out, err := exec.CommandContext(ctx, path, "--version").Output(); err == nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		f["program.version"] = first
	}
	return f
}

// programFacts are those of a program with the digest of its file, looked up once as long as the file stays the same.
func (l *Launcher) programFacts(ctx context.Context, path string) host.Facts {
	info, err := os.Stat(path)
	if err != nil {
		return programFacts(ctx, path)
	}
	key := fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.programs[key] == nil {
		f := programFacts(ctx, path)
		if digest, err := sha256Of(path); err == nil {
			f["program.sha256"] = digest
		}
		if ctx.Err() != nil {
			return f
		}
		l.programs[key] = f
	}
	return maps.Clone(l.programs[key])
}

func sha256Of(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}
