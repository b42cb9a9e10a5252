package result

// What counts as being at a limit. A thread that works all the time is seen at a
// few percent less than its core, since waking up is charged to nobody.
const (
	atLimit     = 90 // percent of the core that an event loop or a server's main thread can have
	machineFull = 95 // percent of all cores
)

// keptRate is the share of a rate that was asked for at which nothing but the pace held a sample back.
const keptRate = 0.98

// Bottleneck says what limited s on a machine of so many CPUs (0: unknown): one of
// the Bottleneck constants, or "" where too little is known to say, or where the
// sample kept a rate that was asked for, which is then the limit. The first
// of these that holds is the answer:
//
//  1. machine, if all CPUs are busy and what is neither agent, server nor docker-proxy
//     used more of them than each of the three.
//  2. docker-proxy, if all CPUs are busy and it used most of them. It has as many threads
//     as there are connections, so its limit is the machine, and what it takes there
//     client and server lack: on two cores this comes before 3 and 4.
//  3. client, if the agent's busiest event loop is at the limit of its core, and no further
//     from it than the server is. So is an agent whose threads together are at the
//     limit of as many cores.
//  4. server, if it is at the limit of one core: Redis carries commands out on one thread.
//  5. docker-proxy, if it used a core or more, and more than client and server each.
//  6. machine, if all CPUs are busy but none of the three is at a limit of its own.
//  7. latency: everything waited, for the network or because too little was in flight.
//
// Of a sample that is too short nothing is said: starting and ending are in its CPU.
//
// What the hypervisor stole was nobody's to use: it lowers the limit of a core, and counts as busy.
func Bottleneck(s Sample, cpus int) string {
	if s.Elapsed < shortestSample {
		return ""
	}
	if rate := float64(s.Workload.Rate); rate > 0 && s.RPS() >= keptRate*rate {
		return ""
	}
	limit := float64(atLimit)
	if s.Steal != nil && cpus > 0 {
		limit *= 1 - *s.Steal/float64(100*cpus)
	}
	full := s.MachineCPU != nil && cpus > 0 && *s.MachineCPU >= machineFull*float64(cpus)
	client, server, proxy := busiestThread(s), orNothing(s.ServerCPU), orNothing(s.ProxyCPU)
	all := orNothing(s.ClientCPU)
	proxyMost := proxy > max(all, server)
	other := orNothing(s.MachineCPU) - all - server - proxy
	switch {
	case full && s.ClientCPU != nil && s.ServerCPU != nil && other > max(all, server, proxy):
		return BottleneckMachine
	case full && proxyMost:
		return BottleneckProxy
	case client >= limit && client >= server:
		return BottleneckClient
	case server >= limit:
		return BottleneckServer
	case proxyMost && proxy >= limit:
		return BottleneckProxy
	case full:
		return BottleneckMachine
	case s.ClientCPU == nil || s.ServerCPU == nil:
		return ""
	}
	return BottleneckLatency
}

// busiestThread is the use of the agent's busiest event loop. Where loops are not
// told apart it is their mean, which is also a lower bound where they are.
func busiestThread(s Sample) float64 {
	mean := orNothing(s.ClientCPU) / float64(max(1, s.AgentThreads))
	return max(mean, orNothing(s.BusiestThread))
}

// orNothing is 0 for what is not: it never reaches a limit.
func orNothing(percent *float64) float64 {
	if percent == nil {
		return 0
	}
	return *percent
}
