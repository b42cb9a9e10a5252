package run

import (
	"time"

	"berth/core/agent"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
)

// Below these a sample is too short to stand on.
const (
	shortestSample = 100 * time.Millisecond
	fewestRequests = 1000
)

// Above these, in percent of one core, something else disturbed a sample.
const (
	muchSteal      = 2.0
	muchOtherWork  = 25.0
	percentPerCore = 100.0
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
	m := &result.Sample{
		Round: round, Variant: v.Label, Service: v.Service, Placement: v.Placement, Workload: w,
		Requests: r.Requests, Errors: r.Errors, Misses: r.Misses, Elapsed: r.Elapsed, Latency: r.Latency,
		ClientCPU: percent(r.CPU.Client, r.Elapsed), ServerCPU: percent(r.CPU.Server, r.Elapsed), ProxyCPU: percent(r.CPU.Proxy, r.Elapsed),
		MachineCPU: r.CPU.Machine, Steal: r.CPU.Steal, AgentThreads: r.Threads, Engine: r.Engine, State: r.State, FirstErrors: r.FirstErrors,
	}
	for i := range r.CPU.Threads {
		if p := percent(&r.CPU.Threads[i], r.Elapsed); p != nil && (m.BusiestThread == nil || *p > *m.BusiestThread) {
			m.BusiestThread = p
		}
	}
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
		{result.FlagTooShort, r.Elapsed < shortestSample || r.Requests < fewestRequests},
		{result.FlagSteal, r.CPU.Steal != nil && *r.CPU.Steal > muchSteal},
		{result.FlagBusy, otherWork(m) > muchOtherWork},
		{result.FlagOther, s.beside},
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

// percent is CPU time over wall time in percent of one core; nil where the CPU is not known.
func percent(cpu *time.Duration, over time.Duration) *float64 {
	if cpu == nil || over <= 0 {
		return nil
	}
	p := percentPerCore * cpu.Seconds() / over.Seconds()
	return &p
}
