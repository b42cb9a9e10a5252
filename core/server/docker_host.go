package server

import (
	"net"
	"strconv"

	"github.com/docker/docker/api/types/container"
)

// dockerHost is on this machine's own network, as --net=host does, and listens on loopback.
type dockerHost struct{}

func (dockerHost) network() (name string, internal, ok bool) { return "", false, false }

func (dockerHost) listen(l *Launcher, svc service) (bind string, port int, err error) {
	port, err = l.port()
	return l.host, port, err
}

func (dockerHost) publish(l *Launcher) (port int, ok bool, err error) { return 0, false, nil }

func (dockerHost) reach(l *Launcher, c container.InspectResponse, port int) (reached, error) {
	return reached{address: net.JoinHostPort(l.host, strconv.Itoa(port)), path: "host"}, nil
}
