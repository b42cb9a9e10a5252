package redisload

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"berth/core/text"
)

func TestLostConnectionsAreOpenedAgainAndTheCountStaysExact(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		var calls atomic.Int64
		address := fakeServer(t, redisLike(func([]string) string {
			if n := calls.Add(1); n%700 == 0 {
				return "" // hang up
			}
			return "+OK\r\n"
		}))
		for _, threads := range []int{1, 2} {
			job := jobFor(address, "SET")
			job.Pipeline, job.Threads, job.ForcePortable = 7, threads, portable
			r := runJob(t, job)
			if r.Requests != job.Requests || r.Latency.TotalCount() != job.Requests {
				t.Errorf("%d replies, want %d", r.Requests, job.Requests)
			}
			if r.Reconnects < 5 {
				t.Errorf("%d reconnects are counted, the server hung up more often", r.Reconnects)
			}
		}
	})
}

func TestServerThatStopsAnsweringCutsTheTestAtItsDeadline(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		var calls atomic.Int64
		quit := make(chan struct{})
		address := fakeServer(t, redisLike(func([]string) string {
			if calls.Add(1) > 100 {
				<-quit
			}
			return "+OK\r\n"
		}))
		t.Cleanup(func() { close(quit) })
		job := jobFor(address, "SET")
		job.Deadline, job.ForcePortable = 300*time.Millisecond, portable
		began := time.Now()
		r, err := Run(context.Background(), job, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Requests == 0 || r.Requests > 100 || r.Cut == "" {
			t.Errorf("%d replies, cut %q; want what was measured and why it ended", r.Requests, r.Cut)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestServerThatIsGoneIsNamedAndNotCountedAsFoundAgain ends a real server for good.
func TestServerThatIsGoneIsNamedAndNotCountedAsFoundAgain(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		address := realServer(t)
		job := jobFor(address, "SET")
		job.Requests, job.Duration, job.Deadline, job.ForcePortable = 0, time.Hour, time.Second, portable
		job.Prepare, job.Cleanup = true, true
		var once sync.Once
		r, err := Run(context.Background(), job, &watcher{tick: func(Tick) {
			once.Do(func() {
				if conn, err := net.Dial("tcp", address); err == nil {
					fmt.Fprint(conn, "SHUTDOWN NOSAVE\r\n")
					conn.Close()
				}
			})
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Cut, "nothing listens there any more") || !strings.Contains(r.Cut, "the keys of SET may be left") || r.Reconnects != 0 || r.Requests == 0 {
			t.Errorf("%d replies, %d reconnects, cut %q", r.Requests, r.Reconnects, r.Cut)
		}
		if r.Outage < job.Deadline || r.Outage > 5*time.Second {
			t.Errorf("an outage of %v, want the %v of the deadline", r.Outage, job.Deadline)
		}
	})
}

func TestServerThatNeverAnswersIsAnError(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		quit := make(chan struct{})
		job := jobFor(fakeServer(t, redisLike(func([]string) string {
			<-quit
			return "+OK\r\n"
		})), "SET")
		t.Cleanup(func() { close(quit) })
		job.Deadline, job.ForcePortable = 200*time.Millisecond, portable
		_, err := Run(context.Background(), job, nil)
		if Kind(err) != KindNoAnswer {
			t.Errorf("%v (%q), want %q", err, Kind(err), KindNoAnswer)
		}
	})
}

func TestCancelledJobReturnsAtOnceWithWhatWasMeasured(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "SET")
		job.Requests, job.Duration, job.ForcePortable = 0, time.Hour, portable
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var cancelled time.Time
		o := &watcher{tick: func(Tick) {
			cancelled = time.Now()
			cancel()
		}}
		r, err := Run(ctx, job, o)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(cancelled); took > time.Second {
			t.Errorf("it returned after %v", took)
		}
		if r.Requests == 0 || r.Latency.TotalCount() != r.Requests || r.Cut == "" {
			t.Errorf("%d replies, %d latencies, cut %q", r.Requests, r.Latency.TotalCount(), r.Cut)
		}
	})
}

// A watcher is an Observer that notes the phases.
type watcher struct {
	phases []Phase
	at     []time.Time
	tick   func(Tick)
}

func (w *watcher) Phase(p Phase) {
	w.phases = append(w.phases, p)
	w.at = append(w.at, time.Now())
}

func (w *watcher) Tick(t Tick) {
	if w.tick != nil {
		w.tick(t)
	}
}

