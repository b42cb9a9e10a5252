package server

import (
	"bytes"
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/pkg/stdcopy"

	"berth/core/host"
)

// somaxconnFile bounds the queue of connections not yet accepted. Each network
// namespace has its own, and tells it to those within only.
const somaxconnFile = "/proc/sys/net/core/somaxconn"

func ownSomaxconn() string {
	raw, _ := os.ReadFile(somaxconnFile)
	return strings.TrimSpace(string(raw))
}

// asSeenBy are the limits, confinement and control groups of a server's process, under "server.…".
func asSeenBy(pid int, somaxconn string) host.Facts {
	f := host.Facts{}
	for key, value := range host.ProcessFacts(pid) {
		f["server."+strings.Replace(key, ".", "_", 1)] = value
	}
	if somaxconn != "" {
		f["server.somaxconn"] = somaxconn
	}
	return f
}

// surroundingsTime is how long a container may be asked for what it sees.
const surroundingsTime = time.Second

func (c *containerServer) facts(ctx context.Context) host.Facts {
	ctx, cancel := context.WithTimeout(ctx, surroundingsTime)
	defer cancel()
	state, err := c.engine.api.ContainerInspect(ctx, c.id)
	if err != nil || state.State == nil || !state.State.Running || !c.engine.sees(state) {
		return nil
	}
	somaxconn, mtu := ownSomaxconn(), ""
	for _, n := range state.NetworkSettings.Networks {
		if n.NetworkID != "" && !state.HostConfig.NetworkMode.IsHost() {
			somaxconn, mtu = numberOrNothing(c.within(ctx, "cat", somaxconnFile)), bridgeMTU(n.NetworkID)
		}
	}
	f := asSeenBy(state.State.Pid, somaxconn)
	if mtu != "" {
		f["network.mtu"] = mtu
	}
	return f
}

// within is what a command prints in the container; "" where it has no such program.
func (c *containerServer) within(ctx context.Context, argv ...string) string {
	made, err := c.engine.api.ContainerExecCreate(ctx, c.id, container.ExecOptions{Cmd: argv, AttachStdout: true, AttachStderr: true})
	if err != nil {
		return ""
	}
	io, err := c.engine.api.ContainerExecAttach(ctx, made.ID, container.ExecAttachOptions{})
	if err != nil {
		return ""
	}
	defer io.Close()
	if deadline, ok := ctx.Deadline(); ok {
		io.Conn.SetDeadline(deadline)
	}
	var out, ignored bytes.Buffer
	if _, err := stdcopy.StdCopy(&out, &ignored, io.Reader); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// numberOrNothing keeps a number; an engine prints why a command could not be run where its output would be.
func numberOrNothing(s string) string {
	if _, err := strconv.Atoi(s); err != nil {
		return ""
	}
	return s
}

// bridgeMTU is that of the bridge that Docker makes for a network, named by the first 12
// digits of the network's id; "" where it bears another name.
func bridgeMTU(networkID string) string {
	bridge, err := net.InterfaceByName("br-" + networkID[:min(12, len(networkID))])
	if err != nil {
		return ""
	}
	return strconv.Itoa(bridge.MTU)
}
