// Package agent is the process that generates load, both ends of it: Run
// starts this same program again with the hidden argument Command, hands it one
// Job as JSON on standard input, and reads Events from its standard output,
// one JSON object a line; Main is what that process does. The end of standard
// input means stop. Load therefore never shares a scheduler with drawing.
//
// Data goes: run → Job → agent process → redisload or oltp → Event → run.
package agent

import (
	"time"

	"berth/core/oltp"
	"berth/core/redisload"
)

// Command is the hidden first argument that makes this program an agent: main
// hands over to Main before it does anything else.
const Command = "__agent"

// A Job is what an agent process is started for.
type Job struct {
	// CPUs that the agent process is bound to; empty leaves it free.
	CPUs []int `json:"cpus,omitempty"`
	// Watch has the processes whose CPU time is read at the start and the end of
	// the measured part, by role.
	Watch Watch `json:"watch"`
	// Exactly one of these says what to do: load Redis, load MySQL, or make
	// the tables that MySQL is loaded on.
	Redis  *redisload.Job `json:"redis,omitempty"`
	OLTP   *oltp.Job      `json:"oltp,omitempty"`
	Tables *oltp.Job      `json:"tables,omitempty"`
}

// Watch names processes by pid.
type Watch struct {
	Server []int `json:"server,omitempty"`
	Proxy  []int `json:"proxy,omitempty"` // docker-proxy
}

// An Event is one line that an agent writes. Exactly one field is set. The last
// is a Result or an Error; an Error may follow the Result of what was measured before it.
type Event struct {
	Phase  redisload.Phase `json:"phase,omitempty"`
	Tick   *Tick           `json:"tick,omitempty"`
	Rows   *Rows           `json:"rows,omitempty"`
	Result *Result         `json:"result,omitempty"`
	// Error ends the job.
	Error *Error `json:"error,omitempty"`
}

// A Tick is how far the measured part is: requests, or queries of MySQL.
type Tick struct {
	redisload.Tick
	Transactions int64 `json:"transactions,omitempty"` // of MySQL
	// P95 is the 95th percentile of the transactions since the tick before, in
	// milliseconds.
	P95 float64 `json:"p95_ms,omitempty"`
}

// Rows is how far the making of tables is.
type Rows struct {
	Made  int64 `json:"made"`
	Total int64 `json:"total"`
}

// A Result is redisload's or oltp's, made fit for a line of JSON, with the CPU that each
// process used while it was measured.
type Result struct {
	Requests int64 `json:"requests"` // or queries of MySQL
	// Transactions of MySQL; Latency is then theirs.
	Transactions int64 `json:"transactions,omitempty"`
	// Unsettled says that the warm-up ended before throughput was flat.
	Unsettled   bool              `json:"unsettled,omitempty"`
	Errors      int64             `json:"errors,omitempty"`
	Misses      int64             `json:"misses,omitempty"`
	Short       int64             `json:"short,omitempty"`       // of them, lists shorter than asked for
	FirstShort  int64             `json:"first_short,omitempty"` // elements of the first of those
	Reconnects  int64             `json:"reconnects,omitempty"`
	Outage      time.Duration     `json:"outage_ns,omitempty"`
	Elapsed     time.Duration     `json:"elapsed_ns"`
	Latency     string            `json:"latency"`           // hdrhistogram V2, compressed, base64; microseconds
	Service     string            `json:"service,omitempty"` // the same, uncorrected, at a fixed rate
	FirstErrors map[string]string `json:"first_errors,omitempty"`
	Engine      string            `json:"engine"`
	Threads     int               `json:"threads"`
	State       string            `json:"state,omitempty"`
	Cut         string            `json:"cut,omitempty"`
	CPU         CPU               `json:"cpu"`
}

// CPU is CPU time used during the measured part. A nil pointer is unknown.
type CPU struct {
	Client  *time.Duration  `json:"client_ns,omitempty"`  // the whole agent process
	Threads []time.Duration `json:"threads_ns,omitempty"` // each event loop's thread
	Server  *time.Duration  `json:"server_ns,omitempty"`
	Proxy   *time.Duration  `json:"proxy_ns,omitempty"`
	// Machine is the share of all CPUs' time that was not idle, in percent of one
	// core (200 on two busy cores); Steal the part taken by the hypervisor.
	Machine *float64 `json:"machine_pct,omitempty"`
	Steal   *float64 `json:"steal_pct,omitempty"`
}
