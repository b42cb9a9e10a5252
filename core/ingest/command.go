package ingest

import (
	"path"
	"slices"
	"strings"

	"berth/core/oltp"
	"berth/core/plan"
)

// redisBenchmark is the tool, unless a command line says otherwise.
const redisBenchmark = "redis-benchmark"

// servers are the programs that are known by name.
var servers = []string{"redis-server", "valkey-server", "keydb-server"}

// command reads a command line: how load was sent, or where a server was started.
func (r *reader) command(s string) bool {
	for _, tool := range []string{redisBenchmark, "valkey-benchmark"} {
		if words, ok := commandIn(s, tool); ok {
			r.flush()
			r.tool = tool
			r.benchmark(words)
			return true
		}
	}
	if words, ok := commandIn(s, "sysbench"); ok {
		r.flush()
		r.sysbenchCommand(words)
		return true
	}
	if words, ok := commandIn(s, "docker"); ok && len(words) > 0 && words[0] == "run" {
		r.flush()
		r.variant = plan.Variant{Placement: dockerPlacement(words[1:])}
		return true
	}
	starts := func(name string) bool { return strings.Contains(s, name) }
	if words, ok := commandIn(s, "taskset"); ok && slices.ContainsFunc(servers, starts) {
		r.flush()
		r.variant = plan.Variant{Placement: plan.Pinned}
		for i, w := range words {
			if w == "-c" && i+1 < len(words) {
				r.variant.CPUs = words[i+1]
			}
		}
		return true
	}
	if slices.ContainsFunc(servers, func(name string) bool {
		_, ok := commandIn(s, name)
		return ok
	}) {
		r.flush()
		r.variant = plan.Variant{Placement: plan.Native}
		return true
	}
	return false
}

// commandIn are the words behind the command called name, where a line is or quotes one: nothing stands before it,
// or a prompt, or a colon, or options follow. In a sentence it is followed by words.
func commandIn(s, name string) (words []string, ok bool) {
	i := strings.Index(s, name)
	if i < 0 {
		return nil, false
	}
	rest, lead := s[i+len(name):], s[:i]
	const enDash = '–' // into which web pages turn two hyphens
	if rest != "" && rest[0] != ' ' || strings.ContainsFunc(rest, func(c rune) bool { return c > '~' && c != enDash }) {
		return nil, false
	}
	words = strings.Fields(rest)
	if strings.HasSuffix(lead, "/") { // the program's folder
		lead = strings.TrimRightFunc(lead, func(c rune) bool { return !strings.ContainsRune(" :：", c) })
	}
	if strings.TrimSpace(lead) == "" || strings.HasSuffix(strings.TrimSpace(lead), ":") || strings.HasSuffix(strings.TrimSpace(lead), "：") {
		return words, true
	}
	options := len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "/"))
	return words, options && strings.ContainsAny(lead[len(lead)-1:], " $#>")
}

// benchmark takes redis-benchmark's options, with its defaults.
func (r *reader) benchmark(words []string) {
	r.load, r.total = plan.Workload{PayloadBytes: 3, Pipeline: 1, Clients: 50}, 100_000
	for i := 0; i < len(words); i++ {
		next := func() int64 {
			if i++; i < len(words) {
				return whole(words[i])
			}
			return 0
		}
		switch words[i] {
		case "-d":
			r.load.PayloadBytes = int(max(1, next()))
		case "-P":
			r.load.Pipeline = int(max(1, next()))
		case "-c":
			r.load.Clients = int(max(1, next()))
		case "-n":
			r.total = next()
		case "|", ">", "&&", ";":
			return
		}
	}
}

// sysbenchCommand takes the script's name and the number of threads.
func (r *reader) sysbenchCommand(words []string) {
	r.oltp = plan.Workload{Pipeline: 1, Clients: 1}
	for _, w := range words {
		if name := strings.TrimSuffix(path.Base(w), ".lua"); slices.Contains(oltp.Scripts(), name) {
			r.oltp.Test = name
		}
		if n, ok := strings.CutPrefix(w, "--threads="); ok {
			r.oltp.Clients = int(max(1, whole(n)))
		}
	}
}

// dockerPlacement is where docker run's words put a container.
func dockerPlacement(words []string) string {
	placement := plan.DockerDirect
	for i, w := range words {
		value := func() string {
			if _, v, ok := strings.Cut(w, "="); ok {
				return strings.Trim(v, `"'`)
			}
			if i+1 < len(words) {
				return strings.Trim(words[i+1], `"'`)
			}
			return ""
		}
		switch name, _, _ := strings.Cut(w, "="); name {
		case "--net", "--network":
			if value() == "host" {
				return plan.DockerHost
			}
		case "-p", "-P", "--publish", "--publish-all":
			placement = plan.DockerNAT
		}
	}
	return placement
}
