package redisload

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestATagIsTheShortestThatHashesToItsSlot(t *testing.T) {
	// As redis-benchmark's own table has them.
	for slot, want := range map[uint16]string{0: "06S", 1: "Qi", 15: "I8", 5461: "8M", 10923: "63n"} {
		if got := slotTag(slot); got != want {
			t.Errorf("the tag of slot %d is %s, want %s", slot, got, want)
		}
	}
	for slot := uint16(7); slot < slotCount; slot += 997 {
		if tag := slotTag(slot); keySlot(tag) != slot || len(tag) > 3 {
			t.Errorf("the tag of slot %d is %q, of slot %d", slot, tag, keySlot(tag))
		}
	}
	if got := keySlot("123456789"); got != 0x31c3 {
		t.Errorf("the slot of 123456789 is %#x, want 0x31c3", got)
	}
}

func TestMastersAreReadWithTheirSlots(t *testing.T) {
	asked := Target{Network: "tcp", Address: "10.0.0.9:7000"}
	const rest = "- 0 1700000000000 1 connected"
	for name, c := range map[string]struct {
		reply string
		want  []Master
		kind  string
	}{
		"two masters and a replica": {
			"a 127.0.0.1:7001@17001 master " + rest + " 5461-10922\n" +
				"b 127.0.0.1:7002@17002 slave a 0 1700000000000 1 connected\n" +
				"c 127.0.0.1:7000@17000 myself,master " + rest + " 0-5460 10923-16383\n",
			[]Master{{"a", "127.0.0.1:7001", "8M"}, {"c", "127.0.0.1:7000", "06S"}}, "",
		},
		"one slot":            {"a 127.0.0.1:7001@17001 master " + rest + " 1\n", []Master{{"a", "127.0.0.1:7001", "Qi"}}, ""},
		"before 4.0":          {"a 127.0.0.1:7001 master " + rest + " 0-16383\n", []Master{{"a", "127.0.0.1:7001", "06S"}}, ""},
		"a name beside":       {"a 127.0.0.1:7001@17001,host master " + rest + " 0-16383\n", []Master{{"a", "127.0.0.1:7001", "06S"}}, ""},
		"IPv6":                {"a ::1:7001@17001 master " + rest + " 0-16383\n", []Master{{"a", "[::1]:7001", "06S"}}, ""},
		"an IP not yet known": {"a :7000@17000 myself,master " + rest + " 0-16383\n", []Master{{"a", "10.0.0.9:7000", "06S"}}, ""},
		"slots under way": {
			"a 127.0.0.1:7001@17001 master " + rest + " 1-99 [1->-b]\nb 127.0.0.1:7002@17002 master " + rest + " [1-<-a]\n",
			[]Master{{"a", "127.0.0.1:7001", "Qi"}}, "",
		},
		"no slots":        {"a :7000@17000 myself,master " + rest + "\n", nil, KindNoSlots},
		"no cluster node": {"what is this\n", nil, KindNotRedis},
		"a strange slot":  {"a 127.0.0.1:7001@17001 master " + rest + " 20000-20001\n", nil, KindNotRedis},
		"no port":         {"a here master " + rest + " 1\n", nil, KindNotRedis},
		"nothing":         {"", nil, KindNoSlots},
	} {
		got, err := mastersOf(asked, c.reply)
		if !slices.Equal(got, c.want) || Kind(err) != c.kind {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestKeysCarryTheTagOfTheirMaster(t *testing.T) {
	for _, c := range []struct {
		test string
		args []string
		tag  string
		want string
	}{
		{"SET", nil, "06S", "SET key:{06S}:__rand_int__ __data__"},
		{"INCR", nil, "8M", "INCR counter:{8M}}:__rand_int__"},
		{"LPUSH", nil, "3", "LPUSH mylist:{3}}} __data__"},
		{"SADD", nil, "06S", "SADD myset:{06S} element:__rand_int__"},
		{"LRANGE_600", nil, "06S", "LRANGE mylist:{06S} 0 599"},
		{"XADD", nil, "06S", "XADD mystream:{06S} * myfield __data__"},
		{"PING_MBULK", nil, "06S", "PING"},
		{"", []string{"MSET", "{tag}a", "1", "b{tag}", "2"}, "8M", "MSET {8M}}a 1 b{8M}} 2"},
		{"", []string{"GET", "mine"}, "06S", "GET mine"},
		{"", []string{"SET", "{tag}", "x"}, "", "SET {tag} x"},
	} {
		test, err := testOf(Job{Suite: Modern, Test: c.test, Args: c.args, tag: c.tag})
		if got := strings.Join(test.Args, " "); err != nil || got != c.want {
			t.Errorf("%s %v: %q, %v, want %q", c.test, c.args, got, err, c.want)
		}
	}
}

func TestConnectionsAreSpreadAsRedisBenchmarkSpreadsThem(t *testing.T) {
	for _, c := range []struct {
		threads, nodes int
		want           []int // of three connections of the second thread
	}{{3, 3, []int{1, 1, 1}}, {4, 3, []int{1, 1, 1}}, {2, 3, []int{0, 1, 2}}, {1, 1, []int{0, 0, 0}}} {
		var got []int
		for one := 3; one < 6; one++ {
			got = append(got, nodeOf(1, c.threads, one, c.nodes))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d threads, %d nodes: %v, want %v", c.threads, c.nodes, got, c.want)
		}
	}
}

// realCluster starts three servers that are one cluster, each with a third of the slots.
func realCluster(t testing.TB) (addresses []string) {
	t.Helper()
	const nodes = 3
	buses := make([]string, nodes)
	for i := range nodes {
		buses[i] = strconv.Itoa(freePort(t))
		addresses = append(addresses, realServer(t, "--cluster-enabled", "yes", "--cluster-port", buses[i]))
		add := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * slotCount / nodes; slot < (i+1)*slotCount/nodes; slot++ {
			add = append(add, strconv.Itoa(slot))
		}
		ask(t, addresses[i], add...)
		ask(t, addresses[i], "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
		if i > 0 {
			_, port, _ := net.SplitHostPort(addresses[i])
			ask(t, addresses[0], "CLUSTER", "MEET", "127.0.0.1", port, buses[i])
		}
	}
	until := time.Now().Add(30 * time.Second)
	for _, address := range addresses {
		for {
			info := ask(t, address, "CLUSTER", "INFO")
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3") {
				break
			}
			if time.Now().After(until) {
				t.Fatalf("the cluster does not come together: %s", info)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return addresses
}

func TestAClusterIsLoadedOnAllItsMasters(t *testing.T) {
	addresses := realCluster(t)
	target := Target{Network: "tcp", Address: addresses[1]}
	masters, err := Masters(context.Background(), target)
	if err != nil || len(masters) != len(addresses) {
		t.Fatalf("%v, %v", masters, err)
	}
	told := make([]string, len(masters))
	for i, m := range masters {
		told[i] = m.Address
	}
	slices.Sort(told)
	if want := slices.Sorted(slices.Values(addresses)); !slices.Equal(told, want) {
		t.Fatalf("masters %v, want %v", told, want)
	}
	onAll := func(command string) (sum int64, each []int64) {
		for _, a := range addresses {
			n := calls(t, a, command)
			each = append(each, n)
			sum += n
		}
		return sum, each
	}
	reset := func() {
		for _, a := range addresses {
			ask(t, a, "CONFIG", "RESETSTAT")
		}
	}
	engines(t, func(t *testing.T, portable bool) {
		for _, threads := range []int{1, 2, 3, 4} {
			for _, pipeline := range []int{1, 7, 100} {
				t.Run(fmt.Sprintf("threads=%d,P=%d", threads, pipeline), func(t *testing.T) {
					job := jobFor(addresses[1], "SET")
					job.Masters, job.Threads, job.Pipeline, job.Keyspace, job.ForcePortable = masters, threads, pipeline, 1000, portable
					job.Requests = 10_007
					reset()
					r := runJob(t, job)
					sum, each := onAll("set")
					if r.Requests != job.Requests || sum != job.Requests || r.Errors != 0 {
						t.Errorf("%d replies, %d SETs by the servers' count, %d errors (%v), want %d, the same, 0", r.Requests, sum, r.Errors, r.FirstErrors, job.Requests)
					}
					if slices.Min(each) == 0 {
						t.Errorf("SETs a master: %v", each)
					}
				})
			}
		}
		list, err := Suite(Modern)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range list {
			for _, keyspace := range []int64{0, 100} {
				t.Run(fmt.Sprintf("%s,r=%d", test.Name, keyspace), func(t *testing.T) {
					for _, a := range addresses {
						ask(t, a, "FLUSHALL")
					}
					job := jobFor(addresses[1], test.Name)
					job.Masters, job.Threads, job.Pipeline, job.Keyspace, job.ForcePortable = masters, 2, 5, keyspace, portable
					job.Requests, job.Prepare, job.Cleanup = 601, true, true
					r := runJob(t, job)
					if r.Requests != job.Requests || r.Errors+r.Misses != 0 {
						t.Errorf("%d replies, %d errors, %d misses: %v", r.Requests, r.Errors, r.Misses, r.FirstErrors)
					}
					if !strings.HasSuffix(r.State, ", on each of 3 masters") {
						t.Errorf("the state is %q", r.State)
					}
					for _, a := range addresses {
						if size := ask(t, a, "DBSIZE"); size != "0" {
							t.Errorf("%s keys are left on %s", size, a)
						}
					}
				})
			}
		}
		t.Run("new connections", func(t *testing.T) {
			job := jobFor(addresses[1], "INCR")
			job.Masters, job.Threads, job.Requests, job.Reconnect, job.ForcePortable = masters, 2, 301, true, portable
			reset()
			r := runJob(t, job)
			if sum, _ := onAll("incr"); r.Requests != job.Requests || sum != job.Requests || r.Errors != 0 {
				t.Errorf("%d replies, %d by the servers' count, %d errors: %v", r.Requests, sum, r.Errors, r.FirstErrors)
			}
		})
		t.Run("fewer connections than masters", func(t *testing.T) {
			job := jobFor(addresses[1], "INCR")
			job.Masters, job.Threads, job.Clients, job.ForcePortable = masters, 3, 2, portable
			if r := runJob(t, job); r.Errors != 0 || r.Requests != job.Requests {
				t.Errorf("%d replies, %d errors: %v", r.Requests, r.Errors, r.FirstErrors)
			}
		})
		t.Run("a key without a tag", func(t *testing.T) {
			job := jobFor(addresses[1], "")
			job.Args, job.Masters, job.Threads, job.Clients, job.Requests, job.ForcePortable = []string{"SET", "mine", "x"}, masters, 1, 3, 300, portable
			r := runJob(t, job)
			if r.Requests != 300 || r.Errors == 0 || r.Errors == 300 || !strings.HasPrefix(r.FirstErrors["MOVED"], "MOVED ") {
				t.Errorf("%d replies, %d errors: %v", r.Requests, r.Errors, r.FirstErrors)
			}
		})
	})
	t.Run("a password", func(t *testing.T) {
		for _, a := range addresses {
			ask(t, a, "CONFIG", "SET", "requirepass", "secret")
		}
		if _, err := Masters(context.Background(), target); Kind(err) != KindNoAuth {
			t.Errorf("without the password: %v", err)
		}
		target.Password = "secret"
		job := jobFor(addresses[1], "SET")
		job.Target = target
		if job.Masters, err = Masters(context.Background(), target); err != nil {
			t.Fatal(err)
		}
		if r := runJob(t, job); r.Errors != 0 || r.Requests != job.Requests {
			t.Errorf("%d replies, %d errors: %v", r.Requests, r.Errors, r.FirstErrors)
		}
	})
}

func TestAServerOutsideAClusterHasNoMasters(t *testing.T) {
	alone := Target{Network: "tcp", Address: realServer(t)}
	if _, err := Masters(context.Background(), alone); Kind(err) != KindNoCluster {
		t.Errorf("a server that is no node: %v", err)
	}
	lonely := Target{Network: "tcp", Address: realServer(t, "--cluster-enabled", "yes", "--cluster-port", strconv.Itoa(freePort(t)))}
	if _, err := Masters(context.Background(), lonely); Kind(err) != KindNoSlots {
		t.Errorf("a node without slots: %v", err)
	}
}

// A server that is lost is told also where the time is up before its silence is too long, and
// where other masters still answer.
func TestAServerLostUntilTheTimeIsUpIsNamed(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		for name, masters := range map[string]int{"alone": 0, "one of two masters": 2} {
			t.Run(name, func(t *testing.T) {
				leaves, stays := realServer(t), realServer(t)
				job := jobFor(leaves, "PING_MBULK")
				job.Requests, job.Duration, job.Threads, job.ForcePortable = 0, time.Second, 1, portable
				if masters > 0 {
					job.Masters = []Master{{Address: stays, Tag: "06S"}, {Address: leaves, Tag: "8M"}}
				}
				var ending sync.WaitGroup
				r, err := Run(context.Background(), job, &atMeasuring{func() {
					ending.Go(func() {
						time.Sleep(200 * time.Millisecond) // within the second that is measured
						c, err := openControl(context.Background(), Job{Target: job.Target}, true)
						if err != nil {
							t.Error(err)
							return
						}
						defer c.close()
						_, _ = c.ask("SHUTDOWN", "NOSAVE") // it ends without a reply
					})
				}})
				ending.Wait()
				if err != nil || r.Requests == 0 || !strings.Contains(r.Cut, leaves+" went away in mid-test") {
					t.Errorf("%d requests, cut %q, %v", r.Requests, r.Cut, err)
				}
				if r.Outage < 200*time.Millisecond || r.Outage > time.Second {
					t.Errorf("the outage was %v", r.Outage)
				}
			})
		}
	})
}
