package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	// pflag reads sysbench's options, which come before, between and after the words.
	"github.com/spf13/pflag"

	"berth/assets"
	"berth/core/oltp"
	"berth/core/text"
)

// oltpCommand does what sysbench 1.0.20 does with its OLTP scripts: the same
// options, the same lines.
func (t *terminal) oltpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "oltp [SCRIPT] prepare|run|cleanup|help [--OPTION=VALUE]...",
		Short:              t.words.T("cli.oltp"),
		DisableFlagParsing: true,
		RunE:               func(c *cobra.Command, args []string) error { return t.oltp(c.Context(), args) },
	}
}

func (t *terminal) oltp(ctx context.Context, args []string) error {
	o := newOLTPOptions()
	script, command, err := o.read(args)
	if err != nil {
		return err
	}
	if command == "help" {
		t.oltpHelp(o)
		return nil
	}
	job, err := o.job(script)
	if err != nil {
		return err
	}
	if command != "cleanup" {
		if err := oltp.Check(job); err != nil {
			return err
		}
	}
	if !o.json {
		fmt.Fprintf(t.out, "berth %s (as sysbench 1.0.20)\n\n", assets.Version)
	}
	switch command {
	case "prepare":
		return failed(t.oltpPrepare(ctx, job))
	case "cleanup":
		return failed(oltp.Cleanup(ctx, job, func(p oltp.Progress) { fmt.Fprintf(t.out, "Dropping table 'sbtest%d'...\n", p.Table) }))
	}
	return failed(t.oltpRun(ctx, job, o))
}

// oltpPrepare prints sysbench's lines, and to standard error, now and then, the
// rows inserted and the time left.
func (t *terminal) oltpPrepare(ctx context.Context, job oltp.Job) error {
	const every = 2 * time.Second
	told := time.Duration(0)
	return oltp.Prepare(ctx, job, func(p oltp.Progress) {
		switch p.Step {
		case oltp.Creating:
			fmt.Fprintf(t.out, "Creating table 'sbtest%d'...\n", p.Table)
		case oltp.Indexing:
			fmt.Fprintf(t.out, "Creating a secondary index on 'sbtest%d'...\n", p.Table)
		case oltp.Inserting:
			if p.Begins && job.Schema.TableSize > 0 {
				fmt.Fprintf(t.out, "Inserting %d records into 'sbtest%d'\n", job.Schema.TableSize, p.Table)
			}
			if p.Rows > 0 && p.Elapsed-told >= every {
				told = p.Elapsed
				left := time.Duration(float64(p.Elapsed) * float64(p.Total-p.Rows) / float64(p.Rows))
				fmt.Fprintln(t.err, t.words.T("cli.oltp-progress", text.Args{"Rows": p.Rows, "Total": p.Total, "Left": left.Round(time.Second).String()}))
			}
		}
	})
}

// oltpRun prints a line each interval and the summary at the end. What was measured of
// a job that was cut short is printed too, and then why it was.
func (t *terminal) oltpRun(ctx context.Context, job oltp.Job, o *oltpOptions) error {
	w := &oltpObserver{out: t.out, job: job, text: !o.json, lines: !o.json && o.reportInterval > 0}
	if w.text {
		shown := job
		if !w.lines {
			shown.Interval = 0
		}
		w.err = oltp.PrintStart(t.out, shown)
	}
	r, err := oltp.Run(ctx, job, w)
	if err != nil {
		return err
	}
	if w.err == nil && w.text && o.histogram {
		w.err = oltp.PrintHistogram(t.out, r.Rest.Buckets)
	}
	if w.err == nil && w.text {
		w.err = oltp.PrintSummary(t.out, job, r.Rest)
	}
	if w.err == nil && o.json {
		w.err = writeOLTP(t.out, job, r, w)
	}
	if w.err == nil && r.Cut != "" {
		w.err = text.Err("cli.oltp-cut", text.Args{"Cut": r.Cut}, nil)
	}
	return w.err
}

