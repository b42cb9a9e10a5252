package server

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

func mysqlVariant(placement string) plan.Variant {
	v := variant(placement)
	v.Service = plan.MySQL
	return v
}

// newMySQLLauncher fills a table with three rows.
func newMySQLLauncher(t *testing.T) (l *Launcher, filled *int) {
	t.Helper()
	need.Mariadb(t)
	l = newLauncher(t)
	filled = new(int)
	l.options.MySQL = MySQLOptions{BufferPoolBytes: 32 << 20, Fill: func(ctx context.Context, v plan.Variant, e Endpoint) error {
		*filled++
		return mysqlExec(ctx, e, "CREATE TABLE kept (id INTEGER PRIMARY KEY)", "INSERT INTO kept VALUES (1), (2), (3)")
	}}
	return l, filled
}

func mysqlExec(ctx context.Context, e Endpoint, statements ...string) error {
	db, err := mysqlControl(e)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func mysqlRows(t *testing.T, e Endpoint) (n int) {
	t.Helper()
	db, err := mysqlControl(e)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow("SELECT COUNT(*) FROM kept").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEveryStartOfMySQLHasTheSameData(t *testing.T) {
	l, filled := newMySQLLauncher(t)
	for _, placement := range []string{plan.Native, plan.Native, plan.Pinned} {
		s := start(t, l, mysqlVariant(placement))
		if n := mysqlRows(t, s.Endpoint); n != 3 {
			t.Errorf("%s starts with %d rows, want 3", placement, n)
		}
		if err := mysqlExec(t.Context(), s.Endpoint, "INSERT INTO kept VALUES (4)"); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"mysql.innodb_flush_log_at_trx_commit": "1", "mysql.innodb_buffer_pool_size": "33554432", "mysql.log_bin": "OFF", "network.path": "loopback",
			"mysql.innodb_buffer_pool_load_at_startup": "OFF", "mysql.innodb_buffer_pool_dump_at_shutdown": "OFF", "mysql.data_in_buffer_pool": "yes", "mysql.data": "a copy of the same folder",
		} {
			if got := s.Facts[key]; got != want {
				t.Errorf("%s: %s is %q, want %q", placement, key, got, want)
			}
		}
		if len(s.PIDs) != 1 || gone(s.PIDs...) || s.Facts["mysql.version"] == "" {
			t.Errorf("%s: pids %v, facts %v", placement, s.PIDs, s.Facts)
		}
		t.Logf("ready in %v, data copied in %s:\n%s", s.Ready, s.Facts["mysql.data_copied_in"], strings.Join(s.Commands, "\n"))
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !gone(s.PIDs...) {
			t.Errorf("%s: process %v still runs", placement, s.PIDs)
		}
	}
	if *filled != 1 {
		t.Errorf("the data was made %d times", *filled)
	}
	if entries, _ := os.ReadDir(l.launch.Folder); len(entries) != 2 {
		t.Errorf("the launch's folder holds %v, want the record and the master", entries)
	}
}

func TestMySQLHasOneAccountAndItsPasswordAndListensOnLoopbackOnly(t *testing.T) {
	l, _ := newMySQLLauncher(t)
	s := start(t, l, mysqlVariant(plan.Native))
	for _, c := range []struct{ user, password string }{{mysqlUser, ""}, {mysqlUser, "wrong"}, {"root", ""}, {"root", s.Endpoint.Password}, {"", ""}, {"mariadb.sys", ""}} {
		e := s.Endpoint
		e.User, e.Password = c.user, c.password
		err := (mysqlService{}).ask(t.Context(), e)
		var refused *text.Error
		if !errors.As(err, &refused) || refused.ID != "server.mysql-denied" {
			t.Errorf("user %q: %v, want to be denied", c.user, err)
		}
	}
	e := s.Endpoint
	e.Schema = "mysql"
	if err := (mysqlService{}).ask(t.Context(), e); err == nil {
		t.Error("the account may use the database mysql")
	}
	answersNowhereElse(t, s)
	if v := plan.PersistenceNo; flushAtCommit(plan.Variant{Persistence: v}) != "0" || flushAtCommit(plan.Variant{}) != "1" {
		t.Error("durability does not follow the plan")
	}
}

func TestMySQLInAContainerRunsTheHostsProgramOnTheSameData(t *testing.T) {
	need.Docker(t)
	l, filled := newMySQLLauncher(t)
	for _, placement := range dockerPlacements {
		s := start(t, l, mysqlVariant(placement))
		if n := mysqlRows(t, s.Endpoint); n != 3 {
			t.Errorf("%s starts with %d rows, want 3", placement, n)
		}
		host, _, _ := net.SplitHostPort(s.Endpoint.Address)
		if ip := net.ParseIP(host); placement != plan.DockerDirect && !ip.IsLoopback() {
			t.Errorf("%s is reached at %s", placement, host)
		}
		if err := mysqlExec(t.Context(), s.Endpoint, "INSERT INTO kept VALUES (4)"); err != nil {
			t.Fatal(err)
		}
		e := s.Endpoint
		e.User, e.Password = "root", ""
		if err := (mysqlService{}).ask(t.Context(), e); err == nil {
			t.Errorf("%s lets root in without a password", placement)
		}
		t.Logf("%s by %s in %v", s.Endpoint.Address, s.Facts["network.path"], s.Ready)
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if *filled != 1 {
		t.Errorf("the data was made %d times", *filled)
	}
}

func TestDataThatExceedTheBufferPoolAreFlagged(t *testing.T) {
	l, _ := newMySQLLauncher(t)
	l.options.MySQL.BufferPoolBytes = 6 << 20
	l.options.MySQL.Fill = func(ctx context.Context, v plan.Variant, e Endpoint) error {
		return mysqlExec(ctx, e, "CREATE TABLE large (id INTEGER PRIMARY KEY, c LONGBLOB)", "INSERT INTO large SELECT seq, REPEAT('x', 100000) FROM seq_1_to_120", "ANALYZE TABLE large")
	}
	s := start(t, l, mysqlVariant(plan.Native))
	if !slices.Contains(s.Flags, result.FlagPool) || s.Facts["mysql.data_in_buffer_pool"] != "no" {
		t.Errorf("flags %v, %s bytes of data, a pool of %s", s.Flags, s.Facts["mysql.data_bytes"], s.Facts["mysql.innodb_buffer_pool_size"])
	}
}

func TestMySQLThatCannotBeFilledLeavesNothing(t *testing.T) {
	l, _ := newMySQLLauncher(t)
	why := errors.New("no")
	l.options.MySQL.Fill = func(context.Context, plan.Variant, Endpoint) error { return why }
	if err := l.Prepare(t.Context(), []plan.Variant{mysqlVariant(plan.Native)}, nil); !errors.Is(err, why) {
		t.Errorf("prepared with %v", err)
	}
	if entries, _ := os.ReadDir(l.launch.Folder); len(entries) != 1 {
		t.Errorf("the launch's folder holds %v, want the record alone", entries)
	}
	if _, err := l.Start(t.Context(), mysqlVariant(plan.Native)); err == nil {
		t.Error("it starts without data")
	}
}

func TestAnExistingMySQLIsReachedAndARedisIsNone(t *testing.T) {
	l, _ := newMySQLLauncher(t)
	s := start(t, l, mysqlVariant(plan.Native))
	facts, err := TestMySQLConnection(t.Context(), s.Endpoint)
	if err != nil || facts["mysql.version"] == "" {
		t.Errorf("%v, %v", facts, err)
	}
	address, port, err := net.SplitHostPort(s.Endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	v := mysqlVariant(plan.Existing)
	v.Host, v.User, v.Password, v.Schema = address, s.Endpoint.User, s.Endpoint.Password, s.Endpoint.Schema
	if v.Port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	// It is left as it is: no Redis command is sent to it.
	if err := start(t, l, v).Stop(t.Context()); err != nil {
		t.Errorf("the existing MySQL is not left alone: %v", err)
	}
	e := s.Endpoint
	e.Schema = "absent"
	if _, err := TestMySQLConnection(t.Context(), e); err == nil {
		t.Error("a database that is not there is reached")
	}
	need.Redis(t)
	other := start(t, l, variant(plan.Native))
	var refused *text.Error
	if _, err := TestMySQLConnection(t.Context(), Endpoint{Network: "tcp", Address: other.Endpoint.Address, User: "u", Schema: "s"}); !errors.As(err, &refused) {
		t.Errorf("a Redis server passes for MySQL: %v", err)
	}
}

func TestDatabaseThatCannotBeSetUpIsToldWithWhatItsProgramSaid(t *testing.T) {
	l := newLauncher(t)
	v := plan.Variant{Label: "native", Service: plan.MySQL, Placement: plan.Native, Program: filepath.Join(t.TempDir(), "mysqld")}
	if err := os.WriteFile(v.Program, []byte("#!/bin/sh\nfor i in 1 2 3; do echo 'a long line that says little, once more and once more and once more'; done\necho 'the disk is on fire'\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := l.Prepare(t.Context(), []plan.Variant{v}, nil)
	wants(t, err, "server.mysql-install")
	if err == nil || !strings.Contains(err.Error(), "the disk is on fire") {
		t.Errorf("error: %v, want the program's own words", err)
	}
}
