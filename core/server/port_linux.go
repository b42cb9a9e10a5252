package server

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func isAddressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// listener is the process that listens on a TCP port of ip, or of any address where ip is nil, and its
// name; 0 where /proc does not tell (another user's process).
func listener(ip net.IP, port int) (pid int, name string) {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			// sl local_address rem_address st … inode: local is HEXIP:HEXPORT, st 0A is LISTEN.
			f := strings.Fields(line)
			if len(f) <= 9 || f[3] != "0A" {
				continue
			}
			address, at, _ := strings.Cut(f[1], ":")
			if at == fmt.Sprintf("%04X", port) && listensOn(address, ip) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	if len(sockets) == 0 {
		return 0, ""
	}
	// Its open files are root's secret, its arguments are not.
	if proxies := dockerProxies(ip, strconv.Itoa(port)); len(proxies) > 0 {
		return proxies[0], "docker-proxy"
	}
	descriptors, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, d := range descriptors {
		if target, err := os.Readlink(d); err != nil || !sockets[target] {
			continue
		}
		dir := filepath.Dir(filepath.Dir(d))
		pid, _ = strconv.Atoi(filepath.Base(dir))
		comm, _ := os.ReadFile(dir + "/comm")
		return pid, strings.TrimSpace(string(comm))
	}
	return 0, ""
}

// listensOn says whether an address of /proc/net/tcp, in words of 32 bits whose bytes are in reverse order,
// is ip or all addresses.
func listensOn(address string, ip net.IP) bool {
	raw, err := hex.DecodeString(address)
	if err != nil || len(raw)%4 != 0 {
		return false
	}
	if ip == nil {
		return true
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	at := net.IP(raw)
	return at.IsUnspecified() || at.Equal(ip)
}
