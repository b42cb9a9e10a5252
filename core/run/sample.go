package run

import (
	"berth/core/agent"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
)

// Above these, in percent of one core, something else disturbed a sample.
const (
	muchSteal     = 2.0
	muchOtherWork = 25.0
)

// job is what an agent is told to measure w on srv.
func (s *session) job(round int, srv *server.Server, w plan.Workload) agent.Job {
	target := redisload.Target{
		Network: srv.Endpoint.Network, Address: srv.Endpoint.Address,
		User: srv.Endpoint.User, Password: srv.Endpoint.Password, Database: srv.Endpoint.Database,
	}
	if srv.Endpoint.TLS {
		target.TLS = &redisload.TLS{}
	}
	return agent.Job{
		CPUs:  s.agent.CPUs,
		Watch: agent.Watch{Server: srv.PIDs, Proxy: srv.ProxyPIDs},
		Redis: &redisload.Job{
			Target: target, Suite: s.plan.Load.Suite, Test: w.Test,
			PayloadBytes: w.PayloadBytes, Pipeline: w.Pipeline, Clients: w.Clients, Threads: s.agent.Threads,
			Keyspace: w.Keyspace, Prefix: s.prefix,
			// The same keys on every variant, others in each round.
			Seed:     s.plan.Seed + uint64(round),
			Requests: w.Requests, Duration: w.Duration, WarmUp: w.WarmUp,
			Prepare: true, Cleanup: true,
		},
	}
}

// measured makes a sample of what an agent measured.
func (s *session) measured(round int, srv *server.Server, w plan.Workload, r *agent.Result) *result.Sample {
	v := srv.Variant
	m := r.Sample()
	m.Round, m.Variant, m.Service, m.Placement, m.Workload = round, v.Label, v.Service, v.Placement, w
	m.Bottleneck = result.Bottleneck(*m, s.cpus)
	m.Flags = append(append([]string(nil), s.agent.Flags...), srv.Flags...)
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{result.FlagClientBound, m.Bottleneck == result.BottleneckClient},
		{result.FlagErrors, r.Errors > 0},
		{result.FlagMisses, r.Misses > 0},
		{result.FlagReconnects, r.Reconnects > 0},
		{result.FlagCut, r.Cut != ""},
		{result.FlagTooShort, m.TooShort()},
		{result.FlagSteal, r.CPU.Steal != nil && *r.CPU.Steal > muchSteal},
		{result.FlagBusy, otherWork(m) > muchOtherWork},
	} {
		if f.set {
			m.Flags = append(m.Flags, f.flag)
		}
	}
	return m
}

// otherWork is the CPU that neither client, server nor docker-proxy used, in
// percent of one core; 0 where that cannot be told.
func otherWork(m *result.Sample) float64 {
	if m.MachineCPU == nil || m.ClientCPU == nil || m.ServerCPU == nil {
		return 0
	}
	other := *m.MachineCPU - *m.ClientCPU - *m.ServerCPU
	if m.ProxyCPU != nil {
		other -= *m.ProxyCPU
	}
	return other
}