// An oltpObserver prints or keeps what happens while a job runs.
type oltpObserver struct {
	out         io.Writer
	job         oltp.Job
	text, lines bool
	series      []oltp.Tick
	checkpoints []oltpCheckpoint
	err         error
}

func (w *oltpObserver) Phase(p oltp.Phase) {
	if p == oltp.Measuring && w.text && w.err == nil {
		w.err = oltp.PrintThreadsStarted(w.out)
	}
}

func (w *oltpObserver) Tick(tick oltp.Tick) {
	w.series = append(w.series, tick)
	if w.lines && w.err == nil {
		w.err = oltp.PrintTick(w.out, w.job, tick)
	}
}

func (w *oltpObserver) Checkpoint(s oltp.Stretch) {
	w.checkpoints = append(w.checkpoints, oltpCheckpoint{s.Elapsed.Seconds(), s.Counts, percentilesOf(w.job, s.Buckets)})
	if w.text && w.err == nil {
		w.err = oltp.PrintCheckpoint(w.out, w.job, s)
	}
}

// An oltpDocument is one run as JSON; times are in seconds, latencies in milliseconds.
type oltpDocument struct {
	Berth        string             `json:"berth"`
	Script       string             `json:"script"`
	Tables       int                `json:"tables"`
	TableSize    int                `json:"table_size"`
	Threads      int                `json:"threads"`
	Rate         float64            `json:"rate,omitempty"`
	WarmUp       float64            `json:"warmup_seconds,omitempty"`
	Seconds      float64            `json:"seconds"`
	Counts       oltp.Counts        `json:"counts"`
	Transactions float64            `json:"transactions_per_second"`
	Queries      float64            `json:"queries_per_second"`
	Percentiles  map[string]float64 `json:"latency_ms"`
	FirstErrors  map[string]string  `json:"first_errors,omitempty"`
	Server       oltp.Facts         `json:"server"`
	Engine       string             `json:"engine"`
	Cut          string             `json:"cut,omitempty"`
	Series       []oltp.Tick        `json:"series"`
	// Checkpoints have what happened since the one before.
	Checkpoints []oltpCheckpoint `json:"checkpoints,omitempty"`
}

type oltpCheckpoint struct {
	Seconds     float64            `json:"seconds"` // since the start
	Counts      oltp.Counts        `json:"counts"`
	Percentiles map[string]float64 `json:"latency_ms"`
}

// percentilesOf has the percentiles that were asked for by their names, in milliseconds.
func percentilesOf(job oltp.Job, b oltp.Buckets) map[string]float64 {
	all := map[string]float64{}
	for _, p := range job.Percentiles {
		all["p"+strconv.Itoa(p)] = b.Percentile(p)
	}
	return all
}

