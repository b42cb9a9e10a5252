package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/agent"
	"berth/core/result"
	"berth/core/server"
)

// loading starts a run and returns when its tables are there and it measures.
func (s *theirMySQL) loading() *exec.Cmd {
	s.t.Helper()
	berth := process(s.t, asBerth, "run", "--plan", s.plan("", "seconds = 60"), "--out", s.t.TempDir())
	if err := berth.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { berth.Process.Kill(); berth.Wait() })
	within(s.t, 20*time.Second, "Berth's tables are there, and loaded", func() bool {
		return strings.Contains(s.tables(), "sbtest1,sbtest2") && s.text("SELECT VARIABLE_VALUE > 100 FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'COM_COMMIT'") == "1"
	})
	return berth
}

// theirTables makes tables that are not to be touched, and gives their names.
func (s *theirMySQL) theirTables() string {
	s.exec("CREATE TABLE theirs.sbtest9 (id INTEGER PRIMARY KEY)", "CREATE TABLE theirs.sbtest8 (id INTEGER PRIMARY KEY) COMMENT 'made by Berth'", "CREATE TABLE theirs.kept (id INTEGER PRIMARY KEY)")
	return s.tables()
}

func TestARunMakesTablesOnSomebodysMySQLAndDropsThemInTheEnd(t *testing.T) {
	s := startTheirMySQL(t)
	before := s.theirTables()
	out, code, folder := s.run(s.plan("", ""))
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, out)
	}
	r, err := result.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 1 || r.Samples[0].Transactions == 0 || !slices.Contains(r.Samples[0].Flags, result.FlagNotFresh) {
		t.Errorf("samples %+v", r.Samples)
	}
	if after := s.tables(); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestTablesThatAreThereAreUsedAndStay(t *testing.T) {
	s := startTheirMySQL(t)
	if got := s.oltp("prepare"); got.code != exitDone {
		t.Fatal(got.err)
	}
	before := s.tables()
	if out, code, _ := s.run(s.plan("", "")); code != exitDone || strings.Contains(out, "rows of") {
		t.Fatalf("exit %d: %s", code, out)
	}
	if after := s.tables(); after != before || !strings.Contains(before, "sbtest2") {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestTablesOnSomebodysMySQLGoWithAKilledBerth(t *testing.T) {
	s := startTheirMySQL(t)
	before := s.theirTables()
	berth := s.loading()
	berth.Process.Kill()
	berth.Wait()
	within(t, 10*time.Second, "no table of ours is left", func() bool { return s.tables() == before })
}

func TestCleanDropsTablesOnSomebodysMySQLWhenTheGuardDiedToo(t *testing.T) {
	s := startTheirMySQL(t)
	before := s.theirTables()
	killAll := func() *exec.Cmd {
		berth := s.loading()
		processes := children(berth.Process.Pid)
		for _, pid := range []int{processes[server.GuardCommand], berth.Process.Pid, processes[agent.Command]} {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		berth.Wait()
		if s.tables() == before {
			t.Fatal("the tables have gone by themselves: nothing is tried")
		}
		return berth
	}
	berth := killAll()
	clean := func(password string) (string, error) {
		c := exec.Command(berth.Path, asBerth, "clean")
		c.Env = append(slices.Clone(berth.Env), "MYSQL_PWD="+password)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := clean(""); err == nil || !strings.Contains(out, "MYSQL_PWD") || !strings.Contains(out, "127.0.0.1:"+s.port) || s.tables() == before {
		t.Errorf("without the password: %v, %s", err, out)
	}
	if out, err := clean(theirPassword); err != nil || !strings.Contains(out, "2 tables at ") || s.tables() != before {
		t.Errorf("with the password: %v, %s; left %s", err, out, s.tables())
	}
	if out, err := clean(""); err != nil || !strings.Contains(out, "nothing") {
		t.Errorf("then: %v, %s", err, out)
	}

	// The next run has the password in its plan.
	berth = killAll()
	next := exec.Command(berth.Path, asBerth, "run", "--plan", s.plan("", "seconds = 0.2"), "--out", filepath.Join(t.TempDir(), "out"))
	next.Env = berth.Env
	if out, err := next.CombinedOutput(); err != nil || s.tables() != before {
		t.Fatalf("%v: %s; left %s", err, out, s.tables())
	}
}
