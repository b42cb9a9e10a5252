package server

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
)

func TestDataAboveTheLimitGoFromStartToStartAndSaySo(t *testing.T) {
	l, filled := newMySQLLauncher(t)
	l.options.MySQL.CopyLimit = 1
	placements := []string{plan.Native, plan.Native, plan.Pinned}
	if out, err := openEngine(t.Context()); err == nil {
		out.api.Close()
		placements = append(placements, plan.DockerHost)
	}
	var said []string
	for i, placement := range placements {
		v := mysqlVariant(placement)
		if err := l.Prepare(t.Context(), []plan.Variant{v}, func(s string) { said = append(said, s) }); err != nil {
			t.Fatal(err)
		}
		s, err := l.Start(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if n := mysqlRows(t, s.Endpoint); n != 3+i {
			t.Errorf("start %d, %s, has %d rows, want %d", i+1, placement, n, 3+i)
		}
		if carried := slices.Contains(s.Flags, result.FlagCarried); carried != (i > 0) {
			t.Errorf("start %d, %s, has the flags %v", i+1, placement, s.Flags)
		}
		if _, err := l.Start(t.Context(), mysqlVariant(plan.Native)); err == nil {
			t.Error("two servers have the same folder")
		}
		db, err := mysqlControl(s.Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("INSERT INTO kept SELECT MAX(id) + 1 FROM kept"); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if i == 1 { // it is taken back from one that died, too
			if err := s.running.kill(); err != nil {
				t.Fatal(err)
			}
			<-s.Exited()
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if *filled != 1 || !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "goes on with the same folder") }) {
		t.Errorf("the data was made %d times; said %q", *filled, said)
	}
}

func TestCancellingDoesNotWaitForACleanEnd(t *testing.T) {
	need.Mariadb(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := NewLauncher(ctx, Options{RunID: "test", WorkDir: t.TempDir(), MySQL: MySQLOptions{CopyLimit: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, l, mysqlVariant(plan.Native))
	cancel()
	began := time.Now()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTooLittleDiskIsToldBeforeAnythingIsMade(t *testing.T) {
	l, filled := newMySQLLauncher(t)
	l.options.MySQL.DataBytes = 1 << 60
	err := l.Prepare(t.Context(), []plan.Variant{mysqlVariant(plan.Native)}, nil)
	wants(t, err, "server.mysql-space")
	if entries, _ := os.ReadDir(l.launch.Folder); len(entries) != 1 || *filled != 0 {
		t.Errorf("the launch's folder holds %v, want the record alone", entries)
	}
}

func TestThatBlocksAreSharedIsFoundOutByTryingAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	t.Logf("shared: %v", sharesBlocks(folder))
	if !isEmpty(folder) {
		left, _ := filepath.Glob(folder + "/*")
		t.Errorf("left: %v", left)
	}
	if sharesBlocks(filepath.Join(folder, "absent")) {
		t.Error("a folder that is not there shares blocks")
	}
}
