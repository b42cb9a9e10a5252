package oltp

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"berth/core/need"
	"berth/core/text"
)

// clear says what is wrong with an error's sentence, in every language.
func unclear(err error) string {
	for _, lang := range text.Languages {
		s := text.For(lang).Error(err)
		if strings.HasPrefix(s, "oltp.") || strings.Contains(s, "<no value>") || strings.Contains(s, "\n") || len(s) < 10 {
			return fmt.Sprintf("in %s it says %q", lang, s)
		}
	}
	return ""
}

func TestWhatAServerRefusesHasANameAndAClearSentence(t *testing.T) {
	m := startMariadb(t, "--max-connections=20")
	good := m.prepared(t, m.job())
	m.exec(t, "CREATE DATABASE other")
	for name, c := range map[string]struct {
		want    string
		change  func(*Job)
		before  string // run by root
		after   string
		prepare bool // it is Prepare that is refused
	}{
		"wrong password":              {want: KindAccessDenied, change: func(j *Job) { j.Target.Password = "wrong" }},
		"unknown user":                {want: KindAccessDenied, change: func(j *Job) { j.Target.User = "nobody" }},
		"unknown database":            {want: KindUnknownDatabase, change: func(j *Job) { j.Target.User, j.Target.Database = "boss", "absent" }, before: "GRANT ALL ON *.* TO boss@'127.0.0.1' IDENTIFIED BY 'secret'", after: "DROP USER boss@'127.0.0.1'"},
		"database of somebody else":   {want: KindDatabaseDenied, change: func(j *Job) { j.Target.Database = "other" }},
		"missing table":               {want: KindMissing, change: func(j *Job) { j.Schema.Tables = 3 }},
		"fewer rows":                  {want: KindSize, change: func(j *Job) { j.Schema.TableSize = 5000 }},
		"more rows":                   {want: KindSize, change: func(j *Job) { j.Schema.TableSize = 10 }},
		"too few prepared statements": {want: KindStatements, before: "SET GLOBAL max_prepared_stmt_count = 5", after: "SET GLOBAL max_prepared_stmt_count = 16382"},
		"too few connections":         {want: "connections-before", change: func(j *Job) { j.Threads = 50 }},
		"read-only":                   {want: KindReadOnly, before: "SET GLOBAL read_only = 1", after: "SET GLOBAL read_only = 0"},
		"no right to write":           {want: KindNotAllowed, before: "REVOKE UPDATE ON sbtest.* FROM sbtest@'127.0.0.1'", after: "GRANT ALL ON sbtest.* TO sbtest@'127.0.0.1'"},
		"tables that are there":       {want: KindExists, prepare: true},
		"unknown engine":              {want: KindEngine, prepare: true, change: func(j *Job) { j.Schema.Engine = "rocks" }},
		"more data than the disk has": {want: KindLittleSpace, prepare: true, change: func(j *Job) { j.Schema.Tables, j.Schema.TableSize = 10_000, MaxTableSize }},
		"read-only, making tables":    {want: KindReadOnly, prepare: true, before: "SET GLOBAL read_only = 1", after: "SET GLOBAL read_only = 0"},
		"a method of login not had":   {want: KindAuthPlugin, change: func(j *Job) { j.Target.User = "old" }, before: "CREATE USER old@'127.0.0.1' IDENTIFIED VIA mysql_old_password USING '6f8c114b58f2ce9e'", after: "DROP USER old@'127.0.0.1'"},
		"TLS where there is none":     {want: KindNoTLS, change: func(j *Job) { j.Target.TLS = &TLS{} }},
		"a CA file that is not there": {want: "tls-file", change: func(j *Job) { j.Target.TLS = &TLS{CACert: "/does/not/exist"} }},
		"a user of few connections":   {want: KindConnections, change: func(j *Job) { j.Target.User = "lone"; j.Threads = 5 }, before: "CREATE USER lone@'127.0.0.1' IDENTIFIED BY 'secret' WITH MAX_USER_CONNECTIONS 3", after: "DROP USER lone@'127.0.0.1'"},
	} {
		t.Run(name, func(t *testing.T) {
			job := good
			if c.change != nil {
				c.change(&job)
			}
			if c.before != "" {
				m.exec(t, c.before)
				t.Cleanup(func() { m.exec(t, c.after) })
			}
			if job.Target.User == "lone" {
				m.exec(t, "GRANT ALL ON sbtest.* TO lone@'127.0.0.1'")
			}
			if c.want == KindEngine || c.want == KindLittleSpace || c.prepare && c.want == KindReadOnly {
				// On a database that has none of the tables.
				m.exec(t, "CREATE DATABASE IF NOT EXISTS empty")
				m.exec(t, "GRANT ALL ON empty.* TO sbtest@'127.0.0.1'")
				job.Target.Database = "empty"
			}
			var err error
			if c.prepare {
				err = Prepare(context.Background(), job, nil)
			} else {
				_, err = Run(context.Background(), job, nil)
			}
			if Kind(err) != c.want {
				t.Fatalf("kind %q of %v, want %q", Kind(err), err, c.want)
			}
			if fault := unclear(err); fault != "" {
				t.Error(fault)
			}
		})
	}
	if _, err := Run(context.Background(), good, nil); err != nil {
		t.Errorf("after all that the tables are not as they were: %v", err)
	}
}

