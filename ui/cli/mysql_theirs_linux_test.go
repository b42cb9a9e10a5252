package cli

import (
	"context"
	"database/sql"
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

	"github.com/go-sql-driver/mysql"

	"berth/core/need"
)

// A theirMySQL is somebody's own server, with a user whose rights end at one database.
type theirMySQL struct {
	t       *testing.T
	port    string
	process *os.Process
	root    *sql.DB
	exited  chan struct{}
}

// theirDatabase is the data folder of such a server, made once.
var theirDatabase = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "theirs")
	if err != nil {
		return "", err
	}
	removedAfterwards = append(removedAfterwards, folder)
	args := append([]string{"--no-defaults", "--datadir=" + filepath.Join(folder, "data"), "--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=10M"}, asRoot()...)
	if out, err := exec.Command("mariadb-install-db", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(folder, "data"), nil
})

func asRoot() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// startTheirMySQL starts a server that ends with the test. options are mariadbd's.
func startTheirMySQL(t *testing.T, options ...string) *theirMySQL {
	t.Helper()
	need.Linux(t)
	need.Mariadb(t)
	template, err := theirDatabase()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "m") // a socket's path is at most 107 bytes long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	data := filepath.Join(folder, "data")
	if err := os.CopyFS(data, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &theirMySQL{t: t, port: strconv.Itoa(l.Addr().(*net.TCPAddr).Port), exited: make(chan struct{})}
	l.Close()
	socket, log := filepath.Join(folder, "s"), filepath.Join(folder, "log")
	args := append([]string{"--no-defaults", "--datadir=" + data, "--socket=" + socket, "--pid-file=" + filepath.Join(folder, "pid"), "--port=" + s.port,
		"--bind-address=127.0.0.1", "--skip-name-resolve", "--skip-log-bin", "--log-error=" + log, "--innodb-log-file-size=10M", "--innodb-flush-log-at-trx-commit=2"},
		append(asRoot(), options...)...)
	cmd := exec.Command("mariadbd", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.process = cmd.Process
	go func() {
		defer close(s.exited)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.exited
	})
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Logger = "unix", socket, "root", &mysql.NopLogger{}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	s.root = sql.OpenDB(connector)
	t.Cleanup(func() { s.root.Close() })
	for began := time.Now(); s.root.Ping() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			said, _ := os.ReadFile(log)
			t.Fatalf("their server does not answer: %s", said)
		}
	}
	s.exec("CREATE DATABASE theirs", "CREATE USER their@'127.0.0.1' IDENTIFIED BY '"+theirPassword+"'", "GRANT ALL ON theirs.* TO their@'127.0.0.1'")
	return s
}

func (s *theirMySQL) exec(statements ...string) {
	s.t.Helper()
	for _, statement := range statements {
		if _, err := s.root.ExecContext(context.Background(), statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// text is the one value that a query gives.
func (s *theirMySQL) text(query string) (v string) {
	s.t.Helper()
	if err := s.root.QueryRow(query).Scan(&v); err != nil {
		s.t.Fatalf("%s: %v", query, err)
	}
	return v
}

// tables are those of their database.
func (s *theirMySQL) tables() string {
	return s.text("SELECT COALESCE(GROUP_CONCAT(table_name ORDER BY table_name), '') FROM information_schema.tables WHERE table_schema = 'theirs'")
}

// oltp runs berth oltp on it.
func (s *theirMySQL) oltp(args ...string) said {
	s.t.Helper()
	options := []string{"oltp", "--mysql-host=127.0.0.1", "--mysql-port=" + s.port, "--mysql-user=their", "--mysql-password=" + theirPassword, "--mysql-db=theirs",
		"--tables=2", "--table-size=1000", "--threads=2", "--time=1"}
	return berth(s.t, &fakeCore{}, append(options, args...)...)
}

// plan is a file with a plan that loads it. more are lines of the variant, and after them of the load.
func (s *theirMySQL) plan(variant, load string) string {
	path := filepath.Join(s.t.TempDir(), "plan.toml")
	lines := fmt.Sprintf("name = \"theirs\"\nrounds = 1\n[[variant]]\nlabel = \"theirs\"\nservice = \"mysql\"\nplacement = \"existing\"\nport = %s\n", s.port)
	for key, value := range map[string]string{"user": "their", "password": theirPassword, "schema": "theirs"} {
		if !strings.Contains(variant, key+" =") {
			lines += fmt.Sprintf("%s = %q\n", key, value)
		}
	}
	lines += variant + "\n[oltp]\n"
	for _, setting := range [][2]string{{"tables", "2"}, {"table_size", "1000"}, {"threads", "[2]"}, {"seconds", "1"}, {"warmup_seconds", "0.1"}} {
		if !strings.Contains(load, setting[0]+" =") {
			lines += setting[0] + " = " + setting[1] + "\n"
		}
	}
	if err := os.WriteFile(path, []byte(lines+load+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// run carries a plan out in a Berth of its own.
func (s *theirMySQL) run(plan string) (out string, code int, folder string) {
	s.t.Helper()
	folder = s.t.TempDir()
	cmd := process(s.t, asBerth, "run", "--plan", plan, "--out", folder)
	raw, _ := cmd.CombinedOutput() // its exit code is looked at
	return string(raw), cmd.ProcessState.ExitCode(), folder
}
