package server

import (
	"context"
	"net"
	"slices"
	"strconv"
	"testing"

	"berth/core/plan"
)

// existingOf is s as somebody's own server.
func existingOf(t *testing.T, s *Server) plan.Variant {
	t.Helper()
	address, port, err := net.SplitHostPort(s.Endpoint.Address)
	if err != nil {
		t.Fatal(err)
	}
	v := mysqlVariant(plan.Existing)
	v.Host, v.User, v.Password, v.Schema = address, s.Endpoint.User, s.Endpoint.Password, s.Endpoint.Schema
	if v.Port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	return v
}

func mysqlTables(t *testing.T, e Endpoint) (names []string) {
	t.Helper()
	db, err := mysqlControl(e)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SHOW TABLES")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func TestOnSomebodysMySQLOnlyTheRunsOwnTablesAreDropped(t *testing.T) {
	theirs, _ := newMySQLLauncher(t)
	s := start(t, theirs, mysqlVariant(plan.Native))
	if err := mysqlExec(t.Context(), s.Endpoint,
		"CREATE TABLE sbtest9 (id INTEGER PRIMARY KEY) COMMENT 'made by Berth'", // by berth oltp prepare: a user's
		"CREATE TABLE sbtest8 (id INTEGER PRIMARY KEY) COMMENT 'made by Berth, run another'",
		"CREATE TABLE sbtest7 (id INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	before := mysqlTables(t, s.Endpoint)
	l := newLauncher(t)
	lent := 0
	l.options.MySQL.Lend = func(ctx context.Context, v plan.Variant, e Endpoint, mark string) error {
		lent++
		return mysqlExec(ctx, e, "CREATE TABLE sbtest1 (id INTEGER PRIMARY KEY) COMMENT '"+mark+"'",
			"CREATE TABLE sbtest2 (id INTEGER PRIMARY KEY) COMMENT '"+mark+"'",
			// The mark alone is not enough: somebody may have copied a definition.
			"CREATE TABLE copied_sbtest1 (id INTEGER PRIMARY KEY) COMMENT '"+mark+"'")
	}
	v := existingOf(t, s)
	other := v
	other.Label = "the same once more"
	if err := l.Prepare(t.Context(), []plan.Variant{v, other}, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		e, err := l.Start(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(mysqlTables(t, s.Endpoint), "sbtest2") {
			t.Fatal("the tables go before the run has ended")
		}
	}
	if lent != 1 {
		t.Errorf("the tables were made %d times", lent)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	after := slices.DeleteFunc(mysqlTables(t, s.Endpoint), func(name string) bool { return name == "copied_sbtest1" })
	if !slices.Equal(before, after) {
		t.Errorf("before %v, after %v", before, after)
	}
}
