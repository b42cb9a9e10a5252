package stats

import (
	"fmt"
	"slices"

	"berth/core/host"
	"berth/core/result"
)

// sessionsDiffer are the facts that speed hangs on in which the parts of a run are not alike: those
// of the machine, of Berth and of its agent between its sessions, those that tell one server program from another
// between the starts of a variant. A run that is continued can be so; another may be, whose server
// somebody else replaced.
func sessionsDiffer(r *result.Run) []string {
	var out []string
	add := func(key string) {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	for i := 1; i < len(r.Sessions); i++ {
		a, b := r.Sessions[i-1], r.Sessions[i]
		for _, key := range factsThatDiffer(a.Facts, b.Facts) {
			if slices.Contains(weighty, key) {
				add(key)
			}
		}
		if a.Berth != b.Berth {
			add("berth")
		}
		for key, of := range map[string]func(result.Agent) string{
			"agent.cpus":    func(a result.Agent) string { return host.FormatCPUs(a.CPUs) },
			"agent.threads": func(a result.Agent) string { return fmt.Sprint(a.Threads) },
		} {
			if of(a.Agent) != of(b.Agent) {
				add(key)
			}
		}
	}
	before := map[string]host.Facts{}
	for _, s := range r.Servers {
		for _, key := range factsThatDiffer(before[s.Variant], s.Facts) {
			if slices.Contains(versionKeys, key) {
				add(s.Variant + ": " + key)
			}
		}
		before[s.Variant] = s.Facts
	}
	slices.Sort(out)
	return out
}
