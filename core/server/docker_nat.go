package server

import (
	"fmt"
	"net"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/go-connections/nat"
)

// dockerNAT publishes the container's port on loopback, as -p does: with Docker's
// userland proxy on, bytes go through a docker-proxy process; without it, through a NAT rule.
type dockerNAT struct{}

func (dockerNAT) network() (name string, internal, ok bool) { return "nat", false, true }

func (dockerNAT) listen(l *Launcher, svc service) (bind string, port int, err error) {
	return "0.0.0.0", svc.port(), nil
}

func (dockerNAT) publish(l *Launcher) (port int, ok bool, err error) {
	if l.options.Port == 0 {
		return 0, true, nil
	}
	return l.options.Port, true, CheckPort(l.host, l.options.Port)
}

func (dockerNAT) reach(l *Launcher, c container.InspectResponse, port int) (reached, error) {
	bindings := c.NetworkSettings.Ports[nat.Port(fmt.Sprintf("%d/tcp", port))]
	if len(bindings) == 0 {
		return reached{}, fmt.Errorf("container %s has no published port", c.Name)
	}
	at := reached{address: net.JoinHostPort(l.host, bindings[0].HostPort), path: "nat-rule"}
	if at.proxies = dockerProxies(nil, bindings[0].HostPort); len(at.proxies) > 0 {
		at.path = "docker-proxy"
	}
	return at, nil
}
