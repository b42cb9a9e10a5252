package server

import (
	"errors"
	"net"
	"strconv"
	"syscall"

	"berth/core/text"
)

// loopback is the IP address that o.Host names; an error if it is not one of this machine's own loopback.
func loopback(name string) (string, error) {
	switch name {
	case "", "localhost":
		return "127.0.0.1", nil
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return ip.String(), nil
	}
	return "", text.Err("server.not-loopback", text.Args{"Host": name}, nil)
}

// freePort is a port of host that nothing listens on now.
func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// CheckPort says in a sentence why no server can listen on port of host: it is out of range, not allowed, or
// taken, and by whom where that can be known. Port 0, "a free one", is always good.
func CheckPort(host string, port int) error {
	address, err := loopback(host)
	if err != nil || port == 0 {
		return err
	}
	args := text.Args{"Port": port, "Host": address}
	if port < 0 || port > 65535 {
		return text.Err("server.port-range", args, nil)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	switch {
	case err == nil:
		return l.Close()
	case errors.Is(err, syscall.EACCES):
		return text.Err("server.port-denied", args, err)
	case !isAddressInUse(err):
		return text.Err("server.port-unusable", args, err)
	}
	if pid, name := listener(nil, port); pid > 0 {
		args["PID"], args["Name"] = pid, name
		return text.Err("server.port-taken-by", args, err)
	}
	return text.Err("server.port-taken", args, err)
}
