package server

import (
	"fmt"
	"net"
	"strconv"

	"github.com/docker/docker/api/types/container"
)

// dockerDirect is reached at the container's own address, with no published port, on
// a network that leads nowhere but to this machine.
type dockerDirect struct{}

func (dockerDirect) network() (name string, internal, ok bool) { return "direct", true, true }

func (dockerDirect) listen(l *Launcher, svc service) (bind string, port int, err error) {
	return "0.0.0.0", svc.port(), nil
}

func (dockerDirect) publish(l *Launcher) (port int, ok bool, err error) { return 0, false, nil }

func (dockerDirect) reach(l *Launcher, c container.InspectResponse, port int) (reached, error) {
	for _, n := range c.NetworkSettings.Networks {
		if n.IPAddress != "" {
			return reached{address: net.JoinHostPort(n.IPAddress, strconv.Itoa(port)), path: "bridge"}, nil
		}
	}
	return reached{}, fmt.Errorf("container %s has no address", c.Name)
}
