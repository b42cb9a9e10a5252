package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// byHand are the commands that start the same container, with a network and an image of the user's own making.
func (d docker) byHand(svc service, set setting, config *container.Config, hc *container.HostConfig) []string {
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
	for within, bindings := range hc.PortBindings {
		run = append(run, "-p", fmt.Sprintf("%s:%s:%s", bindings[0].HostIP, strings.TrimPrefix(bindings[0].HostPort, "0"), within.Port()))
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
	if set.variant.ConfigFile != "" {
		if own, err := readUserConfig(set.variant.ConfigFile); err == nil {
			for _, file := range own.files {
				if file, err := filepath.Abs(file); err == nil {
					run = append(run, "-v", file+":"+file+":ro")
				}
			}
		}
	}
	rest := append([]string{"--workdir", "/data", "--entrypoint", set.program, image}, svc.byHand(set)[1:]...)
	return append(commands, shellLine(run)+` -v "$PWD/data":/data `+shellLine(rest))
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
