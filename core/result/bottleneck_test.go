package result

import (
	"testing"
	"time"
)

func TestBottleneck(t *testing.T) {
	const unknown = -1
	for _, c := range []struct {
		name                                           string
		cpus, threads                                  int
		client, busiest, server, proxy, machine, steal float64
		want                                           string
	}{
		{"P=1 on two cores, a core each: the client's loop never rests", 2, 1, 98, 97, 85, unknown, 188, 0, BottleneckClient},
		{"P=16: the server's thread never rests", 2, 1, 45, 44, 99, unknown, 148, 0, BottleneckServer},
		{"both at their limit: the one nearer to it", 2, 1, 94, 93, 99, unknown, 196, 0, BottleneckServer},
		{"both equally: say client, which spoils the figure", 2, 1, 97, 97, 97, unknown, 196, 0, BottleneckClient},
		{"one of two loops at its limit", 8, 2, 140, 96, 70, unknown, 220, 0, BottleneckClient},
		{"two loops, neither told apart", 8, 2, 185, unknown, 70, unknown, 260, 0, BottleneckClient},
		{"two loops with room", 8, 2, 120, 61, 97, unknown, 230, 0, BottleneckServer},
		{"published port on two cores", 2, 1, 40, 39, 38, 112, 195, 0, BottleneckProxy},
		{"published port on two cores, the server busy too", 2, 1, 30, 29, 91, 75, 199, 0, BottleneckServer},
		{"published port on two cores, nobody much above the others", 2, 1, 66, 65, 64, 60, 194, 0, BottleneckMachine},
		{"published port on eight cores", 8, 2, 80, 42, 45, 310, 450, 0, BottleneckProxy},
		{"published port on eight cores, but the client's loop never rests", 8, 1, 97, 96, 60, 250, 420, 0, BottleneckClient},
		{"host network has no proxy", 4, 2, 100, 52, 99, unknown, 210, 0, BottleneckServer},
		{"somebody else uses the machine", 2, 1, 50, 49, 48, unknown, 198, 0, BottleneckMachine},
		{"one client, one request in flight", 4, 1, 35, 33, 30, unknown, 70, 0, BottleneckLatency},
		{"one CPU for all", 1, 1, 52, 50, 46, unknown, 99, 0, BottleneckMachine},
		{"a tenth of every core stolen: 82% is all that was to be had", 2, 1, 50, 49, 82, unknown, 150, 20, BottleneckServer},
		{"nothing stolen: 82% left room", 2, 1, 50, 49, 82, unknown, 150, 0, BottleneckLatency},
		{"a remote server, and a client at its limit", 4, 1, 97, 96, unknown, unknown, 110, 0, BottleneckClient},
		{"a remote server, and a client with room", 4, 1, 40, 39, unknown, unknown, 60, 0, ""},
		{"a remote server on a full machine", 2, 1, 40, 39, unknown, unknown, 197, 0, BottleneckMachine},
		{"a machine that does not tell", 0, 1, 40, 39, 97, unknown, unknown, unknown, BottleneckServer},
		{"nothing known", 2, 0, unknown, unknown, unknown, unknown, unknown, unknown, ""},
	} {
		percent := func(p float64) *float64 {
			if p == unknown {
				return nil
			}
			return &p
		}
		s := Sample{
			Elapsed:   time.Second,
			ClientCPU: percent(c.client), BusiestThread: percent(c.busiest), ServerCPU: percent(c.server),
			ProxyCPU: percent(c.proxy), MachineCPU: percent(c.machine), Steal: percent(c.steal), AgentThreads: c.threads,
		}
		if got := Bottleneck(s, c.cpus); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if s.Elapsed = shortestSample - 1; Bottleneck(s, c.cpus) != "" {
			t.Errorf("%s: told of %v", c.name, s.Elapsed)
		}
	}
}