func writeOLTP(w io.Writer, job oltp.Job, r oltp.Result, o *oltpObserver) error {
	s := r.Elapsed.Seconds()
	d := oltpDocument{
		Berth: assets.Version, Script: job.Script, Tables: job.Schema.Tables, TableSize: job.Schema.TableSize, Threads: job.Threads, Rate: job.Rate,
		WarmUp: r.WarmUp.Took.Seconds(), Seconds: s, Counts: r.Counts, Transactions: float64(r.Events) / s, Queries: float64(r.Queries()) / s,
		Percentiles: percentilesOf(job, r.Buckets), FirstErrors: r.FirstErrors, Server: r.Server, Engine: r.Engine, Cut: r.Cut, Series: o.series, Checkpoints: o.checkpoints,
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// oltpOptions are sysbench's options by their names, and Berth's own: warmup-time and json.
type oltpOptions struct {
	flags *pflag.FlagSet

	base           oltp.Job
	host           string
	port           int
	socket         string
	ssl            bool
	seconds        float64
	warmUp         float64
	reportInterval int
	percentiles    []int
	checkpoints    []int
	ignore         []string
	psMode         string
	driver         string
	histogram      bool
	json           bool
	shutdown       string
}

// sysbench's default host means its socket.
const (
	socketHost    = "localhost"
	defaultSocket = "/run/mysqld/mysqld.sock"
)

func newOLTPOptions() *oltpOptions {
	o := &oltpOptions{base: oltp.DefaultJob(), flags: pflag.NewFlagSet("oltp", pflag.ContinueOnError)}
	f, b := o.flags, &o.base
	f.SetOutput(io.Discard)
	f.SortFlags = false
	// sysbench takes table_size and table-size for the same.
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		if now, old := map[string]string{"num-threads": "threads", "max-requests": "events", "max-time": "time", "tx-rate": "rate"}[name]; old {
			name = now
		}
		return pflag.NormalizedName(name)
	})
	f.IntVar(&b.Threads, "threads", b.Threads, "number of threads to use")
	f.Int64Var(&b.Events, "events", 0, "limit for total number of events")
	f.Float64Var(&o.seconds, "time", 10, "limit for total execution time in seconds")
	f.Float64Var(&b.Rate, "rate", 0, "average transactions rate. 0 for unlimited rate")
	f.IntVar(&o.reportInterval, "report-interval", 0, "periodically report intermediate statistics with a specified interval in seconds")
	f.IntSliceVar(&o.percentiles, "percentile", b.Percentiles, "percentiles to calculate in latency statistics (1-100); 0 for none")
	f.IntSliceVar(&o.checkpoints, "report-checkpoints", nil, "dump full statistics and reset all counters at specified points in time: seconds, joined by commas")
	o.onOff(&o.histogram, "histogram", "print latency histogram in report")
	f.StringVar(&o.shutdown, "forced-shutdown", "off", "only off")
	f.Float64Var(&o.warmUp, "warmup-time", 0, "execute events for this many seconds with statistics disabled before the actual benchmark run")
	o.onOff(&o.json, "json", "print one JSON object instead, with every interval")

	f.StringVar(&b.Draw.Type, "rand-type", b.Draw.Type, "random numbers distribution {"+strings.Join(oltp.Draws(), ",")+"}")
	f.IntVar(&b.Draw.Iterations, "rand-spec-iter", b.Draw.Iterations, "number of iterations used for numbers generation")
	f.IntVar(&b.Draw.SpecialPercent, "rand-spec-pct", b.Draw.SpecialPercent, "percentage of values to be treated as 'special' (for special distribution)")
	f.IntVar(&b.Draw.SpecialShare, "rand-spec-res", b.Draw.SpecialShare, "percentage of 'special' values to use (for special distribution)")
	f.Uint64Var(&b.Draw.Seed, "rand-seed", 0, "seed for random number generator. When 0, the current time is used as a RNG seed.")
	f.Float64Var(&b.Draw.ParetoH, "rand-pareto-h", b.Draw.ParetoH, "parameter h for pareto distribution")

	f.StringVar(&o.driver, "db-driver", "mysql", "only mysql")
	f.StringVar(&o.psMode, "db-ps-mode", "auto", "prepared statements usage mode {auto, disable}")
	f.StringVar(&o.host, "mysql-host", socketHost, "MySQL server host; localhost is the socket")
	f.IntVar(&o.port, "mysql-port", 3306, "MySQL server port")
	f.StringVar(&o.socket, "mysql-socket", "", "MySQL socket ("+defaultSocket+")")
	f.StringVar(&b.Target.User, "mysql-user", "sbtest", "MySQL user")
	f.StringVar(&b.Target.Password, "mysql-password", "", "MySQL password")
	f.StringVar(&b.Target.Database, "mysql-db", "sbtest", "MySQL database name")
	o.onOff(&o.ssl, "mysql-ssl", "use SSL connections; the certificate is not checked, as sysbench does not")
	o.onOff(&b.Target.Compress, "mysql-compression", "use compression")
	f.StringSliceVar(&o.ignore, "mysql-ignore-errors", []string{"1213", "1020", "1205"}, `list of errors to ignore, or "all"`)

	f.IntVar(&b.Schema.Tables, "tables", b.Schema.Tables, "number of tables")
	f.IntVar(&b.Schema.TableSize, "table-size", b.Schema.TableSize, "number of rows per table")
	f.StringVar(&b.Schema.Engine, "mysql-storage-engine", b.Schema.Engine, "storage engine")
	o.onOff(&b.Schema.AutoInc, "auto-inc", "use AUTO_INCREMENT column as Primary Key; when disabled, use client-generated IDs")
	o.onOff(&b.Schema.Secondary, "secondary", "use a secondary index in place of the PRIMARY KEY")
	o.onOff(&b.Schema.CreateSecondary, "create-secondary", "create a secondary index in addition to the PRIMARY KEY")
	for _, count := range []struct {
		to          *int
		name, usage string
	}{
		{&b.Mix.PointSelects, "point-selects", "number of point SELECT queries per transaction"},
		{&b.Mix.SimpleRanges, "simple-ranges", "number of simple range SELECT queries per transaction"},
		{&b.Mix.SumRanges, "sum-ranges", "number of SELECT SUM() queries per transaction"},
		{&b.Mix.OrderRanges, "order-ranges", "number of SELECT ORDER BY queries per transaction"},
		{&b.Mix.DistinctRanges, "distinct-ranges", "number of SELECT DISTINCT queries per transaction"},
		{&b.Mix.IndexUpdates, "index-updates", "number of UPDATE index queries per transaction"},
		{&b.Mix.NonIndexUpdates, "non-index-updates", "number of UPDATE non-index queries per transaction"},
		{&b.Mix.DeleteInserts, "delete-inserts", "number of DELETE/INSERT combinations per transaction"},
		{&b.Mix.RangeSize, "range-size", "range size for range SELECT queries"},
	} {
		f.IntVar(count.to, count.name, *count.to, count.usage)
	}
	o.onOff(&b.Mix.RangeSelects, "range-selects", "enable/disable all range SELECT queries")
	o.onOff(&b.Mix.SkipTrx, "skip-trx", "don't start explicit transactions and execute all queries in the AUTOCOMMIT mode")

	// Taken, and without a meaning here.
	for _, name := range []string{"verbosity", "thread-stack-size"} {
		f.String(name, "", "")
		_ = f.MarkHidden(name) // it is there
	}
	for _, name := range []string{"debug", "validate", "db-debug", "mysql-debug"} {
		o.onOff(new(bool), name, "")
		_ = f.MarkHidden(name)
	}
	return o
}

