// Package oltp sends MySQL load: the OLTP transactions of sysbench 1.0.20,
// with its schema, statements, draws, accounting and formats, over
// go-sql-driver/mysql. It knows an address and what to send; it knows nothing
// of placements, rounds or plans. A Job goes in, a Result comes out.
package oltp

import (
	"time"

	// HDR histograms hold latencies of any length at three digits; redisload uses them too.
	"github.com/HdrHistogram/hdrhistogram-go"
)

// Engines that carry a job out. Figures of different engines are not compared
// without a flag.
const (
	EngineBlocking = "blocking" // a thread a connection, waiting in the system's receive
	EnginePortable = "portable" // Go's network poller
)

// A Target is the server that is loaded.
type Target struct {
	Network  string `json:"network"` // "tcp" or "unix"
	Address  string `json:"address"` // host:port, or the socket's path
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Database string `json:"database"`
	TLS      *TLS   `json:"tls,omitempty"`
	Compress bool   `json:"compress,omitempty"`
}

// TLS says how a TLS connection is made; the zero value checks the server
// against the system's roots.
type TLS struct {
	ServerName         string `json:"server_name,omitempty"`
	CACert             string `json:"ca_cert,omitempty"` // file, PEM
	Cert               string `json:"cert,omitempty"`    // file, PEM
	Key                string `json:"key,omitempty"`     // file, PEM
	InsecureSkipVerify bool   `json:"insecure,omitempty"`
}

// A Job is one script against one server. DefaultJob has sysbench's defaults.
type Job struct {
	Target Target `json:"target"`
	Script string `json:"script"` // one of Scripts
	Schema Schema `json:"schema"`
	Mix    Mix    `json:"mix"`
	Draw   Draw   `json:"draw"`

	Threads int `json:"threads"` // connections, each with one transaction under way; 1 and up
	// The measured part ends after Events transactions or after Duration,
	// whichever comes first; at least one is set. The time is looked at between
	// transactions, so the last ones end after it.
	Events   int64         `json:"events,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`
	// Rate of transactions a second over all threads, arriving as a Poisson
	// process; latency then includes the wait. 0 is as fast as it goes.
	Rate float64 `json:"rate,omitempty"`
	// WarmUp of the same load comes first, at most so long, and is in no
	// figure. With UntilFlat it ends as soon as its throughput is flat.
	WarmUp    time.Duration `json:"warmup_ns,omitempty"`
	UntilFlat bool          `json:"until_flat,omitempty"`

	Interval    time.Duration `json:"interval_ns,omitempty"` // between ticks; 0: a second
	Percentiles []int         `json:"percentiles,omitempty"` // 1 to 100, of each tick
	// Checkpoints are times since the measured part began, rising, at each of which a
	// Checkpointer is told what happened since the one before.
	Checkpoints []time.Duration `json:"checkpoints_ns,omitempty"`
	// IgnoreErrors are the numbers of server errors after which a transaction starts again
	// instead of ending the job; AllErrors stands for every number.
	IgnoreErrors []int `json:"ignore_errors,omitempty"`
	// TextProtocol sends statements as text instead of preparing them:
	// sysbench's --db-ps-mode=disable.
	TextProtocol bool `json:"text_protocol,omitempty"`
	// Silence is how long no query may be answered before the job is cut; 0
	// means a minute, which is more than the default innodb_lock_wait_timeout.
	Silence time.Duration `json:"silence_ns,omitempty"`
	// ForcePortable runs the portable engine where the blocking one could serve.
	ForcePortable bool `json:"force_portable,omitempty"`
}

// AllErrors in IgnoreErrors stands for every error: sysbench's "all".
const AllErrors = -1

// A Schema is the tables sbtest1 to sbtestN that a job works on.
type Schema struct {
	Tables    int    `json:"tables"`     // 1 and up
	TableSize int    `json:"table_size"` // rows a table, 0 to MaxTableSize
	Engine    string `json:"engine"`     // storage engine, when made
	// AutoInc makes id an AUTO_INCREMENT column. Secondary makes id an ordinary
	// index and no primary key. CreateSecondary adds the index k_N.
	AutoInc         bool `json:"auto_inc"`
	Secondary       bool `json:"secondary,omitempty"`
	CreateSecondary bool `json:"create_secondary"`
	// Mark is the comment that tables get when made; it begins with "made by Berth", and is
	// that where it is empty.
	Mark string `json:"mark,omitempty"`
}

// A Mix is how many queries of each class a transaction has.
type Mix struct {
	PointSelects    int  `json:"point_selects"`
	SimpleRanges    int  `json:"simple_ranges"`
	SumRanges       int  `json:"sum_ranges"`
	OrderRanges     int  `json:"order_ranges"`
	DistinctRanges  int  `json:"distinct_ranges"`
	IndexUpdates    int  `json:"index_updates"`
	NonIndexUpdates int  `json:"non_index_updates"`
	DeleteInserts   int  `json:"delete_inserts"`
	RangeSize       int  `json:"range_size"`    // rows a range, 1 and up
	RangeSelects    bool `json:"range_selects"` // false leaves all four kinds of ranges out
	SkipTrx         bool `json:"skip_trx,omitempty"`
}