func TestTimedJobStopsSendingAtItsEndAndPhasesEncloseTheMeasuredPart(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "LPUSH")
		job.Requests, job.Duration, job.WarmUp = 0, 300*time.Millisecond, 100*time.Millisecond
		job.Pipeline, job.Prepare, job.Cleanup, job.ForcePortable = 20, true, true, portable
		w := &watcher{}
		r, err := Run(context.Background(), job, w)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint([]Phase{Connecting, Preparing, WarmingUp, Preparing, Measuring, Measured, CleaningUp})
		if fmt.Sprint(w.phases) != want {
			t.Errorf("phases %v, want %v", w.phases, want)
		}
		inside := w.at[5].Sub(w.at[4])
		if r.Elapsed > inside || r.Elapsed < 250*time.Millisecond || inside > 2*time.Second {
			t.Errorf("measured %v within %v, want about 300 ms", r.Elapsed, inside)
		}
		if r.Requests == 0 || r.Latency.TotalCount() != r.Requests {
			t.Errorf("%d replies, %d latencies", r.Requests, r.Latency.TotalCount())
		}
	})
}

func TestFixedRateIsKeptOverAllThreads(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		for _, threads := range []int{1, 2} {
			job := jobFor(address, "SET")
			job.Requests, job.Rate, job.Threads, job.ForcePortable = 1001, 2000, threads, portable
			r := runJob(t, job)
			// The last of 1,001 is due half a second after the first. Each may be
			// late, and is then late in its latency as well.
			late := time.Duration(r.Latency.Max())*time.Microsecond + time.Millisecond
			if diff := (r.Elapsed - 500*time.Millisecond).Abs(); diff > late {
				t.Errorf("1,001 requests at 2,000/s took %v, want 0.5 s, and none was later than %v", r.Elapsed, late)
			}
			if r.Latency.TotalCount() != 1001 || r.Service.TotalCount() != 1001 {
				t.Errorf("%d corrected, %d uncorrected latencies, want 1001", r.Latency.TotalCount(), r.Service.TotalCount())
			}
			t.Logf("%s: p50 %d µs from the due time, %d µs from the send", r.Engine, r.Latency.ValueAtPercentile(50), r.Service.ValueAtPercentile(50))
		}
	})
}

func TestErrorsNilsAndShortListsAreCountedApart(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "GET")
		job.ForcePortable, job.Requests = portable, 100
		job.Prefix = "absent:"
		if r := runJob(t, job); r.Misses != 100 || r.Errors != 0 {
			t.Errorf("GET of no key: %d misses, %d errors, want 100, 0", r.Misses, r.Errors)
		}
		ask(t, address, "DEL", "mylist")
		for range 99 {
			ask(t, address, "RPUSH", "mylist", "v")
		}
		job.Prefix, job.Test = "", "LRANGE_100"
		if r := runJob(t, job); r.Misses != 100 || r.Errors != 0 {
			t.Errorf("LRANGE_100 of 99: %d misses, %d errors, want 100, 0", r.Misses, r.Errors)
		}
		job.Test = "INCR"
		ask(t, address, "SET", "counter:__rand_int__", "no number")
		r := runJob(t, job)
		if r.Errors != 100 || r.Misses != 0 || !strings.HasPrefix(r.FirstErrors["ERR"], "ERR value is not an integer") {
			t.Errorf("INCR of text: %d errors, %d misses, %v", r.Errors, r.Misses, r.FirstErrors)
		}
	})
}

func TestFullBuffersOnBothSidesDoNotDeadlock(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		t.Run("SET at P=30000 with 1 KiB", func(t *testing.T) {
			job := jobFor(realServer(t), "SET")
			job.Pipeline, job.PayloadBytes, job.Clients, job.Requests = 30_000, 1024, 2, 70_000
			job.ForcePortable = portable
			runJob(t, job)
		})
		t.Run("LRANGE_600 at P=100", func(t *testing.T) {
			job := jobFor(realServer(t), "LRANGE_600")
			job.Pipeline, job.Clients, job.Requests, job.Prepare = 100, 20, 4_000, true
			job.ForcePortable = portable
			if r := runJob(t, job); r.Misses != 0 {
				t.Errorf("%d short lists", r.Misses)
			}
		})
		// A server that reads no further while its replies are not taken.
		t.Run("a server with no room for replies", func(t *testing.T) {
			job := jobFor(fakeServer(t, func(conn net.Conn) {
				r := bufio.NewReaderSize(conn, 4096)
				big := "$65536\r\n" + strings.Repeat("v", 65536) + "\r\n"
				for {
					args, err := readCommand(r)
					if err != nil {
						return
					}
					answer := big
					if args[0] == "DBSIZE" {
						answer = ":0\r\n"
					}
					if _, err := conn.Write([]byte(answer)); err != nil {
						return
					}
				}
			}), "SET")
			job.Pipeline, job.PayloadBytes, job.Clients, job.Requests = 500, 32<<10, 2, 2000
			job.ForcePortable = portable
			runJob(t, job)
		})
	})
}

