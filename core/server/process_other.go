//go:build !linux

package server

import (
	"context"
	"net"

	"github.com/docker/docker/api/types/container"
)

// dockerProxies are in the engine's virtual machine, not here.
func dockerProxies(ip net.IP, port string) []int { return nil }

func family(pid int) []int { return []int{pid} }

// nativeLimits are not given: no native server runs under the limits of the engine's machine.
func nativeLimits(ctx context.Context) ([]*container.Ulimit, error) { return nil, nil }

// kernelRelease is no engine's: containers need Linux, and run in a virtual machine here.
func kernelRelease() string { return "" }