func TestWhatIsNoMySQLServerIsSaidSoInGoodTime(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	greeter := listen(t, func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n") })
	closer := listen(t, func(c net.Conn) {})
	free := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	for name, c := range map[string]struct{ network, address, want string }{
		"nobody":            {"tcp", free, KindRefused},
		"an SSH server":     {"tcp", greeter, KindNotMySQL},
		"who hangs up":      {"tcp", closer, KindLost},
		"no socket":         {"unix", filepath.Join(t.TempDir(), "s"), KindNoSocket},
		"no such host":      {"tcp", "does-not-exist.invalid:3306", KindResolve},
		"no port":           {"tcp", "127.0.0.1", "host-port"},
		"no address at all": {"tcp", "", "address"},
		"web server":        {"tcp", strings.TrimPrefix(web.URL, "http://"), KindNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			job := DefaultJob()
			job.Target = Target{Network: c.network, Address: c.address, User: "sbtest", Database: "sbtest"}
			_, err := Run(context.Background(), job, nil)
			if c.want == KindResolve && Kind(err) == KindNoAnswer {
				return // a machine without a name server that answers
			}
			if Kind(err) != c.want {
				t.Fatalf("kind %q of %v, want %q", Kind(err), err, c.want)
			}
			if fault := unclear(err); fault != "" {
				t.Error(fault)
			}
		})
	}
}

// listen answers each connection with speak, then ends it.
func listen(t *testing.T, speak func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			speak(c)
			c.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return l.Addr().String()
}

func TestAJobThatCannotBeIsRefusedBeforeAnythingStarts(t *testing.T) {
	for name, c := range map[string]struct {
		want   string
		change func(*Job)
	}{
		"script":             {"script", func(j *Job) { j.Script = "oltp_nothing" }},
		"no threads":         {"threads", func(j *Job) { j.Threads = 0 }},
		"too many threads":   {"threads", func(j *Job) { j.Threads = MaxThreads + 1 }},
		"no tables":          {"tables", func(j *Job) { j.Schema.Tables = 0 }},
		"negative size":      {"table-size", func(j *Job) { j.Schema.TableSize = -1 }},
		"no rows":            {"no-rows", func(j *Job) { j.Schema.TableSize = 0 }},
		"no end":             {"no-end", func(j *Job) { j.Duration = 0 }},
		"negative duration":  {"no-end", func(j *Job) { j.Duration = -1 }},
		"negative warm-up":   {"negative-time", func(j *Job) { j.WarmUp = -1 }},
		"checkpoint at 0":    {"checkpoints", func(j *Job) { j.Checkpoints = []time.Duration{0} }},
		"checkpoints mixed":  {"checkpoints", func(j *Job) { j.Checkpoints = []time.Duration{2, 1} }},
		"negative rate":      {"rate", func(j *Job) { j.Rate = -1 }},
		"unknown draw":       {"rand-type", func(j *Job) { j.Draw.Type = "zipfian" }},
		"no iterations":      {"rand-special", func(j *Job) { j.Draw.Iterations = 0 }},
		"all special":        {"rand-special", func(j *Job) { j.Draw.SpecialShare = 100 }},
		"pareto of 1":        {"rand-pareto", func(j *Job) { j.Draw.ParetoH = 1 }},
		"empty range":        {"range-size", func(j *Job) { j.Mix.RangeSize = 0 }},
		"negative count":     {"count", func(j *Job) { j.Mix.SumRanges = -1 }},
		"percentile of 101":  {"percentile", func(j *Job) { j.Percentiles = []int{101} }},
		"unknown network":    {"network", func(j *Job) { j.Target.Network = "pigeon" }},
		"no database at all": {KindNoDatabase, func(j *Job) { j.Target.Database = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			job := DefaultJob()
			job.Target = Target{Network: "tcp", Address: "127.0.0.1:1", User: "sbtest", Database: "sbtest"}
			if err := Check(job); err != nil {
				t.Fatal(err)
			}
			c.change(&job)
			err := Check(job)
			if Kind(err) != c.want {
				t.Fatalf("kind %q of %v, want %q", Kind(err), err, c.want)
			}
			if fault := unclear(err); fault != "" {
				t.Error(fault)
			}
		})
	}
}

