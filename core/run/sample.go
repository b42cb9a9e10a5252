package run

import (
	"context"
	"slices"
	"time"

	"berth/core/agent"
	"berth/core/host"
	"berth/core/oltp"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
	"berth/core/text"
)

// Above these, in percent of one core, something else disturbed a sample.
const (
	muchSteal     = 2.0
	muchOtherWork = 25.0
)

// job is what an agent is told to measure w on srv.
func (s *session) job(round int, srv *server.Server, w plan.Workload) agent.Job {
	job := agent.Job{CPUs: s.agent.CPUs, Watch: agent.Watch{Server: srv.PIDs, Proxy: srv.ProxyPIDs}}
	// The same keys and rows on every variant, others in each round.
	seed := s.plan.Seed + uint64(round)
	if srv.Variant.Service == plan.MySQL {
		job.OLTP = s.transactions(srv.Endpoint, w, seed)
	} else {
		job.Redis = s.requests(srv.Endpoint, w, seed)
	}
	return job
}

func (s *session) requests(e server.Endpoint, w plan.Workload, seed uint64) *redisload.Job {
	target := redisload.Target{Network: e.Network, Address: e.Address, User: e.User, Password: e.Password, Database: e.Database}
	if e.TLS {
		target.TLS = &redisload.TLS{}
	}
	return &redisload.Job{
		Target: target, Suite: s.plan.Load(w.Load).Suite, Test: w.Test,
		PayloadBytes: w.PayloadBytes, Pipeline: w.Pipeline, Clients: w.Clients, Threads: s.agent.Threads,
		Keyspace: w.Keyspace, Rate: float64(w.Rate), Prefix: s.prefix, Seed: seed,
		Requests: w.Requests, Duration: w.Duration, WarmUp: w.WarmUp,
		Prepare: true, Cleanup: true,
	}
}

func (s *session) transactions(e server.Endpoint, w plan.Workload, seed uint64) *oltp.Job {
	job := oltp.DefaultJob()
	job.Target = oltp.Target{Network: e.Network, Address: e.Address, User: e.User, Password: e.Password, Database: e.Schema}
	if e.TLS {
		job.Target.TLS = &oltp.TLS{}
	}
	job.Script, job.Threads = w.Test, w.Clients
	job.Schema.Tables, job.Schema.TableSize = s.plan.Tables()
	job.Draw.Type, job.Draw.Seed = s.plan.OLTP(w.Load).Draw, seed
	job.Duration, job.WarmUp, job.UntilFlat = w.Duration, w.WarmUp, true
	job.Interval = time.Duration(s.plan.OLTP(w.Load).ReportSeconds) * time.Second
	return &job
}

// fill makes the tables that every MySQL server starts with, on one that will
// be their master.
func (s *session) fill(ctx context.Context, v plan.Variant, e server.Endpoint) error {
	return s.makeTables(ctx, s.tables(v, e))
}

// lend makes the same tables on an existing server that has none. Tables that are there,
// as many and as large as the plan says, are used and stay.
func (s *session) lend(ctx context.Context, v plan.Variant, e server.Endpoint, mark string) error {
	for _, w := range s.plan.Workloads(v) {
		if err := oltp.CheckRoom(ctx, *s.transactions(e, w, s.plan.Seed)); err != nil {
			return err
		}
	}
	job := s.tables(v, e)
	job.Schema.Mark = mark
	absent, err := oltp.Absent(ctx, *job)
	if err != nil || !absent {
		return err
	}
	return s.makeTables(ctx, job)
}

// tables is what makes the tables of v's workloads.
func (s *session) tables(v plan.Variant, e server.Endpoint) *oltp.Job {
	job := s.transactions(e, s.plan.Workloads(v)[0], s.plan.Seed)
	job.Threads = min(job.Schema.Tables, fillThreads)
	return job
}

func (s *session) makeTables(ctx context.Context, job *oltp.Job) error {
	var told time.Time
	_, err := agent.Run(ctx, agent.Job{Tables: job}, func(e agent.Event) {
		if e.Rows == nil || time.Since(told) < time.Second {
			return
		}
		told = time.Now()
		s.phase(result.PhaseEvent{Phase: result.PhasePreparing, Text: text.For(s.options.Lang).T("run.rows", text.Args{"Made": e.Rows.Made, "Total": e.Rows.Total})})
	})
	return err
}

// mysql is how the run's MySQL servers are furnished.
func (s *session) mysql() server.MySQLOptions {
	tables, rows := s.plan.Tables()
	o := server.MySQLOptions{
		Fill: s.fill, Lend: s.lend, BufferPoolBytes: s.bufferPool(),
		DataBytes: oltp.Schema{Tables: tables, TableSize: rows}.DataBytes(),
	}
	for _, w := range s.plan.Workloads(plan.Variant{Service: plan.MySQL}) {
		o.Connections = max(o.Connections, w.Clients)
	}
	return o
}

// bufferPool is what every MySQL server of the run gets; 0 is the launcher's own choice.
func (s *session) bufferPool() int64 {
	free, err := host.FreeMemory()
	if err != nil {
		return 0
	}
	tables, rows := s.plan.Tables()
	return oltp.Schema{Tables: tables, TableSize: rows}.BufferPool(free)
}

// fillThreads make tables at once.
const fillThreads = 4

// measured makes a sample of what an agent measured.
func (s *session) measured(round int, srv *server.Server, w plan.Workload, r *agent.Result) *result.Sample {
	v := srv.Variant
	m := r.Sample()
	m.Round, m.Variant, m.Service, m.Placement, m.Workload = round, v.Label, v.Service, v.Placement, w
	if r.Cut == "" {
		m.Bottleneck = result.Bottleneck(*m, s.cpus)
	}
	m.Flags = append([]string(nil), srv.Flags...)
	for _, f := range []struct {
		flag string
		set  bool
	}{
		{result.FlagCPUsShared, s.shares(v)},
		{result.FlagClientBound, m.Bottleneck == result.BottleneckClient},
		{result.FlagErrors, r.Errors > 0},
		{result.FlagMisses, r.Misses > 0},
		{result.FlagReconnects, r.Reconnects > 0},
		{result.FlagCut, r.Cut != ""},
		{result.FlagUnsettled, r.Unsettled},
		{result.FlagTooShort, m.TooShort()},
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

// shares says whether v's server, or docker-proxy before it, may have run on
// the agent's cores.
func (s *session) shares(v plan.Variant) bool {
	if !slices.Contains(s.agent.Flags, result.FlagCPUsShared) {
		return false
	}
	cpus, err := host.ParseCPUs(v.CPUs)
	if v.CPUs == "" || err != nil || v.Placement == plan.DockerNAT {
		return true
	}
	return slices.ContainsFunc(cpus, func(cpu int) bool {
		return slices.Contains(s.agent.CPUs, cpu) ||
			slices.ContainsFunc(host.Siblings(cpu), func(sibling int) bool { return slices.Contains(s.agent.CPUs, sibling) })
	})
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