func TestEachErrorCaseIsNamedWithAdvice(t *testing.T) {
	say := func(reply string) string {
		return fakeServer(t, func(conn net.Conn) {
			r := bufio.NewReader(conn)
			for {
				if _, err := readCommand(r); err != nil {
					return
				}
				fmt.Fprint(conn, reply)
			}
		})
	}
	closedPort := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	password := realServer(t, "--requirepass", "secret")
	small := realServer(t, "--maxclients", "5")
	for _, c := range []struct {
		kind   string
		target Target
	}{
		{KindRefused, Target{Address: closedPort}},
		{KindResolve, Target{Address: "no-such-host.invalid:6379"}},
		{KindNoSocket, Target{Network: "unix", Address: t.TempDir() + "/none"}},
		{KindNotRedis, Target{Address: say("HTTP/1.1 400 Bad Request\r\n\r\n")}},
		{KindNoAuth, Target{Address: password}},
		{KindWrongPass, Target{Address: password, Password: "wrong"}},
		{KindWrongPass, Target{Address: password, User: "nobody", Password: "secret"}},
		{KindMaxClients, Target{Address: small}},
		{KindLoading, Target{Address: say("-LOADING Redis is loading the dataset in memory\r\n")}},
		{KindProtectedMode, Target{Address: say("-DENIED Redis is running in protected mode because protected mode is enabled\r\n")}},
		{KindClosed, Target{Address: fakeServer(t, func(net.Conn) {})}},
		{KindNoDatabase, Target{Address: realServer(t), Database: 99}},
		{KindReply, Target{Address: say("-ERR unknown command 'AUTH', with args beginning with: 'geheim99'\r\n"), Password: "geheim99"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			engines(t, func(t *testing.T, portable bool) {
				job := jobFor("", "SET")
				job.Target, job.ForcePortable = c.target, portable
				if job.Target.Network == "" {
					job.Target.Network = "tcp"
				}
				job.Deadline = 2 * time.Second
				_, err := Run(context.Background(), job, nil)
				if Kind(err) != c.kind {
					t.Fatalf("%v (%q), want %q", err, Kind(err), c.kind)
				}
				if !strings.Contains(err.Error(), c.target.Address) || !strings.Contains(err.Error(), ";") && c.kind != KindReply {
					t.Errorf("%q does not say which address and what to do", err)
				}
				if strings.Contains(err.Error(), "geheim99") {
					t.Errorf("%q quotes the password", err)
				}
				t.Log(err)
			})
		})
	}
}

func TestErrorRepliesOfARealServerHaveTheirKind(t *testing.T) {
	full := realServer(t, "--maxmemory", "1mb")
	replica := realServer(t, "--replicaof", "127.0.0.1 1", "--replica-serve-stale-data", "yes")
	cluster := realServer(t, "--cluster-enabled", "yes")
	limited := realServer(t)
	ask(t, limited, "ACL", "SETUSER", "default", "-set")
	for _, c := range []struct{ kind, address string }{
		{KindOOM, full}, {KindReadOnly, replica}, {KindMoved, cluster}, {KindNoPerm, limited},
	} {
		t.Run(c.kind, func(t *testing.T) {
			engines(t, func(t *testing.T, portable bool) {
				job := jobFor(c.address, "SET")
				job.Requests, job.ForcePortable = 50, portable
				r := runJob(t, job)
				if r.Errors != 50 || len(r.FirstErrors) != 1 {
					t.Fatalf("%d errors, %v", r.Errors, r.FirstErrors)
				}
				for _, reply := range r.FirstErrors {
					err := ReplyError(job.Target, reply)
					if Kind(err) != c.kind {
						t.Errorf("%v (%q), want %q", err, Kind(err), c.kind)
					}
					t.Log(err)
				}
			})
		})
	}
}

