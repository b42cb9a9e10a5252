package stats

import (
	"slices"
	"testing"

	"berth/core/host"
	"berth/core/result"
)

func TestRoundsThatWereNotMeasuredAlikeAreWarnedOf(t *testing.T) {
	here := host.Facts{"cpu.model": "A", "kernel.version": "6.1", "load.average": "0.1"}
	session := func(change func(*result.SessionEvent)) result.SessionEvent {
		s := result.SessionEvent{Berth: "1", Rounds: 4, Agent: result.Agent{CPUs: []int{1}, Threads: 1}, Facts: host.Facts{}}
		for k, v := range here {
			s.Facts[k] = v
		}
		if change != nil {
			change(&s)
		}
		return s
	}
	server := func(variant, version string) result.ServerEvent {
		return result.ServerEvent{Variant: variant, Facts: host.Facts{"redis.version": version, "server.pid": version + "1"}}
	}
	for name, c := range map[string]struct {
		second  result.SessionEvent
		servers []result.ServerEvent
		want    string
	}{
		"alike":            {session(nil), []result.ServerEvent{server("a", "7"), server("b", "8"), server("a", "7"), server("b", "8")}, ""},
		"the moment":       {session(func(s *result.SessionEvent) { s.Facts["load.average"] = "2.0" }), nil, ""},
		"another machine":  {session(func(s *result.SessionEvent) { s.Facts["cpu.model"] = "B"; s.Facts["kernel.version"] = "6.2" }), nil, "cpu.model, kernel.version"},
		"another Berth":    {session(func(s *result.SessionEvent) { s.Berth = "2" }), nil, "berth"},
		"another agent":    {session(func(s *result.SessionEvent) { s.Agent.CPUs, s.Agent.Threads = []int{2, 3}, 2 }), nil, "agent.cpus, agent.threads"},
		"another program":  {session(nil), []result.ServerEvent{server("a", "7"), server("b", "7"), server("a", "7"), server("b", "8")}, "b: redis.version"},
		"nothing is known": {session(func(s *result.SessionEvent) { s.Facts = nil }), nil, ""},
	} {
		r := &result.Run{Sessions: []result.SessionEvent{session(nil), c.second}, Servers: c.servers}
		warnings := Warnings(r)
		i := slices.IndexFunc(warnings, func(w Warning) bool { return w.Kind == WarnSessions })
		got := ""
		if i >= 0 {
			got, _ = warnings[i].Args["Facts"].(string)
		}
		if got != c.want {
			t.Errorf("%s: warned of %q, want %q", name, got, c.want)
		}
	}
}
