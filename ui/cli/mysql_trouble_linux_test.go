package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/result"
)

// A mysqlTrouble is one thing wrong with somebody's MySQL server, and the sentence for it.
type mysqlTrouble struct {
	before, after []string // run by root
	command       string   // berth oltp's arguments; "" leaves berth oltp out
	variant, load string   // of a plan; both "" leaves the plan out, "-" is a plan as it is
	want          string
	unmade        bool // no tables are there
}

// Each is one sentence, exit code 1, and their database is as it was.
func TestWhatIsWrongWithSomebodysMySQLIsOneSentence(t *testing.T) {
	s := startTheirMySQL(t, "--max-connections=40")
	s.exec("CREATE DATABASE other", "GRANT SELECT ON other.* TO their@'127.0.0.1'")
	for name, c := range map[string]mysqlTrouble{
		"wrong password":              {command: "--mysql-password=wrong run", variant: `password = "wrong"`, want: "does not let user their in"},
		"no such database":            {command: "--mysql-user=boss --mysql-db=absent run", variant: "user = \"boss\"\nschema = \"absent\"", want: "has no database absent", before: []string{"GRANT ALL ON *.* TO boss@'127.0.0.1' IDENTIFIED BY '" + theirPassword + "'"}, after: []string{"DROP USER boss@'127.0.0.1'"}},
		"not their database":          {command: "--mysql-db=mysql run", variant: `schema = "mysql"`, want: "may not use database mysql"},
		"no right to make tables":     {command: "--mysql-db=other prepare", variant: `schema = "other"`, want: "GRANT ALL ON other.* to it", unmade: true},
		"unknown engine":              {command: "--mysql-storage-engine=rocks prepare", want: "has no storage engine rocks", unmade: true},
		"read-only, to make tables":   {before: []string{"SET GLOBAL read_only = 1"}, after: []string{"SET GLOBAL read_only = 0"}, command: "prepare", variant: "-", want: "is read-only", unmade: true},
		"read-only":                   {before: []string{"SET GLOBAL read_only = 1"}, after: []string{"SET GLOBAL read_only = 0"}, command: "run", variant: "-", want: "is read-only"},
		"too few connections":         {command: "--threads=60 run", load: "threads = [60]", want: "max_connections"},
		"too few prepared statements": {before: []string{"SET GLOBAL max_prepared_stmt_count = 5"}, after: []string{"SET GLOBAL max_prepared_stmt_count = 16382"}, command: "run", variant: "-", want: "max_prepared_stmt_count"},
		"no tables":                   {command: "run", want: "prepare 2 tables of 1000 rows first", unmade: true},
		"too few tables":              {command: "--tables=3 run", load: "tables = 3", want: "table sbtest3 is not in database theirs"},
		"other tables":                {command: "--table-size=500 run", load: "table_size = 500", want: "has 1000 rows, not 500; give the number that it has, or clean up and prepare again"},
		"tables are there":            {command: "prepare", want: "clean up first"},
	} {
		t.Run(name, func(t *testing.T) {
			s := *s
			s.t = t
			if !c.unmade {
				if got := s.oltp("prepare"); got.code != exitDone {
					t.Fatal(got.err)
				}
				defer s.oltp("cleanup")
			}
			s.exec(c.before...)
			defer s.exec(c.after...)
			before := s.tables()
			if c.command != "" {
				got := s.oltp(strings.Fields(c.command)...)
				if got.code != exitFailed || !strings.Contains(got.err, c.want) || strings.Count(got.err, "\n") != 1 {
					t.Errorf("berth oltp %s: exit %d, %q", c.command, got.code, got.err)
				}
				t.Log(strings.TrimSpace(got.err))
			}
			if c.variant+c.load != "" {
				out, code, _ := s.run(s.plan(strings.Trim(c.variant, "-"), c.load))
				// What the plan itself shows to be wrong is told before anything starts, like a mode that is not here.
				if code != exitFailed && code != exitUnusable || !strings.Contains(lastLine(out), c.want) {
					t.Errorf("a plan: exit %d, %s", code, out)
				}
				t.Log(out)
			}
			if after := s.tables(); after != before {
				t.Errorf("before %s, after %s", before, after)
			}
		})
	}
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

func TestAServerWithoutInnoDBIsSaidSo(t *testing.T) {
	s := startTheirMySQL(t, "--skip-innodb", "--default-storage-engine=Aria")
	if got := s.oltp("prepare"); got.code != exitFailed || !strings.Contains(got.err, "has no storage engine innodb") {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	if out, code, _ := s.run(s.plan("", "")); code != exitFailed || !strings.Contains(out, "has no storage engine innodb") {
		t.Errorf("exit %d, %s", code, out)
	}
}

// smallFilesystem is a file system of the test's own, of that many MiB.
func smallFilesystem(t *testing.T, size string) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a file system of the test's own cannot be had: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// On a full disk InnoDB itself refuses the next page.
func TestAFullDiskIsToldAndKeepsWhatWasMeasured(t *testing.T) {
	folder := smallFilesystem(t, "320m")
	s := startTheirMySQL(t, "--innodb-data-home-dir=", "--innodb-data-file-path=ibdata1:12M:autoextend", "--datadir="+folderWithDatabase(t, folder))
	if got := s.oltp("--tables=1", "prepare"); got.code != exitDone {
		t.Fatal(got.err)
	}
	leaveFree(t, folder, 4<<20)
	got := s.oltp("oltp_insert", "--tables=1", "--time=60", "run")
	if got.code != exitFailed || !strings.Contains(got.err, "is full") || !strings.Contains(got.out, "SQL statistics:") || strings.Contains(got.out, "total number of events:              0\n") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
	t.Log(got.err)
	if got := s.oltp("--tables=1", "cleanup"); got.code != exitDone {
		t.Error(got.err)
	}
	// Made for a plan, they are too large too: none is left.
	before := s.tables()
	out, code, _ := s.run(s.plan("", "table_size = 100000"))
	if code != exitFailed || !strings.Contains(out, "is full") && !strings.Contains(out, "is free; free some space") || s.tables() != before {
		t.Errorf("exit %d, %s; tables %s", code, out, s.tables())
	}
	t.Log(out)
}

// leaveFree fills a file system but for that many bytes.
func leaveFree(t *testing.T, folder string, bytes uint64) {
	t.Helper()
	free, err := host.FreeDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "filler"), make([]byte, free-bytes), 0o600); err != nil {
		t.Fatal(err)
	}
}

