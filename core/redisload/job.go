// Package redisload sends Redis load: the tests of redis-benchmark's suites,
// over an event loop that costs as little client CPU a request as it can, and
// times every reply. It knows an address and what to send; it knows nothing
// of placements, rounds or plans. A Job goes in, a Result comes out.
//
// Data goes: Job → Run (run.go) → an engine: event loops (loop_linux.go) or a
// goroutine a connection (portable.go), which send the bytes of request.go and pass
// over replies with reply.go → a tally a loop (tally.go) → Result.
package redisload

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Engines that carry a job out. Figures of different engines are not compared
// without a flag.
const (
	EngineEpoll    = "epoll"
	EnginePortable = "portable"
	EngineTLS      = "tls"
)

// A Target is the server that is loaded.
type Target struct {
	Network  string `json:"network"` // "tcp" or "unix"
	Address  string `json:"address"` // host:port, or the socket's path
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Database int    `json:"database,omitempty"`
	TLS      *TLS   `json:"tls,omitempty"`
}

// TLS says how a TLS connection is made; the zero value checks the server
// against the system's roots.
type TLS struct {
	ServerName         string `json:"server_name,omitempty"`
	CACert             string `json:"ca_cert,omitempty"`     // file, PEM
	CACertDir          string `json:"ca_cert_dir,omitempty"` // folder of such files
	Cert               string `json:"cert,omitempty"`        // file, PEM
	Key                string `json:"key,omitempty"`         // file, PEM
	InsecureSkipVerify bool   `json:"insecure,omitempty"`
	// Ciphers and CipherSuites are lists as redis-benchmark's options of these
	// names take them: of TLS 1.2 and before, and of TLS 1.3. See chooseCiphers.
	Ciphers      string `json:"ciphers,omitempty"`
	CipherSuites string `json:"ciphersuites,omitempty"`
}

// A Job is one test against one server.
type Job struct {
	Target Target `json:"target"`
	// Masters of the target's cluster, if any, are loaded in its place: connections are
	// spread over them, and each is sent keys of its own tag. See the function Masters.
	Masters []Master `json:"masters,omitempty"`
	tag     string   // of the one master that a job from nodes is for
	// Suite and Test name what is sent: see Lookup. Args, when set, is a
	// custom command instead, with __rand_int__ and __data__ replaced.
	Suite string   `json:"suite"`
	Test  string   `json:"test"`
	Args  []string `json:"args,omitempty"`

	PayloadBytes int    `json:"payload_bytes"`
	Pipeline     int    `json:"pipeline"` // requests in flight on each connection, 1 and up
	Clients      int    `json:"clients"`  // connections, 1 and up
	Threads      int    `json:"threads"`  // event loops; 0 means auto: see AutoThreads
	Keyspace     int64  `json:"keyspace,omitempty"`
	Prefix       string `json:"prefix,omitempty"` // put before every key
	// Sequential takes the keys of the keyspace one after the other, each
	// thread from its own place on, instead of at random.
	Sequential bool `json:"sequential,omitempty"`
	// Distinct makes each value begin with 12 digits of its own; the payload
	// then has at least as many bytes.
	Distinct bool   `json:"distinct,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`

	// The measured part ends after Requests replies (exactly that many are
	// sent) or after Duration, whichever is set; with both, the first. After
	// Prepare, a test of pops also ends with the last element loaded, and one
	// that adds to its key at 2 GiB: see stateOf.
	Requests int64         `json:"requests,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`
	// WarmUp of the same load comes first and is in no figure.
	WarmUp time.Duration `json:"warmup_ns,omitempty"`
	// Rate of requests a second over all connections; 0 is as fast as it goes.
	Rate float64 `json:"rate,omitempty"`

	// Prepare brings the keys that the test uses into the test's fixed data
	// state first (see stateOf), and again after a warm-up that changed it.
	// Cleanup removes them, by name, at the end.
	Prepare bool `json:"prepare,omitempty"`
	Cleanup bool `json:"cleanup,omitempty"`
	// Deadline bounds the whole job when the server stops answering, beyond
	// what Requests, Duration and WarmUp need; 0 means 10 s without any reply.
	Deadline time.Duration `json:"deadline_ns,omitempty"`
	// RESP3 greets each connection with HELLO 3, Tracking with CLIENT TRACKING on.
	RESP3    bool `json:"resp3,omitempty"`
	Tracking bool `json:"tracking,omitempty"`
	// Reconnect opens a new connection for each batch: redis-benchmark's -k 0.
	Reconnect bool `json:"reconnect,omitempty"`
	// ForcePortable runs the portable engine where epoll could serve.
	ForcePortable bool `json:"force_portable,omitempty"`
}

// A Phase is what a running job does now.
type Phase string

// The phases of a job, in their order.
const (
	Connecting Phase = "connecting"
	Preparing  Phase = "preparing"
	WarmingUp  Phase = "warming-up"
	Measuring  Phase = "measuring"
	Measured   Phase = "measured"
	CleaningUp Phase = "cleaning-up"
)

// An Observer is told of a job while it runs. Phase is called at each
// change: Measuring immediately before the first measured request is sent,
// Measured immediately after the last measured reply, both on the goroutine that
// runs the job, so that CPU meters can be read there. Tick comes about once a
// second while measuring, from another goroutine.
type Observer interface {
	Phase(Phase)
	Tick(Tick)
}

// A Tick is how far the measured part is.
type Tick struct {
	Elapsed  time.Duration `json:"elapsed_ns"`
	Requests int64         `json:"requests"`
	Errors   int64         `json:"errors,omitempty"`
}

// A Result is what was measured.
type Result struct {
	Requests int64 // replies received in the measured part, errors and misses among them
	Errors   int64 // error replies
	Misses   int64 // nil replies, and lists shorter than the test's name says
	// Short counts those lists; the first of them had FirstShort elements.
	Short, FirstShort int64
	// Reconnects counts connections that were lost and opened again.
	Reconnects int64
	// Outage is the longest time that a lost connection was without a server or,
	// where the part was cut for its silence, that no reply came before the
	// cut. That end is not in Elapsed; an outage that the server came back from is.
	Outage  time.Duration
	Elapsed time.Duration // from the first request sent to the last reply received
	// Latency has microseconds, 1 to over 60 s, 3 digits: from the send of
	// a request's batch to the receive that completed its reply. At a fixed
	// rate, from when the request was due; Service then has the uncorrected one.
	Latency *hdrhistogram.Histogram
	Service *hdrhistogram.Histogram
	// FirstErrors has the first text of each kind of error reply, by its
	// first word ("ERR", "OOM", ...).
	FirstErrors map[string]string
	Engine      string
	Threads     int
	// ThreadCPU is the CPU time that each event loop's thread used in the
	// measured part, user and system; empty where the system does not tell.
	ThreadCPU []time.Duration
	// Unsettled says that the measured part began before throughput was flat.
	Unsettled bool
	// State is the data state that the test started from, for the record:
	// "mylist: 600 elements of 100 bytes".
	State string
	// Cut says why the measured part ended before its stop rule; empty if it did not.
	Cut string
}
