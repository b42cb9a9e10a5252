package oltp

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"berth/core/need"
)

// A mariadb is a private server of one test's own.
type mariadb struct {
	target  Target // as the user sbtest, who has all rights in the database sbtest
	db      *sql.DB
	process *os.Process
}

// installed is the data folder of a new server, made once and copied for each.
var installed = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "oltp")
	if err != nil {
		return "", err
	}
	data := filepath.Join(folder, "data")
	args := []string{"--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=10M"}
	if os.Geteuid() == 0 {
		args = append(args, "--user=root")
	}
	if out, err := exec.Command("mariadb-install-db", args...).CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("%w: %s", err, out), os.RemoveAll(folder))
	}
	templateFolder = folder
	return data, nil
})

// templateFolder is removed when all tests are done; "" until it is there.
var templateFolder string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == loadCommand {
		os.Exit(loadMain())
	}
	code := m.Run()
	if err := os.RemoveAll(templateFolder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// startMariadb starts a server that ends with the test. more are further options.
func startMariadb(t testing.TB, more ...string) *mariadb {
	t.Helper()
	need.Mariadb(t)
	// Socket paths have at most 107 bytes; a test's own folder may be longer.
	folder, err := os.MkdirTemp("", "oltp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	data := filepath.Join(folder, "data")
	user := []string{}
	if os.Geteuid() == 0 {
		user = append(user, "--user=root")
	}
	template, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(data, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	socket, log := filepath.Join(folder, "s"), filepath.Join(folder, "log")
	port := freePort(t)
	args := append([]string{
		"--no-defaults", "--datadir=" + data, "--socket=" + socket, "--pid-file=" + filepath.Join(folder, "pid"), "--port=" + strconv.Itoa(port),
		"--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin", "--log-error=" + log, "--innodb-log-file-size=10M",
		// Tests measure clients, not disks.
		"--innodb-flush-log-at-trx-commit=2",
	}, append(user, more...)...)
	server := exec.Command("mariadbd", args...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = server.Wait() // killed at the end
	}()
	t.Cleanup(func() {
		_ = server.Process.Kill() // its data is thrown away
		<-exited
	})
	root := Target{Network: "unix", Address: socket, User: "root", Database: "mysql"}
	m := &mariadb{
		target:  Target{Network: "tcp", Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), User: "sbtest", Password: "secret", Database: "sbtest"},
		process: server.Process,
	}
	for deadline := time.Now().Add(30 * time.Second); ; {
		m.db, err = openControl(context.Background(), root)
		if err == nil {
			break
		}
		select {
		case <-exited:
			said, _ := os.ReadFile(log)
			t.Fatalf("mariadbd ended: %s", said)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { m.db.Close() })
	m.exec(t, "CREATE DATABASE sbtest")
	m.exec(t, "CREATE USER sbtest@'127.0.0.1' IDENTIFIED BY 'secret'")
	m.exec(t, "GRANT ALL ON sbtest.* TO sbtest@'127.0.0.1'")
	return m
}

func (m *mariadb) exec(t testing.TB, query string) {
	t.Helper()
	if _, err := m.db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// status is the server's global counter called name.
func (m *mariadb) status(t testing.TB, name string) int64 {
	t.Helper()
	n, known, err := number(context.Background(), m.db, fmt.Sprintf("SHOW GLOBAL STATUS LIKE '%s'", name))
	if err != nil || !known {
		t.Fatalf("%s: %v, known %v", name, err, known)
	}
	return n
}

// job is sysbench's defaults on small tables of this server.
func (m *mariadb) job() Job {
	job := DefaultJob()
	job.Target = m.target
	job.Schema.Tables, job.Schema.TableSize = 2, 1000
	job.Duration = 300 * time.Millisecond
	job.Threads = 2
	return job
}

func (m *mariadb) prepared(t testing.TB, job Job) Job {
	t.Helper()
	if err := Prepare(context.Background(), job, nil); err != nil {
		t.Fatal(err)
	}
	return job
}

// cleaned drops the job's tables.
func (m *mariadb) cleaned(t testing.TB, job Job) {
	t.Helper()
	if err := Cleanup(context.Background(), job, nil); err != nil {
		t.Error(err)
	}
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

// loadCommand makes the test binary a process that does nothing but one job, as an agent is.
const loadCommand = "__load"

// A loaded is what such a process prints.
type loaded struct {
	Events  int64
	Elapsed time.Duration
	P95     float64
	Cut     string
}

func loadMain() int {
	var job Job
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	r, err := Run(context.Background(), job, nil)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(loaded{r.Events, r.Elapsed, r.Buckets.Percentile(95), r.Cut})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
