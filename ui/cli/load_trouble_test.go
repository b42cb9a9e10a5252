package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"berth/core/need"
)

// A trouble is one way in which a load fails, provoked for real.
type trouble struct {
	name string
	args []string
	says []string // on standard error, in this order
	// prints says whether there are figures all the same.
	prints bool
}

// TestEachTroubleIsNamedWithAdvice has real servers refuse, in each way that can
// be provoked on loopback. Every one ends with exit code 1, soon, and with one sentence.
func TestEachTroubleIsNamedWithAdvice(t *testing.T) {
	locked := startRedis(t, "--requirepass", "right")
	guarded := startRedis(t, "--user", "ada", "on", ">l0ve", "~*", "+@all", "-incr", "--user", "bob", "on", ">l0ve", "~*", "+ping")
	full := startRedis(t, "--maxmemory", "1mb", "--maxmemory-policy", "noeviction")
	fill(t, full)
	primary := startRedis(t)
	replica := startRedis(t, "--replicaof", "127.0.0.1", primary.port)
	unsaved := unsavable(t)
	narrow := startRedis(t, "--maxclients", "20")
	cluster := startRedis(t, "--cluster-enabled", "yes")
	small := startRedis(t)
	small.do(t, "SET", "word", "a")

	for _, c := range []trouble{
		{"NOAUTH", on(locked, "-t", "set"), []string{"asks for a password; give it (-a)"}, false},
		{"WRONGPASS", on(locked, "-t", "set", "-a", "wrong"), []string{"refuses the user name and password (WRONGPASS"}, false},
		{"a password where there is none", on(primary, "-t", "set", "-a", "x"), []string{"refuses the user name and password (ERR AUTH"}, false},
		{"NOPERM", on(guarded, "--user", "ada", "-a", "l0ve", "-t", "ping_mbulk,incr"), []string{"INCR: 3,000 of 3,000 replies were errors", "does not permit this user the command (NOPERM"}, true},
		{"NOPERM, of a user who may ask nothing", on(guarded, "--user", "bob", "-a", "l0ve", "-t", "set"), []string{"does not permit this user the command (NOPERM"}, false},
		{"OOM", on(full, "-t", "set"), []string{"SET: 3,000 of 3,000 replies were errors", "has reached its maxmemory (OOM"}, false},
		{"READONLY", on(replica, "-t", "set"), []string{"is a replica that takes no writes (READONLY"}, false},
		{"MISCONF", on(unsaved, "-t", "set"), []string{"its last snapshot failed (MISCONF"}, false},
		{"maxclients", on(narrow, "-t", "set"), []string{"takes no more connections (ERR max number of clients reached)"}, false},
		{"CLUSTERDOWN", on(cluster, "-t", "set"), []string{"is a node of a cluster"}, false},
		{"no cluster", on(small, "--cluster", "-t", "set"), []string{"is not in a cluster (ERR This instance has cluster support disabled); leave out --cluster"}, false},
		{"a cluster without slots", on(cluster, "--cluster", "-t", "set"), []string{"no master of the cluster", "has slots"}, false},
		{"another error", on(small, "INCR", "word"), []string{"answers with an error: ERR value is not an integer"}, false},
		{"no such command", on(small, "NOSUCH"), []string{"answers with an error: ERR unknown command"}, false},
		{"an HTTP server", at(speaking(t, "HTTP/1.1 400 Bad Request\r\n\r\n")), []string{"answers, but not as a Redis server"}, false},
		{"protected mode", at(speaking(t, "-DENIED Redis is running in protected mode because protected mode is enabled\r\n")), []string{"is in protected mode"}, false},
		{"loading", at(speaking(t, "-LOADING Redis is loading the dataset in memory\r\n")), []string{"is still loading its data (LOADING"}, false},
		{"one that closes", at(speaking(t, "")), []string{"closes the connection; check the server's log"}, false},
		{"nothing there", at(closedPort(t)), []string{"nothing listens on 127.0.0.1:"}, false},
		{"no such host", []string{"-h", "no-such-host.invalid"}, []string{"the host of no-such-host.invalid:6379 is not known"}, false},
		{"no such socket", []string{"-s", filepath.Join(t.TempDir(), "none")}, []string{"there is no socket "}, false},
		{"TLS to a port without", on(small, "--tls", "--insecure"), []string{"does not speak TLS"}, false},
	} {
		began := time.Now()
		s := berth(t, machine{}, append([]string{"load", "-q", "-n", "3000"}, c.args...)...)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("%s: it took %v", c.name, took)
		}
		if s.code != exitFailed || (s.out != "") != c.prints {
			t.Errorf("%s: exit code %d, printed %q", c.name, s.code, s.out)
		}
		rest := s.err
		for _, say := range c.says {
			_, after, found := strings.Cut(rest, say)
			if !found {
				t.Errorf("%s: %q does not say %q", c.name, s.err, say)
			}
			rest = after
		}
		if n := strings.Count(withoutWarnings(s.err), "\n"); n != 1 {
			t.Errorf("%s: %d sentences, want one: %q", c.name, n, s.err)
		}
		t.Logf("%s:\n\t%s", c.name, strings.TrimSpace(withoutWarnings(s.err)))
	}
}

