package host

import (
	"slices"
	"testing"
)

// machine makes a topology of n CPUs on cores of threads each; as Linux numbers
// them, CPU i's siblings are i+cores, i+2·cores...
func machine(n, threads int) Topology {
	t := make(Topology, n)
	cores := n / threads
	for i := range t {
		t[i].ID = i
		for s := i % cores; s < n; s += cores {
			if s != i {
				t[i].Siblings = append(t[i].Siblings, s)
			}
		}
	}
	return t
}

// hybrid has two fast cores of two threads (0-1, 2-3) and four slow ones (4-7), as
// Intel numbers them.
func hybrid() Topology {
	t := make(Topology, 8)
	for i := range t {
		t[i].ID = i
		t[i].Slow = i >= 4
		if i < 4 {
			t[i].Siblings = []int{i ^ 1}
		}
	}
	return t
}

// twoNodes has CPUs 0-3 on node 0 and 4-7 on node 1.
func twoNodes() Topology {
	t := machine(8, 1)
	for i := range t {
		t[i].Node = i / 4
	}
	return t
}

func TestChooseAgent(t *testing.T) {
	free := Servers{Free: true}
	for _, c := range []struct {
		name    string
		cpus    Topology
		servers Servers
		threads int
		want    AgentPlace
	}{
		{"one CPU is shared by all", machine(1, 1), free, 0, AgentPlace{[]int{0}, 1, true}},
		{"one CPU, bound to it", machine(1, 1), Servers{Bound: []int{0}}, 0, AgentPlace{[]int{0}, 1, true}},
		{"two CPUs, one of them the server's", machine(2, 1), Servers{Bound: []int{1}}, 0, AgentPlace{[]int{0}, 1, false}},
		{"two CPUs, and servers that float over both", machine(2, 1), Servers{Bound: []int{1}, Free: true}, 0, AgentPlace{[]int{0}, 1, true}},
		{"two CPUs, the server on the first", machine(2, 1), Servers{Bound: []int{0}}, 0, AgentPlace{[]int{1}, 1, false}},
		{"two threads of one core are not apart", machine(2, 2), Servers{Bound: []int{1}}, 0, AgentPlace{[]int{0}, 1, true}},
		{"three CPUs leave one to floating servers", machine(3, 1), free, 0, AgentPlace{[]int{0, 1}, 2, true}},
		{"four CPUs, nothing bound", machine(4, 1), free, 0, AgentPlace{[]int{0, 1}, 2, false}},
		{"four CPUs, the last bound", machine(4, 1), Servers{Bound: []int{3}, Free: true}, 0, AgentPlace{[]int{0, 1}, 2, false}},
		{"four CPUs on two cores: one whole core", machine(4, 2), free, 0, AgentPlace{[]int{0, 2}, 2, false}},
		{"four CPUs on two cores, a core bound", machine(4, 2), Servers{Bound: []int{1}, Free: true}, 0, AgentPlace{[]int{0, 2}, 2, false}},
		{"bound to one thread of every core", machine(4, 2), Servers{Bound: []int{0, 1}}, 0, AgentPlace{[]int{2, 3}, 2, true}},
		{"bound to every CPU", machine(4, 1), Servers{Bound: []int{0, 1, 2, 3}}, 0, AgentPlace{[]int{0, 1}, 2, true}},
		{"auto takes fewer threads than share a core", machine(4, 1), Servers{Bound: []int{0, 1, 2}}, 0, AgentPlace{[]int{3}, 1, false}},
		{"eight CPUs on four cores: a thread a core", machine(8, 2), free, 0, AgentPlace{[]int{0, 1}, 2, false}},
		{"three threads where three are apart", machine(8, 2), Servers{Bound: []int{3}, Free: true}, 3, AgentPlace{[]int{0, 1, 2}, 3, false}},
		{"threads asked for, none apart left for them", machine(4, 1), Servers{Bound: []int{3}}, 4, AgentPlace{[]int{0, 1, 2, 3}, 4, true}},
		{"more threads than CPUs", machine(2, 1), free, 5, AgentPlace{[]int{0, 1}, 5, true}},
		{"fast cores first", hybrid(), Servers{Bound: []int{2}, Free: true}, 0, AgentPlace{[]int{0, 1}, 2, false}},
		{"the servers' memory node first", twoNodes(), Servers{Bound: []int{7}, Free: true}, 0, AgentPlace{[]int{4, 5}, 2, false}},
		{"no CPU known", nil, free, 0, AgentPlace{nil, 1, true}},
	} {
		got := ChooseAgent(c.cpus, c.servers, c.threads)
		if !slices.Equal(got.CPUs, c.want.CPUs) || got.Threads != c.want.Threads || got.Shared != c.want.Shared {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// What ChooseAgent promises, over every small machine and every server's CPUs.
func TestAgentIsApartUnlessItSaysOtherwise(t *testing.T) {
	for _, smt := range []int{1, 2} {
		for n := smt; n <= 8; n += smt {
			m := machine(n, smt)
			for mask := range 1 << n {
				servers := Servers{Free: mask%3 == 0}
				for cpu := range n {
					if mask>>cpu&1 == 1 {
						servers.Bound = append(servers.Bound, cpu)
					}
				}
				for threads := range 4 {
					checkPromise(t, m, servers, threads)
				}
			}
		}
	}
}

func checkPromise(t *testing.T, m Topology, servers Servers, threads int) {
	t.Helper()
	got := ChooseAgent(m, servers, threads)
	if len(got.CPUs) == 0 || got.Threads < 1 || threads > 0 && got.Threads != threads {
		t.Fatalf("%v, %+v, %d threads: %+v", m.IDs(), servers, threads, got)
	}
	if threads == 0 && got.Threads > max(1, len(m)-1) {
		t.Fatalf("auto took %d threads on %d CPUs", got.Threads, len(m))
	}
	if got.Shared {
		return
	}
	near := withSiblings(m, servers.Bound)
	if slices.ContainsFunc(got.CPUs, func(c int) bool { return slices.Contains(near, c) }) {
		t.Fatalf("%v, %+v: %+v lies on the servers' cores and does not say so", m, servers, got)
	}
	if room := len(m.without(withSiblings(m, got.CPUs))); servers.Free && room < ServerRoom {
		t.Fatalf("%v, %+v: %+v leaves %d CPUs and does not say so", m, servers, got, room)
	}
}

func TestChooseServer(t *testing.T) {
	for _, c := range []struct {
		name string
		cpus Topology
		want int
	}{
		{"one CPU", machine(1, 1), 0},
		{"two CPUs", machine(2, 1), 1},
		{"four CPUs on two cores", machine(4, 2), 1},
		{"not a slow core", hybrid(), 2},
		{"the node of the agent", twoNodes(), 3},
		{"no CPU known", nil, -1},
	} {
		if got := ChooseServer(c.cpus); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
