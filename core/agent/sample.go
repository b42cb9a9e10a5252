package agent

import (
	"time"

	"berth/core/redisload"
	"berth/core/result"
)

// Sample is what r knows of a sample: what was measured and the CPU that it took. What was
// measured where, and what limited it, is for those to say who know.
func (r *Result) Sample() *result.Sample {
	s := &result.Sample{
		Requests: r.Requests, Transactions: r.Transactions, Errors: r.Errors, Misses: r.Misses, Elapsed: r.Elapsed, Latency: r.Latency,
		ClientCPU: percent(r.CPU.Client, r.Elapsed), ServerCPU: percent(r.CPU.Server, r.Elapsed), ProxyCPU: percent(r.CPU.Proxy, r.Elapsed),
		MachineCPU: r.CPU.Machine, Steal: r.CPU.Steal, AgentThreads: r.Threads, Engine: r.Engine, State: r.State, FirstErrors: r.FirstErrors,
	}
	for i := range r.CPU.Threads {
		if p := percent(&r.CPU.Threads[i], r.Elapsed); p != nil && (s.BusiestThread == nil || *p > *s.BusiestThread) {
			s.BusiestThread = p
		}
	}
	return s
}

// percent is CPU time over wall time in percent of one core; nil where the CPU is not known.
func percent(cpu *time.Duration, over time.Duration) *float64 {
	if cpu == nil || over <= 0 {
		return nil
	}
	p := 100 * cpu.Seconds() / over.Seconds()
	return &p
}

// Measured is r as redisload measured it, before it was made fit for a line of JSON.
func (r *Result) Measured() (redisload.Result, error) {
	m := redisload.Result{
		Requests: r.Requests, Errors: r.Errors, Misses: r.Misses, Short: r.Short, FirstShort: r.FirstShort, Reconnects: r.Reconnects, Outage: r.Outage, Elapsed: r.Elapsed,
		FirstErrors: r.FirstErrors, Engine: r.Engine, Threads: r.Threads, ThreadCPU: r.CPU.Threads, State: r.State, Unsettled: r.Unsettled, Cut: r.Cut,
	}
	var err error
	if m.Latency, err = result.DecodeHistogram(r.Latency); err != nil || r.Service == "" {
		return m, err
	}
	m.Service, err = result.DecodeHistogram(r.Service)
	return m, err
}
