package server

import (
	"net"
	"slices"
	"strconv"
	"testing"

	"berth/core/need"
	"berth/core/plan"
)

// existingAt is s as a variant that somebody else runs.
func existingAt(t *testing.T, s *Server) plan.Variant {
	t.Helper()
	name, port, err := net.SplitHostPort(s.Endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	v := variant(plan.Existing)
	v.Host, v.Password = name, s.Endpoint.Password
	v.Port, _ = strconv.Atoi(port)
	return v
}

func TestAnExistingProcessIsMeasuredAndItsCPUsAreKept(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	l := newLauncher(t)
	bound, free := start(t, l, variant(plan.Pinned)), start(t, l, variant(plan.Native))
	for s, cpus := range map[*Server][]int{bound: {0}, free: nil} {
		v := existingAt(t, s)
		if got := BoundCPUs(v); !slices.Equal(got, cpus) {
			t.Errorf("%s is bound to %v, want %v", s.Variant.Label, got, cpus)
		}
		e := start(t, l, v)
		if !slices.Equal(e.PIDs, s.PIDs) || e.Facts["network.path"] != "loopback" {
			t.Errorf("%s: processes %v, want %v; the path is %s", s.Variant.Label, e.PIDs, s.PIDs, e.Facts["network.path"])
		}
	}
}

func TestAnExistingServerBehindDockerProxyIsKnown(t *testing.T) {
	need.Redis(t)
	need.Docker(t)
	l := newLauncher(t)
	s := start(t, l, variant(plan.DockerNAT))
	e := start(t, l, existingAt(t, s))
	if !slices.Equal(e.ProxyPIDs, s.ProxyPIDs) || len(e.PIDs) > 0 || e.Facts["network.path"] != s.Facts["network.path"] {
		t.Errorf("proxies %v, want %v; processes %v; the path is %q, want %q", e.ProxyPIDs, s.ProxyPIDs, e.PIDs, e.Facts["network.path"], s.Facts["network.path"])
	}
	if cpus := BoundCPUs(existingAt(t, s)); cpus != nil {
		t.Errorf("docker-proxy's CPUs %v are taken for the server's", cpus)
	}
}

func TestAnAddressOfProcIsRead(t *testing.T) {
	for _, c := range []struct {
		address, ip string
		is          bool
	}{
		{"0100007F", "127.0.0.1", true}, {"0100007F", "127.0.0.2", false}, {"00000000", "10.1.2.3", true},
		{"00000000000000000000000001000000", "::1", true}, {"0000000000000000FFFF00000100007F", "127.0.0.1", true},
		{"00000000000000000000000000000000", "127.0.0.1", true}, {"rubbish", "127.0.0.1", false},
	} {
		if got := listensOn(c.address, net.ParseIP(c.ip)); got != c.is {
			t.Errorf("%s is %s: %v", c.address, c.ip, got)
		}
	}
}