func TestRealLoadingIsNamed(t *testing.T) {
	r := startRedis(t, "--enable-debug-command", "yes")
	r.do(t, "DEBUG", "POPULATE", "20000")
	r.do(t, "CONFIG", "SET", "key-load-delay", "1000") // µs: 20 s for them all
	r.do(t, "CONFIG", "SET", "loading-process-events-interval-bytes", "1024")
	reloaded := make(chan error, 1)
	other := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + r.port, Protocol: 2, ReadTimeout: time.Minute, MaxRetries: -1})
	t.Cleanup(func() { other.Close() })
	go func() { reloaded <- other.Do(context.Background(), "DEBUG", "RELOAD").Err() }()
	r.until(t, "loading", func() bool {
		return strings.HasPrefix(fmt.Sprint(r.control.DBSize(context.Background()).Err()), "LOADING")
	})
	s := r.load(t, "-t", "set")
	if s.code != exitFailed || s.out != "" || !strings.Contains(s.err, "is still loading its data (LOADING") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	r.do(t, "CONFIG", "SET", "key-load-delay", "0")
	if err := <-reloaded; err != nil {
		t.Error(err)
	}
}

func TestASilentServerEndsTheLoad(t *testing.T) {
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
		}
	}()
	began := time.Now()
	s := berth(t, machine{}, append([]string{"load"}, at(l.Addr().String())...)...)
	if took := time.Since(began); s.code != exitFailed || took > 8*time.Second || !strings.Contains(s.err, "does not answer; check that the server is alive") {
		t.Errorf("exit code %d after %v: %s", s.code, took, s.err)
	}
}

// TestSomeErrorsAreFiguresAndAFailure has a server that refuses for a part of the test.
func TestSomeErrorsAreFiguresAndAFailure(t *testing.T) {
	r := startRedis(t, "--maxmemory", "20mb")
	s := r.load(t, "-n", "60000", "-r", "1000000000", "-d", "1000", "-t", "set,get", "-q")
	if s.code != exitFailed || !strings.HasPrefix(s.out, "SET: ") || !strings.Contains(s.out, "\nGET: ") || !strings.Contains(s.err, "of 60,000 replies were errors") ||
		!strings.Contains(s.err, "(OOM ") || !strings.Contains(s.err, "these figures count error replies as requests: SET\n") {
		t.Errorf("exit code %d:\n%s%s", s.code, s.out, s.err)
	}
}

func on(r *realRedis, args ...string) []string { return append([]string{"-p", r.port}, args...) }

func at(address string) []string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		panic(err)
	}
	return []string{"-h", host, "-p", port}
}

// withoutWarnings is what was said of the load that failed.
func withoutWarnings(said string) string {
	var b strings.Builder
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "holds") && !strings.Contains(line, "too short to stand on") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// fill leaves no memory for another value.
func fill(t *testing.T, r *realRedis) {
	t.Helper()
	for i := range 2000 {
		if err := r.control.Set(context.Background(), fmt.Sprint("filler:", i), strings.Repeat("x", 10_000), 0).Err(); err != nil {
			return
		}
	}
	t.Fatal("the server took everything")
}

// unsavable is a server whose snapshot failed.
func unsavable(t *testing.T) *realRedis {
	t.Helper()
	r := startRedis(t)
	r.do(t, "SET", "somebodys", "1")
	r.do(t, "CONFIG", "SET", "save", "3600 1")
	// Where the snapshot would go there is a folder: this stops root too.
	if err := os.MkdirAll(filepath.Join(r.folder, "dump.rdb", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.do(t, "BGSAVE")
	r.until(t, "a snapshot that fails", func() bool {
		return strings.Contains(r.control.Info(context.Background(), "persistence").Val(), "rdb_last_bgsave_status:err")
	})
	return r
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	need.Linux(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// speaking is the address of a server that answers whatever it is sent with the same words.
func speaking(t *testing.T, words string) string {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
					_, _ = io.WriteString(c, words)
				}
			}()
		}
	}()
	return l.Addr().String()
}

func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