// folderWithDatabase puts the data that servers start with where there is little room.
func folderWithDatabase(t *testing.T, in string) string {
	t.Helper()
	template, err := theirDatabase()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(in, "data")
	if err := os.CopyFS(data, os.DirFS(template)); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAServerKilledInTheMiddleLosesNothingThatWasMeasured(t *testing.T) {
	s := startTheirMySQL(t)
	if got := s.oltp("prepare"); got.code != exitDone {
		t.Fatal(got.err)
	}
	time.AfterFunc(1500*time.Millisecond, func() { s.process.Kill() })
	got := s.oltp("--time=30", "--report-interval=1", "run")
	if got.code != exitFailed || !strings.Contains(got.out, "SQL statistics:") || !strings.Contains(got.out, "] thds: 2 tps: ") || !strings.Contains(got.err, "ended the connection") || strings.Count(got.err, "\n") != 1 {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
	t.Log(got.err)
}

func TestAServerKilledInTheMiddleOfARunLeavesItsSamples(t *testing.T) {
	s := startTheirMySQL(t)
	berth := process(t, asBerth, "run", "--plan", s.plan("", "scripts = [\"oltp_point_select\", \"oltp_read_write\"]\nseconds = 2"), "--out", filepath.Join(t.TempDir(), "out"))
	time.AfterFunc(4*time.Second, func() { s.process.Kill() }) // in the second script
	out, _ := berth.CombinedOutput()
	if code := berth.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit %d", code)
	}
	r, err := result.Open(berth.Args[len(berth.Args)-1])
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(r.Samples) == 0 || r.Samples[0].Transactions == 0 || len(r.Failures) == 0 {
		t.Errorf("%d samples, failures %+v", len(r.Samples), r.Failures)
	}
	t.Logf("%s", out)
}

func TestDeadlocksAreCountedAndAreNoFailure(t *testing.T) {
	s := startTheirMySQL(t)
	small := []string{"--tables=1", "--table-size=2", "--threads=8"}
	if got := s.oltp(append(small, "prepare")...); got.code != exitDone {
		t.Fatal(got.err)
	}
	got := s.oltp(append(small, "oltp_write_only", "run")...)
	if got.code != exitDone || got.err != "" || strings.Contains(got.out, "ignored errors:                      0 ") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
	got = s.oltp(append(small, "--mysql-ignore-errors=1205", "oltp_write_only", "run")...)
	if got.code != exitFailed || !strings.Contains(got.err, "add 1213 to the ignored errors") || !strings.Contains(got.out, "SQL statistics:") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
	out, code, folder := s.run(s.plan("", "scripts = [\"oltp_write_only\"]\ntables = 1\ntable_size = 2\nthreads = [8]"))
	r, err := result.Open(folder)
	if code != exitDone || err != nil || len(r.Samples) != 1 || r.Samples[0].Errors == 0 || !strings.Contains(strings.Join(r.Samples[0].Flags, " "), result.FlagErrors) {
		t.Errorf("exit %d, %v, %s", code, err, out)
	}
}

func TestALockThatIsHeldForEverEndsWithTheTime(t *testing.T) {
	s := startTheirMySQL(t, "--innodb-lock-wait-timeout=1")
	if got := s.oltp("prepare"); got.code != exitDone {
		t.Fatal(got.err)
	}
	holder, err := s.root.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Rollback()
	for _, table := range []string{"sbtest1", "sbtest2"} {
		if _, err := holder.ExecContext(context.Background(), "UPDATE theirs."+table+" SET k = 0"); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	got := s.oltp("oltp_update_index", "run")
	if got.code != exitFailed || !strings.Contains(got.err, "Lock wait timeout exceeded") || strings.Count(got.err, "\n") != 1 || time.Since(began) > 8*time.Second {
		t.Errorf("after %v: exit %d, %s%s", time.Since(began), got.code, got.out, got.err)
	}
	t.Log(got.err)
	if got = s.oltp("--mysql-ignore-errors=1213", "oltp_update_index", "run"); got.code != exitFailed || !strings.Contains(got.err, "add 1205 to the ignored errors") {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	out, code, _ := s.run(s.plan("", `scripts = ["oltp_update_index"]`))
	if code != exitFailed || !strings.Contains(out, "Lock wait timeout exceeded") {
		t.Errorf("a plan: exit %d, %s", code, out)
	}
	t.Log(out)
}
