package oltp

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core/need"
)

// text is the only value that a query gives.
func (m *mariadb) text(t testing.TB, query string) (v string) {
	t.Helper()
	if err := m.db.QueryRow(query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// definition is what SHOW CREATE TABLE says.
func (m *mariadb) definition(t testing.TB, table string) string {
	t.Helper()
	var name, statement string
	if err := m.db.QueryRow("SHOW CREATE TABLE "+table).Scan(&name, &statement); err != nil {
		t.Fatal(err)
	}
	return statement
}

func TestTablesAreThoseThatSysbenchMakesButForTheMark(t *testing.T) {
	need.Sysbench(t)
	m := startMariadb(t)
	for name, change := range map[string]func(*Schema){
		"as by default":     func(*Schema) {},
		"no AUTO_INCREMENT": func(s *Schema) { s.AutoInc = false },
		"no primary key":    func(s *Schema) { s.Secondary = true },
		"no index on k":     func(s *Schema) { s.CreateSecondary = false },
	} {
		t.Run(name, func(t *testing.T) {
			job := m.job()
			job.Schema.Tables, job.Schema.TableSize = 3, 4000
			change(&job.Schema)
			args := sysbenchArgs(t, job, "prepare")
			onOff := map[bool]string{true: "on", false: "off"}
			args = append(args, "--auto-inc="+onOff[job.Schema.AutoInc], "--secondary="+onOff[job.Schema.Secondary], "--create-secondary="+onOff[job.Schema.CreateSecondary])
			if out, err := exec.Command("sysbench", args...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			theirs := m.definition(t, "sbtest.sbtest2")
			// Berth drops nothing that it has not made.
			err := Cleanup(context.Background(), job, nil)
			if Kind(err) != KindForeign || unclear(err) != "" {
				t.Fatalf("kind %q of %v %s", Kind(err), err, unclear(err))
			}
			if out, err := exec.Command("sysbench", sysbenchArgs(t, job, "cleanup")...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var last Progress
			steps := map[Step]int{}
			if err := Prepare(context.Background(), job, func(p Progress) { last = p; steps[p.Step]++ }); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := Cleanup(context.Background(), job, nil); err != nil {
					t.Error(err)
				}
				if left := m.text(t, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'"); left != "0" {
					t.Errorf("%s tables are left", left)
				}
			}()
			ours := m.definition(t, "sbtest.sbtest2")
			if got := strings.Replace(ours, " COMMENT='"+mark+"'", "", 1); got != theirs || got == ours {
				t.Errorf("made\n%s\nsysbench makes\n%s", ours, theirs)
			}
			if last.Rows != 12_000 || last.Total != 12_000 || steps[Made] != 3 || steps[Creating] != 3 {
				t.Errorf("last progress %+v, steps %v", last, steps)
			}
			if got := m.text(t, "SELECT CONCAT(COUNT(*), ' ', MIN(id), ' ', MAX(id), ' ', MIN(k) >= 1, ' ', MAX(k) <= 4000) FROM sbtest.sbtest3"); got != "4000 1 4000 1 1" {
				t.Errorf("rows, first, last and range of k: %s", got)
			}
			c, pad := m.text(t, "SELECT c FROM sbtest.sbtest3 WHERE id = 77"), m.text(t, "SELECT pad FROM sbtest.sbtest3 WHERE id = 77")
			if !regexp.MustCompile(`^(\d{11}-){9}\d{11}$`).MatchString(c) || !regexp.MustCompile(`^(\d{11}-){4}\d{11}$`).MatchString(pad) {
				t.Errorf("c %q, pad %q", c, pad)
			}
		})
	}
}

func TestCancellingPrepareLeavesNoTable(t *testing.T) {
	m := startMariadb(t)
	job := m.job()
	job.Schema.Tables, job.Schema.TableSize = 4, 1_000_000
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start := time.Time{}
	err := Prepare(ctx, job, func(p Progress) {
		if p.Rows > 0 && start.IsZero() {
			start = time.Now()
			cancel()
		}
	})
	if Kind(err) != KindCancelled {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("stopped after %v", took)
	}
	if left := m.text(t, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'"); left != "0" {
		t.Errorf("%s tables are left", left)
	}
}

func TestAFullDiskIsNamedAndTheTablesAreDropped(t *testing.T) {
	// The file that all data goes to may not grow beyond 20 MB.
	m := startMariadb(t, "--innodb-data-file-path=ibdata1:12M:autoextend:max:20M", "--innodb-file-per-table=0", "--innodb-undo-tablespaces=0")
	job := m.job()
	job.Schema.Tables, job.Schema.TableSize = 2, 200_000
	err := Prepare(context.Background(), job, nil)
	if Kind(err) != KindDiskFull || unclear(err) != "" {
		t.Fatalf("kind %q of %v %s", Kind(err), err, unclear(err))
	}
	if left := m.text(t, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'sbtest'"); left != "0" {
		t.Errorf("%s tables are left", left)
	}
}

func TestTheDataIsComparedWithTheBufferPool(t *testing.T) {
	m := startMariadb(t, "--innodb-buffer-pool-size=64M")
	job := m.job()
	job.Schema.TableSize = 20_000
	m.prepared(t, job)
	m.exec(t, "ANALYZE TABLE sbtest.sbtest1, sbtest.sbtest2")
	job.Duration = 50 * time.Millisecond
	r, err := Run(context.Background(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Server.BufferPool != 64<<20 || r.Server.DataBytes < 5<<20 || r.Server.DataBytes > 20<<20 {
		t.Errorf("%d bytes of data, a pool of %d", r.Server.DataBytes, r.Server.BufferPool)
	}
	if v := r.Server.Variables; v["innodb_flush_log_at_trx_commit"] != "2" || v["log_bin"] != "OFF" || r.Server.Version == "" || v["tx_isolation"] == "" {
		t.Errorf("%+v", r.Server)
	}
}

func TestTheBufferPoolHoldsTheDataWhereMemoryAllows(t *testing.T) {
	const gigabyte = 1 << 30
	for _, c := range []struct {
		tables, size int
		free         uint64
		least, most  int64
	}{
		{4, 100_000, 8 * gigabyte, 512 << 20, 512 << 20},
		{10, 1_000_000, 16 * gigabyte, 5 * gigabyte / 2, 4 * gigabyte},
		{10, 1_000_000, 2 * gigabyte, gigabyte, gigabyte},
		{10, 1_000_000, 0, 512 << 20, 512 << 20},
	} {
		if got := (Schema{Tables: c.tables, TableSize: c.size}).BufferPool(c.free); got < c.least || got > c.most {
			t.Errorf("%d tables of %d rows with %d bytes free get %d, want %d to %d", c.tables, c.size, c.free, got, c.least, c.most)
		}
	}
}