// An onOff is sysbench's kind of switch: --name, --name=on or --name=off.
type onOff struct{ to *bool }

func (o *oltpOptions) onOff(to *bool, name, usage string) {
	o.flags.Var(onOff{to}, name, usage)
	o.flags.Lookup(name).NoOptDefVal = "on"
}

func (s onOff) String() string {
	if s.to != nil && *s.to {
		return "on"
	}
	return "off"
}

func (s onOff) Type() string { return "on|off" }

func (s onOff) Set(value string) error {
	switch strings.ToLower(value) {
	case "on", "true", "1":
		*s.to = true
	case "off", "false", "0":
		*s.to = false
	default:
		return fmt.Errorf("%q is neither on nor off", value)
	}
	return nil
}

// missing are options of sysbench that Berth does not have.
func missingOption(name string) bool {
	return strings.HasPrefix(name, "pgsql") || slices.Contains([]string{"mysql-dry-run", "mysql-ssl-cipher", "config-file", "test"}, name)
}

// read takes the options, and the script and the command between them.
func (o *oltpOptions) read(args []string) (script, command string, err error) {
	for _, a := range args {
		name, long := strings.CutPrefix(a, "--")
		name, _, _ = strings.Cut(strings.ReplaceAll(name, "_", "-"), "=")
		if long && missingOption(name) {
			return "", "", text.Err("cli.oltp-option", text.Args{"Option": "--" + name}, nil)
		}
	}
	if err := o.flags.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return oltp.ReadWrite, "help", nil
		}
		return "", "", text.Err("cli.flag", text.Args{"Command": "berth oltp"}, err)
	}
	words := o.flags.Args()
	script = oltp.ReadWrite
	if len(words) > 0 && strings.HasPrefix(scriptName(words[0]), "oltp_") {
		script, words = scriptName(words[0]), words[1:]
	}
	if len(words) != 1 || !slices.Contains([]string{"prepare", "run", "cleanup", "help"}, words[0]) {
		return "", "", text.Err("cli.oltp-command", text.Args{"Words": strings.Join(words, " ")}, nil)
	}
	return script, words[0], nil
}

