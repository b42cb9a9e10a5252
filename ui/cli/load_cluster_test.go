package cli

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/core/need"
)

// startCluster starts three servers that are one cluster, each with a third of the slots.
func startCluster(t *testing.T) (nodes []*realRedis) {
	t.Helper()
	const slots, count = 16384, 3
	for i := range count {
		r := startRedis(t, "--cluster-enabled", "yes", "--cluster-port", freePort(t))
		add := []any{"CLUSTER", "ADDSLOTS"}
		for slot := i * slots / count; slot < (i+1)*slots/count; slot++ {
			add = append(add, slot)
		}
		r.do(t, add...)
		r.do(t, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
		if i > 0 {
			bus, err := r.control.ConfigGet(t.Context(), "cluster-port").Result()
			if err != nil {
				t.Fatal(err)
			}
			nodes[0].do(t, "CLUSTER", "MEET", "127.0.0.1", r.port, bus["cluster-port"])
		}
		nodes = append(nodes, r)
	}
	until := time.Now().Add(30 * time.Second)
	for _, r := range nodes {
		for {
			info, err := r.control.ClusterInfo(t.Context()).Result()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3") {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("the cluster does not come together: %s", info)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nodes
}

func TestLoadOfAClusterPrintsAndSendsAsRedisBenchmarkDoes(t *testing.T) {
	nodes := startCluster(t)
	need.RedisBenchmark(t)
	for name, args := range map[string][]string{
		"full":        {"-n", "1000", "-t", "set,lrange_100"},
		"one thread":  {"-n", "1000", "-t", "get", "--threads", "1"},
		"own command": {"-n", "1000", "-r", "10", "SET", "{tag}:__rand_int__", "v"},
		"quiet":       {"-n", "1000", "-q", "-t", "ping,mset,spop"},
		"CSV":         {"-n", "1000", "--csv", "-t", "zadd,hset"},
	} {
		args = append([]string{"--cluster"}, args...)
		want := theReal(t, nodes[1].port, args...)
		theirs := keysOf(t, nodes)
		got := nodes[1].load(t, args...)
		if got.code != exitDone {
			t.Errorf("%s: exit code %d: %s", name, got.code, got.err)
		}
		if diff := cmp.Diff(want, withoutFigures(got.out)); diff != "" {
			t.Errorf("%s (-redis-benchmark +berth):\n%s", name, diff)
		}
		if diff := cmp.Diff(theirs, keysOf(t, nodes)); diff != "" {
			t.Errorf("%s: keys (-redis-benchmark +berth):\n%s", name, diff)
		}
	}
}

// keysOf has the keys of each node, as many as have one pattern, and removes them.
func keysOf(t *testing.T, nodes []*realRedis) []map[string]bool {
	t.Helper()
	var all []map[string]bool
	for _, r := range nodes {
		names, err := r.control.Keys(t.Context(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]bool{}
		for _, name := range names {
			kinds[regexp.MustCompile(`\d{12}`).ReplaceAllString(name, "N")] = true
		}
		all = append(all, kinds)
		r.do(t, "FLUSHALL")
	}
	return all
}

func TestLoadOfAClusterIsExactAndClean(t *testing.T) {
	nodes := startCluster(t)
	for _, args := range [][]string{{"-P", "1"}, {"-P", "7", "-c", "2"}, {"-P", "100", "--threads", "2"}, {"-k", "0"}, {"--prefill", "--prefix", "p:"}} {
		for _, r := range nodes {
			r.do(t, "FLUSHALL")
			r.do(t, "CONFIG", "RESETSTAT")
		}
		s := nodes[0].load(t, append([]string{"--cluster", "-n", "3001", "-r", "50", "-t", "incr", "--json"}, args...)...)
		if s.code != exitDone {
			t.Errorf("%v: exit code %d: %s", args, s.code, s.err)
		}
		var d loadDocument
		if err := json.Unmarshal([]byte(s.out), &d); err != nil || d.Requests != 3001 || d.Errors != 0 || len(d.Masters) != len(nodes) {
			t.Errorf("%v: %v: %s", args, err, s.out)
		}
		sum := 0
		for _, r := range nodes {
			sum += r.calls(t, "incr")
		}
		if sum != 3001 {
			t.Errorf("%v: the servers count %d, want 3001", args, sum)
		}
	}
	for i, r := range nodes {
		if n := r.control.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("--prefill leaves %d keys on node %s", n, strconv.Itoa(i))
		}
	}
	nodes[0].do(t, "SET", "{06S}", "x")
	s := nodes[2].load(t, "--cluster", "-n", "1000", "-t", "set", "-q")
	if !strings.Contains(s.err, "the cluster of 127.0.0.1:"+nodes[2].port+" holds 1 key,") || strings.Contains(s.err, "--dbnum") {
		t.Errorf("data on another master: %s", s.err)
	}
	if s := nodes[0].load(t, "--cluster", "-n", "300", "-c", "3", "-q", "SET", "mine", "x"); s.code != exitFailed || !strings.Contains(s.err, "load all its masters with --cluster, and put {tag}") {
		t.Errorf("a key without {tag}: exit code %d: %s", s.code, s.err)
	}
}
