package server

import (
	"os"
	"strconv"
	"strings"

	"berth/core/plan"
	"berth/core/text"
)

// firstOpenPort is the lowest port that a process without capabilities may listen on: 1024 where the system does not say.
func firstOpenPort() int {
	raw, err := os.ReadFile("/proc/sys/net/ipv4/ip_unprivileged_port_start")
	if n, bad := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil && bad == nil {
		return n
	}
	return 1024
}

// CheckContainerPort says in a sentence that one of variants is a container on the host's network, which has no
// capability, and so cannot listen on port.
func CheckContainerPort(port int, variants []plan.Variant) error {
	least := firstOpenPort()
	if port == 0 || port >= least {
		return nil
	}
	for _, v := range variants {
		if v.Placement == plan.DockerHost {
			return text.Err("server.container-port", text.Args{"Port": port, "Label": v.Label, "Least": least}, nil)
		}
	}
	return nil
}
