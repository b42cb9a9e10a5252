//go:build !linux

package server

import (
	"errors"
	"net"
	"syscall"
)

// isAddressInUse knows Windows' own number for it, which is not the portable one.
func isAddressInUse(err error) bool {
	const wsaEADDRINUSE = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaEADDRINUSE)
}

// listener is not known: there is no /proc.
func listener(ip net.IP, port int) (pid int, name string) { return 0, "" }
