package redisload

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"berth/core/need"
)

// realServer starts a redis-server of the test's own on a free loopback
// port, which ends with the test, and returns its address.
func realServer(t testing.TB, options ...string) string {
	t.Helper()
	need.Redis(t)
	dir := t.TempDir()
	for range 5 {
		port := freePort(t)
		args := append([]string{
			"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no",
			"--unixsocket", filepath.Join(dir, "s"), "--logfile", filepath.Join(dir, "log"),
		}, options...)
		name := "redis-server"
		if cpu := os.Getenv("BERTH_BENCH_SERVER_CPU"); cpu != "" {
			name, args = "taskset", append([]string{"-c", cpu, "redis-server"}, args...)
		}
		server := exec.Command(name, args...)
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = server.Wait()
			close(ended)
		}()
		address := fmt.Sprintf("127.0.0.1:%d", port)
		if answers(address, ended) {
			t.Cleanup(func() {
				_ = server.Process.Kill()
				<-ended
			})
			return address
		}
		_ = server.Process.Kill()
		<-ended // the port was taken meanwhile: try another
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("redis-server does not start:\n%s", log)
	return ""
}

// answers waits until a server speaks, whatever it says.
func answers(address string, ended <-chan struct{}) bool {
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.SetDeadline(time.Now().Add(time.Second))
			fmt.Fprint(conn, "PING\r\n")
			_, err := bufio.NewReader(conn).ReadString('\n')
			conn.Close()
			if err == nil {
				return true
			}
		}
		select {
		case <-ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
	return false
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// fakeServer serves each connection by handle, which ends when it is closed.
func fakeServer(t testing.TB, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, conn)
			mu.Unlock()
			serving.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		serving.Wait()
	})
	return l.Addr().String()
}

// readCommand reads one command of a connection, inline or as an array.
func readCommand(r *bufio.Reader) ([]string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimRight(line, "\r\n")
	if !strings.HasPrefix(line, "*") {
		return strings.Fields(line), nil
	}
	n, err := strconv.Atoi(line[1:])
	if err != nil {
		return nil, err
	}
	var args []string
	for range n {
		head, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, err := strconv.Atoi(strings.TrimRight(head[1:], "\r\n"))
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+2)
		for got := 0; got < len(b); {
			m, err := r.Read(b[got:])
			if err != nil {
				return nil, err
			}
			got += m
		}
		args = append(args, string(b[:size]))
	}
	return args, nil
}

// jobFor is a small job on a server; tests change what they are about.
func jobFor(address, test string) Job {
	return Job{
		Target: Target{Network: "tcp", Address: address}, Suite: Modern, Test: test,
		PayloadBytes: 100, Pipeline: 1, Clients: 10, Threads: 1, Requests: 5000,
	}
}

// runJob runs a job that must succeed.
func runJob(t testing.TB, job Job) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Run(ctx, job, nil)
	if err != nil {
		t.Fatalf("%s: %v", job.Test, err)
	}
	if r.Cut != "" {
		t.Fatalf("%s was cut: %s", job.Test, r.Cut)
	}
	return r
}

// ask sends one command on a connection of its own.
func ask(t testing.TB, address string, args ...string) string {
	t.Helper()
	c, err := openControl(context.Background(), Job{Target: Target{Network: "tcp", Address: address}}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	values, err := c.ask(args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return strings.Join(values, " ")
}

// calls is how often the server carried out a command, by its own count.
func calls(t testing.TB, address, command string) int64 {
	t.Helper()
	_, after, found := strings.Cut(ask(t, address, "INFO", "commandstats"), "cmdstat_"+command+":calls=")
	if !found {
		return 0
	}
	number, _, _ := strings.Cut(after, ",")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// engines runs a test on both engines.
func engines(t *testing.T, f func(t *testing.T, portable bool)) {
	t.Run("epoll", func(t *testing.T) {
		need.Linux(t)
		f(t, false)
	})
	t.Run("portable", func(t *testing.T) { f(t, true) })
}

// redisLike is a handler that replies to each command as reply says; an
// empty reply ends the connection.
func redisLike(reply func(args []string) string) func(net.Conn) {
	return func(conn net.Conn) {
		r := bufio.NewReaderSize(conn, 64<<10)
		w := bufio.NewWriterSize(conn, 64<<10)
		for {
			args, err := readCommand(r)
			if err != nil {
				return
			}
			answer := ":0\r\n"
			if args[0] != "DBSIZE" {
				answer = reply(args)
			}
			if answer == "" {
				w.Flush()
				return
			}
			w.WriteString(answer)
			if r.Buffered() == 0 {
				w.Flush()
			}
		}
	}
}