// A Draw says how row numbers are drawn.
type Draw struct {
	Type string `json:"type"` // "special", "uniform", "gaussian" or "pareto"
	// Iterations averaged by gaussian and special; SpecialPercent of the range
	// gets SpecialShare percent of special's draws.
	Iterations     int     `json:"iterations"`
	SpecialPercent int     `json:"special_percent"`
	SpecialShare   int     `json:"special_share"`
	ParetoH        float64 `json:"pareto_h"`
	Seed           uint64  `json:"seed,omitempty"` // 0: from the time
}

// DefaultJob is sysbench's defaults for oltp_read_write, against no server yet.
func DefaultJob() Job {
	return Job{
		Script:  ReadWrite,
		Schema:  Schema{Tables: 1, TableSize: 10_000, Engine: "innodb", AutoInc: true, CreateSecondary: true},
		Mix:     Mix{PointSelects: 10, SimpleRanges: 1, SumRanges: 1, OrderRanges: 1, DistinctRanges: 1, IndexUpdates: 1, NonIndexUpdates: 1, DeleteInserts: 1, RangeSize: 100, RangeSelects: true},
		Draw:    Draw{Type: Special, Iterations: 12, SpecialPercent: 1, SpecialShare: 75, ParetoH: 0.2},
		Threads: 1, Duration: 10 * time.Second, Percentiles: []int{95},
		IgnoreErrors: []int{errDeadlock, errChecksRead, errLockWait},
	}
}

// A Phase is what a running job does now.
type Phase string

// The phases of a job, in their order.
const (
	Connecting Phase = "connecting"
	Preparing  Phase = "preparing" // statements, not tables
	WarmingUp  Phase = "warming-up"
	Measuring  Phase = "measuring"
	Measured   Phase = "measured"
)

// An Observer is told of a job while it runs. Phase is called at each
// change: Measuring immediately before the first measured query is sent,
// Measured immediately after the last measured answer, both on the goroutine
// that runs the job, so that CPU meters can be read there. Tick comes every
// interval while measuring, from another goroutine.
type Observer interface {
	Phase(Phase)
	Tick(Tick)
}

// A Checkpointer is an Observer that is told of the job's checkpoints, too; never
// at the same time as of a tick.
type Checkpointer interface {
	Observer
	Checkpoint(Stretch)
}

// A Stretch is what happened between two moments of the measured part.
type Stretch struct {
	Elapsed  time.Duration // since the measured part began, to the stretch's end
	Interval time.Duration // of the stretch
	Counts
	Buckets Buckets
	Threads []Thread
}

// Counts are what happened in some time.
type Counts struct {
	Events     int64 `json:"events"` // transactions finished
	Read       int64 `json:"read"`   // queries that gave rows
	Write      int64 `json:"write"`  // queries that changed rows
	Other      int64 `json:"other"`  // the rest: BEGIN, COMMIT, and changes that met no row
	Errors     int64 `json:"errors,omitempty"`
	Reconnects int64 `json:"reconnects,omitempty"`
}

// Queries are all answered queries; one that ended in an error is none.
func (c Counts) Queries() int64 { return c.Read + c.Write + c.Other }

func (c Counts) minus(d Counts) Counts {
	return Counts{c.Events - d.Events, c.Read - d.Read, c.Write - d.Write, c.Other - d.Other, c.Errors - d.Errors, c.Reconnects - d.Reconnects}
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Events + d.Events, c.Read + d.Read, c.Write + d.Write, c.Other + d.Other, c.Errors + d.Errors, c.Reconnects + d.Reconnects}
}

// A Tick is one interval of the measured part.
type Tick struct {
	Elapsed  time.Duration `json:"elapsed_ns"`  // since the measured part began
	Interval time.Duration `json:"interval_ns"` // since the tick before
	Threads  int           `json:"threads"`
	Counts                 // of this interval
	// Latency has the job's percentiles, in milliseconds, of the transactions
	// that ended in this interval.
	Latency []float64 `json:"latency_ms,omitempty"`
	Total   Counts    `json:"total"` // since the measured part began
	// Queue and Concurrency are, at a fixed rate, transactions that wait and that run.
	Queue       int64 `json:"queue,omitempty"`
	Concurrency int64 `json:"concurrency,omitempty"`
}

// A Result is what was measured.
type Result struct {
	Counts
	Elapsed time.Duration // from the start of all threads to the end of the last
	// Latency has microseconds, 1 to over 60 s, 3 digits, of each transaction,
	// restarts and, at a fixed rate, the wait included. Buckets has the same as
	// sysbench keeps it.
	Latency *hdrhistogram.Histogram
	Buckets Buckets
	Threads []Thread
	// Rest is what happened after the last checkpoint; all of it where there was none.
	Rest Stretch
	// FirstErrors has the first text of each ignored error, by its number.
	FirstErrors map[string]string
	WarmUp      WarmUp
	Server      Facts // of the server, read before measuring
	Engine      string
	// Cut says why the measured part ended before its stop rule; empty if it did not.
	Cut string
}

// A Thread is one connection's share of a result.
type Thread struct {
	Events        int64
	Min, Max, Sum time.Duration // of its transactions
}

// A WarmUp is how the warm-up went.
type WarmUp struct {
	Took time.Duration
	Flat bool // it ended because throughput was flat
}
