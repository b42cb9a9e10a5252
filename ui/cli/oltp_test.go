package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"berth/core/oltp"
)

// oltpJob is what arguments of berth oltp ask for.
func oltpJob(t *testing.T, args ...string) (oltp.Job, string) {
	t.Helper()
	o := newOLTPOptions()
	script, command, err := o.read(args)
	if err != nil {
		t.Fatal(err)
	}
	job, err := o.job(script)
	if err != nil {
		t.Fatal(err)
	}
	return job, command
}

func TestOLTPTakesSysbenchsOptions(t *testing.T) {
	otherwise := oltp.DefaultJob()
	otherwise.Target = oltp.Target{Network: "unix", Address: defaultSocket, User: "sbtest", Database: "sbtest"}
	for _, c := range []struct {
		args    string
		command string
		change  func(*oltp.Job)
	}{
		{"run", "run", func(*oltp.Job) {}},
		{"oltp_point_select run", "run", func(j *oltp.Job) { j.Script = oltp.PointSelect }},
		{"/usr/share/sysbench/oltp_read_only.lua --threads=8 prepare", "prepare", func(j *oltp.Job) { j.Script, j.Threads = oltp.ReadOnly, 8 }},
		{"--mysql-host=127.0.0.1 --mysql-user=u --mysql-password=p --mysql-db=d cleanup", "cleanup", func(j *oltp.Job) {
			j.Target = oltp.Target{Network: "tcp", Address: "127.0.0.1:3306", User: "u", Password: "p", Database: "d"}
		}},
		{"--mysql-host=::1 --mysql-port=3307 run", "run", func(j *oltp.Job) { j.Target.Network, j.Target.Address = "tcp", "[::1]:3307" }},
		{"--mysql-socket=/tmp/s run", "run", func(j *oltp.Job) { j.Target.Address = "/tmp/s" }},
		{"run --tables=10 --table_size=1000000 --time=300 --report-interval=10", "run", func(j *oltp.Job) {
			j.Schema.Tables, j.Schema.TableSize, j.Duration, j.Interval = 10, 1_000_000, 300*time.Second, 10*time.Second
		}},
		{"--num-threads=3 --max-time=5 --max-requests=7 --tx-rate=9 run", "run", func(j *oltp.Job) { j.Threads, j.Duration, j.Events, j.Rate = 3, 5*time.Second, 7, 9 }},
		{"--report-checkpoints=2,10 run", "run", func(j *oltp.Job) { j.Checkpoints = []time.Duration{2 * time.Second, 10 * time.Second} }},
		{"--percentile=0 run", "run", func(j *oltp.Job) { j.Percentiles = nil }},
		{"--percentile=50,95,99 run", "run", func(j *oltp.Job) { j.Percentiles = []int{50, 95, 99} }},
		{"--skip-trx --range-selects=off --auto_inc=off --secondary=on run", "run", func(j *oltp.Job) {
			j.Mix.SkipTrx, j.Mix.RangeSelects, j.Schema.AutoInc, j.Schema.Secondary = true, false, false, true
		}},
		{"--mysql-ignore-errors=all run", "run", func(j *oltp.Job) { j.IgnoreErrors = []int{oltp.AllErrors} }},
		{"--mysql-ignore-errors=2013,1205 run", "run", func(j *oltp.Job) { j.IgnoreErrors = []int{2013, 1205} }},
		{"--db-ps-mode=disable --rand-type=pareto --rand-pareto-h=0.3 --rand-seed=5 run", "run", func(j *oltp.Job) {
			j.TextProtocol, j.Draw.Type, j.Draw.ParetoH, j.Draw.Seed = true, oltp.Pareto, 0.3, 5
		}},
		{"--verbosity=5 --debug=on --validate --thread-stack-size=64K run", "run", func(*oltp.Job) {}},
		{"--mysql-ssl run", "run", func(j *oltp.Job) { j.Target.TLS = &oltp.TLS{InsecureSkipVerify: true} }},
	} {
		want := otherwise
		c.change(&want)
		got, command := oltpJob(t, strings.Fields(c.args)...)
		if diff := cmp.Diff(want, got); diff != "" || command != c.command {
			t.Errorf("%s: %s %s (-want +got):\n%s", c.args, command, c.command, diff)
		}
	}
}

func TestOLTPRefusesWhatItCannotUseBeforeItStarts(t *testing.T) {
	for args, want := range map[string]string{
		"":                                      "needs one command",
		"oltp_read_write":                       "needs one command",
		"prewarm":                               "needs one command",
		"run run":                               "needs one command",
		"fileio run":                            "needs one command",
		"oltp_nothing run":                      "there is no script oltp_nothing",
		"run --no-such-option=1":                "unknown flag: --no-such-option",
		"run --threads=x":                       `invalid argument "x"`,
		"run --threads=0":                       "0 threads cannot be had",
		"run --time=0":                          "would never end",
		"run --rand-type=zipfian":               "there is no distribution zipfian",
		"run --percentile=101":                  "101 is no percentile",
		"run --mysql-ignore-errors=no":          "numbers of errors or all, not no",
		"run --histogram=perhaps":               "neither on nor off",
		"run --db-driver=pgsql":                 "--db-driver cannot be pgsql",
		"run --pgsql-host=x":                    "does not have sysbench's option --pgsql-host",
		"run --report_checkpoints=2,1":          "checkpoints are rising times above 0",
		"prepare --tables=0 --mysql-host=::1":   "0 tables cannot be had",
		"prepare --table-size=-1 --mysql-host=": "cannot have -1 rows",
	} {
		got := berth(t, &fakeCore{}, append([]string{"oltp"}, strings.Fields(args)...)...)
		if got.code != exitUnusable || got.out != "" || !strings.Contains(got.err, want) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("berth oltp %s: exit %d, out %q, err %q; want %q", args, got.code, got.out, got.err, want)
		}
	}
}

func TestOLTPHelpNamesEveryScriptAndOption(t *testing.T) {
	got := berth(t, &fakeCore{}, "oltp", "help")
	if got.code != exitDone || got.err != "" {
		t.Fatalf("exit %d, err %q", got.code, got.err)
	}
	for _, word := range append(oltp.Scripts(), "--mysql-host", "--tables", "--table-size", "--threads", "--rate", "--report-interval", "--percentile", "--rand-type", "--histogram", "--warmup-time", "--json") {
		if !strings.Contains(got.out, word) {
			t.Errorf("no %s in\n%s", word, got.out)
		}
	}
}

func TestOLTPSaysThatNobodyListensAndExitsWithOne(t *testing.T) {
	got := berth(t, &fakeCore{}, "oltp", "run", "--mysql-host=127.0.0.1", "--mysql-port=1")
	if got.code != exitFailed || !strings.Contains(got.err, "nothing listens at 127.0.0.1:1") {
		t.Errorf("exit %d, err %q", got.code, got.err)
	}
}
