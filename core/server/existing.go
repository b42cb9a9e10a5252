package server

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strconv"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// existing is a server that somebody else runs: it is reached, never started,
// stopped or configured.
type existing struct{}

// endpointOf is the address that an existing variant names.
func endpointOf(svc service, v plan.Variant) (Endpoint, error) {
	e := Endpoint{Network: "tcp", User: v.User, Password: v.Password, Database: v.Database, TLS: v.TLS}
	if user, schema := svc.account(); schema != "" {
		e.User, e.Schema = cmp.Or(v.User, user), cmp.Or(v.Schema, schema)
	}
	if v.Socket != "" {
		e.Network, e.Address = "unix", v.Socket
		return e, nil
	}
	name, port := v.Host, v.Port
	if name == "" {
		name = "127.0.0.1"
	}
	if port == 0 {
		port = svc.port()
	}
	if port < 0 || port > 65535 {
		return e, text.Err("server.port-range", text.Args{"Port": port, "Host": name}, nil)
	}
	e.Address = net.JoinHostPort(name, strconv.Itoa(port))
	return e, nil
}

func (existing) check(ctx context.Context, svc service, v plan.Variant) Availability {
	_, facts, err := reach(ctx, svc, v)
	if err != nil {
		return unavailable(err, nil, "")
	}
	return Availability{OK: true, Facts: facts}
}

func (existing) prepare(ctx context.Context, l *Launcher, svc service, v plan.Variant, say sayer) error {
	_, _, err := reach(ctx, svc, v)
	return err
}

func (existing) start(ctx context.Context, l *Launcher, svc service, v plan.Variant) (*Server, error) {
	began := time.Now()
	e, facts, err := reach(ctx, svc, v)
	if err != nil {
		return nil, err
	}
	if v.Service == plan.Redis && len(l.options.Keys) > 0 {
		// Of a server that takes no keys nothing is owed, ever.
		if err := takesKeys(ctx, e); err != nil {
			return nil, err
		}
		if err := l.record.tell(entry{Borrowed: borrow(e, l.options.Keys)}); err != nil {
			return nil, err
		}
	}
	s := l.newServer(v, nil, "", nil)
	s.Endpoint, s.Facts, s.Ready = e, facts, time.Since(began)
	switch pid, name := listenerOf(e); {
	case name == dockerProxy:
		s.ProxyPIDs = []int{pid}
	case pid > 0:
		s.PIDs = []int{pid}
	}
	s.Flags = append([]string{result.FlagNotFresh}, poolFlags(facts)...)
	if facts["existing.not_local"] == "yes" {
		s.Flags = append(s.Flags, result.FlagNetwork)
	}
	return s, nil
}

// TestConnection reaches an existing server, and says what it is or why not. Its
// facts "existing.…" are what a user should know before loading somebody's
// server: it holds data, evicts, is a replica or a cluster, is not on this machine.
func TestConnection(ctx context.Context, e Endpoint) (host.Facts, error) {
	return connect(ctx, redisService{}, e)
}

// TestMySQLConnection is TestConnection for a MySQL server.
func TestMySQLConnection(ctx context.Context, e Endpoint) (host.Facts, error) {
	return connect(ctx, mysqlService{}, e)
}

func connect(ctx context.Context, svc service, e Endpoint) (host.Facts, error) {
	if err := svc.ask(ctx, e); err != nil {
		return nil, err
	}
	facts, err := svc.describe(ctx, e)
	if err != nil {
		return nil, err
	}
	yes := func(key string, is bool) {
		if is {
			facts["existing."+key] = "yes"
		}
	}
	yes("replica", facts["redis.role"] == "slave" || facts["redis.role"] == "replica")
	yes("holds_data", facts["redis.keys"] != "" && facts["redis.keys"] != "0")
	yes("cluster", facts["redis.mode"] == "cluster")
	yes("evicts", facts["redis.maxmemory"] != "" && facts["redis.maxmemory"] != "0" && facts["redis.maxmemory_policy"] != "noeviction")
	facts["existing.address"] = e.Address
	local := isLocal(e)
	yes("not_local", !local)
	facts["network.path"] = "network"
	switch {
	case e.Network == "unix":
		facts["network.path"] = "unix socket"
	case local:
		facts["network.path"] = "loopback"
		if _, name := listenerOf(e); name == dockerProxy {
			facts["network.path"] = dockerProxy
		}
	}
	return facts, nil
}

// dockerProxy is the process that stands before a published port.
const dockerProxy = "docker-proxy"

// listenerOf is the process of this machine that takes e's connections, and its name; 0 where there is none
// that can be known.
func listenerOf(e Endpoint) (pid int, name string) {
	name, service, err := net.SplitHostPort(e.Address)
	if e.Network == "unix" || err != nil || !isLocal(e) {
		return 0, ""
	}
	port, err := strconv.Atoi(service)
	if err != nil {
		return 0, ""
	}
	ips, _ := net.LookupIP(name)
	for _, ip := range ips {
		if pid, name := listener(ip, port); pid > 0 {
			return pid, name
		}
	}
	return 0, ""
}

// BoundCPUs are the CPUs that the existing server v is bound to, where it is a process of this machine that
// may not run on all of those that Berth may; else nil.
func BoundCPUs(v plan.Variant) []int {
	svc, _, err := pieces(v)
	if err != nil || v.Placement != plan.Existing {
		return nil
	}
	e, err := endpointOf(svc, v)
	if err != nil {
		return nil
	}
	pid, name := listenerOf(e)
	if pid == 0 || name == dockerProxy {
		return nil
	}
	cpus := host.CPUsOf(pid)
	for _, cpu := range host.CPUs() {
		if !slices.Contains(cpus, cpu) {
			return cpus
		}
	}
	return nil
}

// isLocal reports whether e is an address of this machine.
func isLocal(e Endpoint) bool {
	if e.Network == "unix" {
		return true
	}
	name, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		return false
	}
	ips, err := net.LookupIP(name)
	if err != nil {
		return false
	}
	own, _ := net.InterfaceAddrs()
	for _, ip := range ips {
		if ip.IsLoopback() {
			return true
		}
		for _, a := range own {
			if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
				return true
			}
		}
	}
	return false
}

// Cautions are what a user should know before a server is loaded that is somebody's own, or that
// only an engine's own network leads to: a sentence each, from the facts of Check or TestConnection.
func Cautions(f host.Facts) []error {
	var all []error
	args := text.Args{"Address": f["existing.address"], "Keys": f["redis.keys"], "Policy": f["redis.maxmemory_policy"], "Engine": f["docker.engine"]}
	for _, c := range []struct {
		fact    string
		caution *text.Error
	}{
		{"existing.replica", text.Err("server.existing-replica", args, nil)},
		{"existing.holds_data", text.Err("server.existing-holds-data", args, nil)},
		{"existing.evicts", text.Err("server.existing-evicts", args, nil)},
		{"existing.cluster", text.Err("server.existing-cluster", args, nil)},
		{"existing.not_local", text.Err("server.existing-not-local", args, nil)},
		{"existing.no_password", text.Err("server.existing-no-password", args, nil)},
		{"docker.user_network", text.Err("server.docker-user-network", args, nil)},
		{"docker.over_ssh", text.Err("server.docker-over-ssh", args, nil)},
	} {
		if f[c.fact] == "yes" {
			all = append(all, c.caution)
		}
	}
	return all
}
