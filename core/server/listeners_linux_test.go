package server

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/core/plan"
)

// listening are the addresses at which a process accepts TCP connections, as ss -ltn would show them in its network.
func listening(t *testing.T, pid int) (addresses []string) {
	t.Helper()
	sockets := map[string]bool{}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		target, _ := os.Readlink(f)
		sockets[target] = true
	}
	for _, table := range []string{"tcp", "tcp6"} {
		raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		for line := range strings.Lines(string(raw)) {
			// sl local_address rem_address st … inode; st 0A is LISTEN, an address is of words in this machine's order.
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" || !sockets["socket:["+f[9]+"]"] {
				continue
			}
			digits, hexPort, _ := strings.Cut(f[1], ":")
			ip := make(net.IP, len(digits)/2)
			for i := range ip {
				b, err := strconv.ParseUint(digits[2*i:2*i+2], 16, 8)
				if err != nil {
					t.Fatal(err)
				}
				ip[i/4*4+3-i%4] = byte(b)
			}
			port, err := strconv.ParseUint(hexPort, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			addresses = append(addresses, net.JoinHostPort(ip.String(), fmt.Sprint(port)))
		}
	}
	return addresses
}

// networkOf is the network namespace of a process.
func networkOf(t *testing.T, pid string) string {
	t.Helper()
	name, err := os.Readlink("/proc/" + pid + "/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestWhatListensDuringEachPlacement(t *testing.T) {
	l := newDockerLauncher(t)
	ours := networkOf(t, "self")
	for _, placement := range append([]string{plan.Native, plan.Pinned, plan.StandIn}, dockerPlacements...) {
		t.Run(placement, func(t *testing.T) {
			s := start(t, l, variant(placement))
			found := 0
			for _, pid := range slices.Concat(s.PIDs, s.ProxyPIDs) {
				name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
				for _, address := range listening(t, pid) {
					found++
					where := "of this machine"
					if networkOf(t, strconv.Itoa(pid)) != ours {
						where = "of the container's own network"
					} else if host, _, _ := net.SplitHostPort(address); !net.ParseIP(host).IsLoopback() {
						t.Errorf("%s listens at %s %s", name, address, where)
					}
					t.Logf("%-13s %-12s LISTEN %s %s", placement, strings.TrimSpace(string(name)), address, where)
				}
			}
			if found == 0 {
				t.Error("nothing listens")
			}
			answersNowhereElse(t, s)
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