// Servers that cannot be had here: what they answer is taken from their manuals.
func TestErrorsOfOtherServersHaveNames(t *testing.T) {
	target := Target{Network: "tcp", Address: "db:3306", User: "u", Database: "d"}
	for message, c := range map[string]struct {
		number uint16
		want   string
	}{
		"Too many connections":        {1040, KindConnections},
		"The table 'sbtest1' is full": {1114, KindDiskFull},
		`Got error 28 "No space left on device" from storage engine InnoDB`:                                    {1030, KindDiskFull},
		"The MySQL server is running with the --super-read-only option so it cannot execute this statement":    {1290, KindReadOnly},
		"Plugin 'mysql_native_password' is not loaded":                                                         {1524, KindAuthPlugin},
		"Lock wait timeout exceeded; try restarting transaction":                                               {1205, KindLockWait},
		"Record has changed since last read in table 'sbtest1'":                                                {1020, KindChangedRow},
		"Server shutdown in progress":                                                                          {1053, KindShuttingDown},
		"Can't create more than max_prepared_stmt_count statements (current value: 16382)":                     {1461, KindStatements},
		"Host '10.0.0.1' is not allowed to connect to this MariaDB server":                                     {1130, KindBlocked},
		"You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version": {1064, KindQuery},
	} {
		err := serverError(target, &mysql.MySQLError{Number: c.number, Message: message})
		if Kind(err) != c.want {
			t.Errorf("kind %q of %v, want %q", Kind(err), err, c.want)
		}
		if fault := unclear(err); fault != "" {
			t.Error(fault)
		}
	}
}

func TestCancellingKeepsWhatWasMeasuredWithinTwoSecondsEvenBehindALock(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration = time.Minute
	for _, portable := range []bool{false, true} {
		job.ForcePortable = portable
		ctx, cancel := context.WithCancel(context.Background())
		locker, err := m.db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(300*time.Millisecond, func() {
			_, _ = locker.ExecContext(context.Background(), "LOCK TABLES sbtest.sbtest1 WRITE, sbtest.sbtest2 WRITE")
			cancel()
		})
		start := time.Now()
		r, err := Run(ctx, job, nil)
		if _, err := locker.ExecContext(context.Background(), "UNLOCK TABLES"); err != nil {
			t.Fatal(err)
		}
		locker.Close()
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 2300*time.Millisecond {
			t.Errorf("stopped after %v", took)
		}
		if r.Events == 0 || r.Cut == "" {
			t.Errorf("%d transactions, cut %q", r.Events, r.Cut)
		}
	}
}

func TestAServerThatIsKilledLeavesWhatWasMeasured(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration = 20 * time.Second
	time.AfterFunc(500*time.Millisecond, func() { _ = m.process.Kill() })
	start := time.Now()
	r, err := Run(context.Background(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Events == 0 || !strings.Contains(r.Cut, "ended the connection") || time.Since(start) > 5*time.Second {
		t.Errorf("%d transactions, cut %q after %v", r.Events, r.Cut, time.Since(start))
	}
}

func TestASilentServerCutsTheJob(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration, job.Silence = 20*time.Second, 500*time.Millisecond
	locker, err := m.db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer locker.Close()
	time.AfterFunc(200*time.Millisecond, func() {
		_, _ = locker.ExecContext(context.Background(), "LOCK TABLES sbtest.sbtest1 WRITE, sbtest.sbtest2 WRITE")
	})
	start := time.Now()
	r, err := Run(context.Background(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Cut, "did not answer") || time.Since(start) > 5*time.Second {
		t.Errorf("cut %q after %v", r.Cut, time.Since(start))
	}
}

func TestALostConnectionIsOpenedAgainWhereItsErrorIsIgnored(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration, job.IgnoreErrors = time.Second, append(job.IgnoreErrors, errServerLost)
	time.AfterFunc(300*time.Millisecond, func() { _, _ = m.db.Exec("KILL USER sbtest") })
	r, err := Run(context.Background(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Reconnects != int64(job.Threads) || r.Cut != "" {
		t.Errorf("%d reconnects, cut %q; want one a thread", r.Reconnects, r.Cut)
	}
}

func TestTheDescriptorsOfAJobAreGivenBack(t *testing.T) {
	need.Linux(t)
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration = 50 * time.Millisecond
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(open)
	}
	if _, err := Run(context.Background(), job, nil); err != nil {
		t.Fatal(err)
	}
	before := count()
	for range 5 {
		if _, err := Run(context.Background(), job, nil); err != nil {
			t.Fatal(err)
		}
	}
	if after := count(); after > before+1 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}
