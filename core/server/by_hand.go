package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// byHand are the commands that start the same container, with a network and an image of the user's own making.
func (d docker) byHand(ctx context.Context, e *engine, svc service, set setting, config *container.Config, hc *container.HostConfig) []string {
	if e.isRemote() {
		return d.byHandAway(ctx, e, svc, set, hc)
	}
	var commands []string
	run := []string{"docker", "run", "--rm", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"}
	if config.User != "" {
		run = append(run, "--user", config.User)
	}
	if name, internal, ok := d.wiring.network(); ok {
		create := []string{"docker", "network", "create"}
		if internal {
			create = append(create, "--internal")
		}
		commands = append(commands, shellLine(append(create, "berth-"+name)))
		run = append(run, "--network", "berth-"+name)
	} else {
		run = append(run, "--network", "host")
	}
	var ports []string
	for within, bindings := range hc.PortBindings {
		ports = append(ports, "-p", fmt.Sprintf("%s:%s:%s", bindings[0].HostIP, strings.TrimPrefix(bindings[0].HostPort, "0"), within.Port()))
	}
	for _, u := range hc.Ulimits {
		run = append(run, "--ulimit", fmt.Sprintf("%s=%d:%d", u.Name, u.Soft, u.Hard))
	}
	if hc.CpusetCpus != "" {
		run = append(run, "--cpuset-cpus", hc.CpusetCpus)
	}
	image := config.Image
	if set.variant.Image == "" {
		image = "berth-host"
		var links []string
		for _, name := range hostLinks {
			if target, err := os.Readlink("/" + name); err == nil {
				links = append(links, "ln -sfn "+shellLine([]string{target, "root/" + name}))
			}
		}
		commands = append(commands, strings.Join(append([]string{"mkdir -p data root/usr root/etc root/tmp root/data"}, links...), " && ")+
			" && tar -C root -c . | docker import - "+image)
		run = append(run, "--read-only", "--tmpfs", "/tmp")
	} else {
		commands = append(commands, "mkdir -p data")
	}
	for _, m := range hc.Mounts {
		if m.ReadOnly {
			run = append(run, "-v", m.Source+":"+m.Target+":ro")
		}
	}
	if first := copyConfig(set, "data/"); first != "" {
		commands = append(commands, first)
	} else {
		for _, file := range configFiles(set) {
			run = append(run, "-v", file+":"+file+":ro")
		}
	}
	within := func(run, argv []string) string {
		rest := append([]string{"--workdir", "/data", "--entrypoint", argv[0], image}, argv[1:]...)
		return shellLine(run) + ` -v "$PWD/data":/data ` + shellLine(rest)
	}
	if first := svc.beforehand(set); first != nil {
		commands = append(commands, within(run, first))
	}
	return append(commands, within(append(run, ports...), append([]string{set.program}, svc.byHand(set)[1:]...)))
}

// byHandAway are the commands for an engine over a network, whose machine has none of this one's files. Commands go to the
// engine that the reader's own docker command speaks to; HOST stands for its machine.
func (d docker) byHandAway(ctx context.Context, e *engine, svc service, set setting, hc *container.HostConfig) []string {
	const name, network = "berth-by-hand", "berth-nat"
	commands := []string{"docker network create " + network}
	create := []string{"docker", "create", "--name", name, "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", network}
	const port = "6379"
	create = append(create, "-p", away+":"+port+":"+strconv.Itoa(set.port))
	for _, u := range hc.Ulimits {
		create = append(create, "--ulimit", fmt.Sprintf("%s=%d:%d", u.Name, u.Soft, u.Hard))
	}
	if hc.CpusetCpus != "" {
		create = append(create, "--cpuset-cpus", hc.CpusetCpus)
	}
	image := set.variant.Image
	if image == "" {
		image = "berth-host"
		tar := []string{"tar", "-C", "/", "-ch", "--no-recursion"}
		for _, file := range programFiles(ctx, set.program) {
			tar = append(tar, strings.TrimPrefix(file, "/"))
		}
		commands = append(commands, shellLine(tar)+" | docker import - "+image)
	}
	create = append(create, "-v", "/data", "--workdir", "/data", "--entrypoint", set.program, image)
	commands = append(commands, shellLine(append(create, svc.byHand(set)[1:]...)))
	if first := copyConfig(set, ""); first != "" {
		commands = append(commands, first, shellLine([]string{"docker", "cp", configCopy, name + ":/data/" + configCopy}))
	} else {
		for _, file := range configFiles(set) {
			commands = append(commands, shellLine([]string{"docker", "cp", file, name + ":" + file}))
		}
	}
	commands = append(commands, "docker start "+name)
	if e.ssh != nil {
		commands = append(commands, fmt.Sprintf("ssh -N -L %s:%s:%s:%s HOST", away, port, away, port))
	}
	return commands
}

// configFiles are the whole paths of the user's own file and of those that it includes.
func configFiles(set setting) []string {
	if set.variant.ConfigFile == "" {
		return nil
	}
	own, err := readUserConfig(set.variant.ConfigFile)
	if err != nil {
		return nil
	}
	var files []string
	for _, file := range own.files {
		if file, err := filepath.Abs(file); err == nil {
			files = append(files, file)
		}
	}
	return files
}

// shellLine writes a command so that a shell reads it back as the same words.
func shellLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") == "" {
			words[i] = word
			continue
		}
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}