func TestEveryErrorCaseHasItsSentenceInEveryLanguage(t *testing.T) {
	for _, kind := range []string{
		KindNoAuth, KindWrongPass, KindNotRedis, KindRefused, KindResolve, KindNoSocket, KindUnreachable, KindLoading,
		KindNoPerm, KindOOM, KindReadOnly, KindMisconf, KindMoved, KindMaxClients, KindProtectedMode, KindPortsExhausted,
		KindFiles, KindNoDatabase, KindNoAnswer, KindNoReply, KindGone, KindClosed, KindCloses, KindTLS, KindReply, KindConnect, KindCancelled,
		"tls-none", "tls-authority", "tls-name", "tls-expired", "tls-wants-certificate", "tls-distrusts", "tls-no-agreement", "prefix-tag",
	} {
		english := text.For("en").T("redisload."+kind, text.Args{})
		for _, lang := range text.Languages {
			got := text.For(lang).T("redisload."+kind, text.Args{})
			if got == "redisload."+kind || lang != "en" && got == english {
				t.Errorf("%s has no sentence in %s", kind, lang)
			}
		}
	}
}

func TestAuthSelectAndHelloGreetEveryConnection(t *testing.T) {
	address := realServer(t, "--requirepass", "secret")
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "SET")
		job.Target.Password, job.Target.Database, job.RESP3, job.ForcePortable = "secret", 3, true, portable
		job.Prefix = fmt.Sprint(portable)
		runJob(t, job)
		c, err := openControl(context.Background(), job, true)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		if got, err := c.ask("EXISTS", job.Prefix+"key:__rand_int__"); err != nil || got[0] != "1" {
			t.Errorf("the key is not in database 3: %v, %v", got, err)
		}
	})
}

func TestNewConnectionForEachBatchKeepsTheCountAndLeavesNoPortsBehind(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "SET")
		job.Reconnect, job.Requests, job.ForcePortable = true, 3000, portable
		ask(t, address, "CONFIG", "RESETSTAT")
		r := runJob(t, job)
		if got := calls(t, address, "set"); got != job.Requests || r.Requests != job.Requests || r.Reconnects != 0 {
			t.Errorf("%d calls, %d replies, %d reconnects, want %d, %d, 0", got, r.Requests, r.Reconnects, job.Requests, job.Requests)
		}
		_, port, _ := net.SplitHostPort(address)
		if out, err := exec.Command("ss", "-Htn", "state", "time-wait", "dport", "= :"+port).Output(); err == nil {
			if waiting := strings.Count(string(out), "\n"); waiting > 100 {
				t.Errorf("%d sockets are in TIME_WAIT", waiting)
			}
		}
	})
}

func TestServerThatDoesNotKnowTheProofIsLoadedAllTheSame(t *testing.T) {
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(fakeServer(t, func(conn net.Conn) {
			r := bufio.NewReader(conn)
			for {
				args, err := readCommand(r)
				if err != nil {
					return
				}
				if args[0] == "SET" {
					fmt.Fprint(conn, "+OK\r\n")
				} else {
					fmt.Fprintf(conn, "-ERR unknown command '%s'\r\n", args[0])
				}
			}
		}), "SET")
		job.Requests, job.ForcePortable = 100, portable
		if r := runJob(t, job); r.Errors != 0 || r.Requests != 100 {
			t.Errorf("%d replies, %d errors, want 100, 0", r.Requests, r.Errors)
		}
	})
}

func TestIdleConnectionsAreHeldUntilToldToStop(t *testing.T) {
	address := realServer(t)
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor(address, "PING_BULK")
		job.Clients, job.ForcePortable = 20, portable
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- Idle(ctx, job) }()
		for until := time.Now().Add(5 * time.Second); connected(t, address) < 21; {
			if time.Now().After(until) {
				t.Fatalf("%d connections, want 20 and this one", connected(t, address))
			}
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		for until := time.Now().Add(5 * time.Second); connected(t, address) > 1; {
			if time.Now().After(until) {
				t.Fatal("connections are left")
			}
		}
	})
}

// connected is how many connections the server has, the asking one included.
func connected(t *testing.T, address string) int {
	t.Helper()
	var n int
	_, after, _ := strings.Cut(ask(t, address, "INFO", "clients"), "connected_clients:")
	if _, err := fmt.Sscan(after, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestUnixSocketServes(t *testing.T) {
	address := realServer(t)
	dir := strings.Fields(ask(t, address, "CONFIG", "GET", "unixsocket"))[1]
	engines(t, func(t *testing.T, portable bool) {
		job := jobFor("", "GET")
		job.Target = Target{Network: "unix", Address: dir}
		job.Prepare, job.ForcePortable = true, portable
		if r := runJob(t, job); r.Misses != 0 {
			t.Errorf("%d misses", r.Misses)
		}
	})
}
