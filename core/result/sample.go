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
	FlagStandIn     = "not-redis"
)

// RPS is replies (or queries) a second; 0 if nothing was measured.
func (s *Sample) RPS() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Requests) / s.Elapsed.Seconds()
}

// TPS is transactions a second; 0 where there are none, as of Redis.
func (s *Sample) TPS() float64 {
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