// scriptName is the script of a word that may be a path to sysbench's own file.
func scriptName(word string) string { return strings.TrimSuffix(filepath.Base(word), ".lua") }

// job is what the options ask for.
func (o *oltpOptions) job(script string) (oltp.Job, error) {
	job := o.base
	job.Script = script
	job.Duration, job.WarmUp = seconds(o.seconds), seconds(o.warmUp)
	job.Interval = time.Duration(o.reportInterval) * time.Second
	for _, at := range o.checkpoints {
		job.Checkpoints = append(job.Checkpoints, time.Duration(at)*time.Second)
	}
	job.Percentiles = nil
	for _, p := range o.percentiles {
		if p != 0 {
			job.Percentiles = append(job.Percentiles, p)
		}
	}
	job.IgnoreErrors = nil
	for _, word := range o.ignore {
		n, err := strconv.Atoi(word)
		switch {
		case word == "all":
			n = oltp.AllErrors
		case err != nil || n < 1:
			return job, text.Err("cli.oltp-ignore", text.Args{"Word": word}, nil)
		}
		job.IgnoreErrors = append(job.IgnoreErrors, n)
	}
	for _, choice := range []struct {
		option, value string
		known         []string
	}{
		{"--db-driver", o.driver, []string{"mysql"}},
		{"--db-ps-mode", o.psMode, []string{"auto", "disable"}},
		{"--forced-shutdown", o.shutdown, []string{"off"}},
	} {
		if !slices.Contains(choice.known, choice.value) {
			return job, text.Err("cli.oltp-choice", text.Args{"Option": choice.option, "Value": choice.value, "Known": strings.Join(choice.known, ", ")}, nil)
		}
	}
	job.TextProtocol = o.psMode == "disable"
	job.Target.Network, job.Target.Address = "tcp", o.host+":"+strconv.Itoa(o.port)
	if strings.Contains(o.host, ":") && !strings.HasPrefix(o.host, "[") {
		job.Target.Address = "[" + o.host + "]:" + strconv.Itoa(o.port)
	}
	if o.socket != "" || o.host == socketHost {
		job.Target.Network, job.Target.Address = "unix", defaultSocket
		if o.socket != "" {
			job.Target.Address = o.socket
		}
	}
	if o.ssl {
		job.Target.TLS = &oltp.TLS{InsecureSkipVerify: true}
	}
	return job, nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (t *terminal) oltpHelp(o *oltpOptions) {
	fmt.Fprintf(t.out, "%s\n\n  berth oltp [SCRIPT] prepare|run|cleanup|help [--OPTION=VALUE]...\n\n%s\n", t.words.T("cli.oltp"), t.words.T("cli.oltp-scripts", text.Args{"Scripts": strings.Join(oltp.Scripts(), ", ")}))
	fmt.Fprint(t.out, o.flags.FlagUsages())
}
