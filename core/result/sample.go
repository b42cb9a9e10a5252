package result

import (
	"time"

	"berth/core/plan"
)

// A Sample is one workload measured once on one server in one round.
type Sample struct {
	Round     int           `json:"round"`
	Variant   string        `json:"variant"`
	Service   string        `json:"service"`
	Placement string        `json:"placement"`
	Workload  plan.Workload `json:"workload"`

	Requests     int64         `json:"requests"`               // replies, or queries of MySQL
	Transactions int64         `json:"transactions,omitempty"` // of MySQL
	Errors       int64         `json:"errors"`
	Misses       int64         `json:"misses"`
	Elapsed      time.Duration `json:"elapsed_ns"`
	// Latency is an hdrhistogram, V2 compressed, base64, in microseconds;
	// of requests for Redis, of transactions for MySQL.
	Latency string `json:"latency"`

	// CPU in percent of one core while it was measured; nil is unknown.
	ClientCPU  *float64 `json:"client_cpu_pct,omitempty"`
	ServerCPU  *float64 `json:"server_cpu_pct,omitempty"`
	ProxyCPU   *float64 `json:"proxy_cpu_pct,omitempty"`
	MachineCPU *float64 `json:"machine_cpu_pct,omitempty"`
	Steal      *float64 `json:"steal_pct,omitempty"`
	// BusiestThread is the agent's busiest event loop, in percent of one core.
	BusiestThread *float64 `json:"busiest_thread_pct,omitempty"`
	AgentThreads  int      `json:"agent_threads"`

	Engine     string   `json:"engine"`
	Bottleneck string   `json:"bottleneck"` // one of the Bottleneck constants, or empty
	Flags      []string `json:"flags,omitempty"`
	State      string   `json:"state,omitempty"` // the data state it started from
	// Reported is what another tool's output said, in a run that was read in; nil of what Berth measured.
	Reported *Reported `json:"reported,omitempty"`
	// FirstErrors has the first text of each kind of error reply.
	FirstErrors map[string]string `json:"first_errors,omitempty"`
}

// What can limit a sample.
const (
	BottleneckServer  = "server"
	BottleneckClient  = "client"
	BottleneckProxy   = "docker-proxy"
	BottleneckMachine = "machine"
	BottleneckLatency = "latency"
)

// Flags of a sample, joined by ";" in CSV.
const (
	FlagClientBound = "client-bound"
	FlagErrors      = "errors"
	FlagMisses      = "misses"
	FlagTooShort    = "too-short"
	FlagCPUsShared  = "cpus-shared"
	FlagSteal       = "steal"
	FlagBusy        = "busy-machine"
	FlagOther       = "another-berth"
	FlagNotFresh    = "not-restarted"
	FlagCarried     = "data-carried-over"
	FlagPool        = "exceeds-buffer-pool"
	FlagCut         = "cut-short"
	FlagUnsettled   = "not-settled"
	FlagReconnects  = "reconnects"
	FlagVersions    = "versions-differ"
	FlagEngines     = "engines-differ"
	FlagFilesystems = "filesystems-differ"
	FlagUserNetwork = "user-mode-network"
	FlagNetwork     = "over-network"
	FlagStandIn     = "not-redis"
	FlagImported    = "imported" // reported by another tool
)

// Reported are figures that another tool printed. Requests, transactions and the time that
// they took are 0 in a sample where it did not print them; so are payload, pipeline and clients.
type Reported struct {
	RPS     float64         `json:"rps"`
	TPS     float64         `json:"tps,omitempty"`
	Latency ReportedLatency `json:"latency_ms"`
}

// A ReportedLatency is in milliseconds; nil where the tool did not print it.
type ReportedLatency struct {
	Avg  *float64 `json:"avg,omitempty"`
	Min  *float64 `json:"min,omitempty"`
	P50  *float64 `json:"p50,omitempty"`
	P95  *float64 `json:"p95,omitempty"`
	P99  *float64 `json:"p99,omitempty"`
	P999 *float64 `json:"p99_9,omitempty"`
	Max  *float64 `json:"max,omitempty"`
}

// RPS is replies (or queries) a second; 0 if nothing was measured.
func (s *Sample) RPS() float64 {
	if s.Reported != nil {
		return s.Reported.RPS
	}
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Requests) / s.Elapsed.Seconds()
}

// TPS is transactions a second; 0 where there are none, as of Redis.
func (s *Sample) TPS() float64 {
	if s.Reported != nil {
		return s.Reported.TPS
	}
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Transactions) / s.Elapsed.Seconds()
}

// Below these a sample is too short to stand on.
const (
	shortestSample = 100 * time.Millisecond
	fewestRequests = 1000
)

// TooShort says that s lasted too short a time, or had too few requests, to stand on.
func (s *Sample) TooShort() bool {
	return s.Elapsed < shortestSample || s.Requests < fewestRequests
}
