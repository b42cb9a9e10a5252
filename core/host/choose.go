package host

import (
	"cmp"
	"slices"
)

// Servers are the CPUs that the servers of a run have, over all its variants.
type Servers struct {
	Bound []int // every CPU that some server is bound to
	Free  bool  // whether some server is not bound and may run anywhere
}

// An AgentPlace is the agent's share of the machine, the same for every variant of a run.
type AgentPlace struct {
	CPUs    []int
	Threads int
	// Shared says that a server may have to run on the agent's cores, which
	// spoils both (package result's flag cpus-shared).
	Shared bool
}

// ServerRoom is how many CPUs off the agent's cores a server that is not bound
// needs, to be left alone: one for its main thread, one for docker-proxy or for its own other threads.
const ServerRoom = 2

// ChooseAgent places the agent. threads is what the user wants; 0 is auto:
// one fewer than there are CPUs, at most 2, at least 1, and no more than there are CPUs off the
// servers'. The agent takes CPUs of the first of these sets that has enough for its threads:
//
//  1. off every CPU that a server is bound to, and off those CPUs' SMT siblings;
//  2. off every CPU that a server is bound to;
//  3. all.
//
// Among them it prefers fast cores, then the memory node of most bound servers' CPUs, then one
// thread a core while ServerRoom stays, then low numbers. When fewer CPUs than
// threads exist, it takes all.
//
// What is guaranteed when Shared is false: no bound server shares a core with the
// agent, and a server that is not bound finds at least ServerRoom CPUs on cores where the agent never
// runs. That the kernel puts it there, while the agent keeps its own busy, is the scheduler's doing
// and not promised. Where no server is bound, auto is therefore Shared on fewer than 4 CPUs.
// docker-proxy is such a server: it runs where it likes, also beside a bound one.
func ChooseAgent(t Topology, servers Servers, threads int) AgentPlace {
	if len(t) == 0 {
		return AgentPlace{Threads: max(1, threads), Shared: true}
	}
	auto := threads <= 0
	if auto {
		threads = max(1, min(2, len(t)-1))
	}
	apart := t.without(withSiblings(t, servers.Bound))
	if auto && len(apart) > 0 {
		threads = min(threads, len(apart))
	}
	choice, shared := apart, false
	if len(choice) < threads {
		choice, shared = t.without(servers.Bound), true
	}
	if len(choice) < threads {
		choice = t
	}
	place := AgentPlace{Threads: threads}
	place.CPUs = pick(t, choice, servers, threads)
	room := len(t.without(withSiblings(t, place.CPUs)))
	place.Shared = shared || servers.Free && room < ServerRoom
	return place
}

// ChooseServer is the CPU of a pinned server whose CPU is Berth's choice: the
// first thread of the last of the fast cores on the node of the first one, which leaves
// the agent the most whole cores and the same memory. It is -1 on a machine whose CPUs are not known.
func ChooseServer(t Topology) int {
	fast := slices.DeleteFunc(slices.Clone(t), func(c CPU) bool { return c.Slow })
	if len(fast) == 0 {
		return -1
	}
	last := fast[0]
	for _, c := range fast {
		if c.Node == fast[0].Node && core(c) >= core(last) && c.ID == firstThread(t, c) {
			last = c
		}
	}
	return last.ID
}

// pick takes n of choice, or all if there are fewer.
func pick(t, choice Topology, servers Servers, n int) []int {
	node := preferredNode(t, servers.Bound)
	rank := func(a, b CPU) int {
		return cmp.Or(boolCompare(a.Slow, b.Slow), boolCompare(a.Node != node, b.Node != node))
	}
	ordered := slices.Clone(choice)
	slices.SortStableFunc(ordered, func(a, b CPU) int {
		return cmp.Or(rank(a, b), cmp.Compare(core(a), core(b)), cmp.Compare(a.ID, b.ID))
	})
	n = min(n, len(ordered))
	// One thread a core, but not on a worse core than need be.
	good := slices.DeleteFunc(slices.Clone(ordered), func(c CPU) bool { return rank(c, ordered[n-1]) > 0 })
	spread := oneEachCore(good, n)
	if len(spread) == n && len(t.without(withSiblings(t, spread))) >= ServerRoom {
		return spread
	}
	// Too few cores for that: whole cores, so that the servers keep whole cores too.
	cpus := ordered[:n].IDs()
	slices.Sort(cpus)
	return cpus
}

// oneEachCore takes at most n CPUs, no two of the same core.
func oneEachCore(ordered []CPU, n int) []int {
	var cpus []int
	seen := map[int]bool{}
	for _, c := range ordered {
		if len(cpus) < n && !seen[core(c)] {
			seen[core(c)] = true
			cpus = append(cpus, c.ID)
		}
	}
	slices.Sort(cpus)
	return cpus
}

// core names c's core by its lowest CPU.
func core(c CPU) int {
	lowest := c.ID
	for _, s := range c.Siblings {
		lowest = min(lowest, s)
	}
	return lowest
}

// firstThread is the lowest CPU of c's core that is in t.
func firstThread(t Topology, c CPU) int {
	for _, other := range t {
		if core(other) == core(c) {
			return other.ID
		}
	}
	return c.ID
}

// preferredNode is the node of most of the bound CPUs, and without any that of the first CPU.
func preferredNode(t Topology, bound []int) int {
	count := map[int]int{}
	best := t[0].Node
	for _, c := range t {
		if slices.Contains(bound, c.ID) {
			count[c.Node]++
			if count[c.Node] > count[best] {
				best = c.Node
			}
		}
	}
	return best
}

func (t Topology) without(cpus []int) Topology {
	return slices.DeleteFunc(slices.Clone(t), func(c CPU) bool { return slices.Contains(cpus, c.ID) })
}

func withSiblings(t Topology, cpus []int) []int {
	all := slices.Clone(cpus)
	for _, c := range t {
		if slices.Contains(cpus, c.ID) {
			all = append(all, c.Siblings...)
		}
	}
	return all
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
