// Package plan says what a run will do: which variants are compared, under
// which workloads, in how many rounds. A plan is read from TOML, checked
// whole before anything starts, and written back as it was understood. The
// package starts nothing and measures nothing.
package plan

import "time"

// Services that Berth can place.
const (
	Redis = "redis"
	MySQL = "mysql"
)

// Placements: where and how a service runs.
const (
	Native       = "native"
	Pinned       = "pinned"
	DockerNAT    = "docker-nat"
	DockerDirect = "docker-direct"
	DockerHost   = "docker-host"
	Existing     = "existing"
	StandIn      = "stand-in"
)

// Persistence settings of a Redis server that Berth starts.
const (
	PersistenceNone    = "none"         // no snapshots, no append-only file: Berth's default
	PersistenceDefault = "default"      // whatever the program does when told nothing
	PersistenceAlways  = "aof-always"   // append-only, appendfsync always
	PersistenceSecond  = "aof-everysec" // append-only, appendfsync everysec
	PersistenceNo      = "aof-no"       // append-only, appendfsync no
)

// Persistence settings of a MySQL server that Berth starts: innodb_flush_log_at_trx_commit.
// Redis's words are understood too, each as the setting that promises the same.
const (
	PersistenceFlush0 = "flush-0" // the log is written and synced once a second
	PersistenceFlush1 = "flush-1" // written and synced at each commit: what MySQL does when told nothing
	PersistenceFlush2 = "flush-2" // written at each commit, synced once a second
)

// A Plan is variants × workloads × rounds.
type Plan struct {
	Name   string `toml:"name" json:"name"`
	Title  string `toml:"title,omitempty" json:"title,omitempty"`
	Rounds int    `toml:"rounds" json:"rounds"`
	// Seed fixes the order of the variants in every round and the keys that
	// are drawn. 0 means: draw one when the run starts and record it.
	Seed uint64 `toml:"seed" json:"seed"`
	// Reference is the label of the variant that the others are compared
	// with; empty means the first Redis placed native, or else the first of all.
	Reference string `toml:"reference,omitempty" json:"reference,omitempty"`
	// Host and Port are where the servers that Berth starts listen. Host is a
	// loopback address; port 0 means a free one for each start.
	Host string `toml:"host" json:"host"`
	Port int    `toml:"port" json:"port"`
	// Loads are what each Redis variant is put under, OLTPs what each MySQL variant
	// is, one after the other. An entry of one is set beside that of the other with the same name;
	// one without a name, which is then the only one on its side, beside all.
	Loads    OneOrMore[Load] `toml:"-" json:"load,omitzero"`
	OLTPs    OneOrMore[OLTP] `toml:"-" json:"oltp,omitzero"`
	Variants []Variant       `toml:"variant" json:"variants"`
}

// Load is what is sent to each Redis variant: the product of its lists.
type Load struct {
	// Name tells several loads of a plan apart, and pairs one with an OLTP.
	Name string `toml:"name,omitempty" json:"name,omitempty"`
	// Suite is "classic" (redis-benchmark 2.8.19) or "modern" (7.x); it
	// decides what a test of the same name sends.
	Suite        string   `toml:"suite" json:"suite"`
	Tests        []string `toml:"tests" json:"tests"`
	PayloadBytes []int    `toml:"payload_bytes" json:"payload_bytes"`
	Pipelines    []int    `toml:"pipelines" json:"pipelines"`
	Clients      []int    `toml:"clients" json:"clients"`
	// Rates are requests a second over all connections; 0, and an empty list, is as
	// fast as it goes.
	Rates []int `toml:"rates,omitempty" json:"rates,omitempty"`
	// Seconds of measuring a sample, or Requests a sample: exactly one of
	// the two is above 0.
	Seconds  float64 `toml:"seconds,omitempty" json:"seconds,omitempty"`
	Requests int64   `toml:"requests,omitempty" json:"requests,omitempty"`
	// WarmUpSeconds of the same load run before each sample and are not in
	// its figures.
	WarmUpSeconds float64 `toml:"warmup_seconds" json:"warmup_seconds"`
	// Keyspace is redis-benchmark's -r: 0 sends the one literal key.
	Keyspace int64 `toml:"keyspace,omitempty" json:"keyspace,omitempty"`
	// Threads of the agent; 0 means that Berth chooses, once for the run.
	Threads int `toml:"threads,omitempty" json:"threads,omitempty"`
}

// OLTP is what is sent to each MySQL variant: sysbench's scripts, on tables
// that are made once and given to every start alike, and are the same for all OLTPs of a plan.
type OLTP struct {
	Name    string   `toml:"name,omitempty" json:"name,omitempty"`       // as of a Load
	Scripts []string `toml:"scripts,omitempty" json:"scripts,omitempty"` // "oltp_read_write"
	// Tables of TableSize rows each.
	Tables    int   `toml:"tables,omitempty" json:"tables,omitempty"`
	TableSize int   `toml:"table_size,omitempty" json:"table_size,omitempty"`
	Threads   []int `toml:"threads,omitempty" json:"threads,omitempty"` // connections, each with a transaction under way
	// Draw is how rows are drawn, sysbench's --rand-type.
	Draw    string  `toml:"rand_type,omitempty" json:"rand_type,omitempty"`
	Seconds float64 `toml:"seconds,omitempty" json:"seconds,omitempty"` // of measuring a sample
	// WarmUpSeconds at most come first; they end once throughput is flat.
	WarmUpSeconds float64 `toml:"warmup_seconds,omitempty" json:"warmup_seconds,omitempty"`
	// ReportSeconds lie between two lines about a sample that is measured, sysbench's
	// --report-interval; 0: no such lines.
	ReportSeconds int `toml:"report_seconds,omitempty" json:"report_seconds,omitempty"`
}

// A Variant is one thing compared: a service, its program or image, its
// configuration, its placement and its CPUs, under a unique label.
type Variant struct {
	Label     string `toml:"label" json:"label"`
	Service   string `toml:"service" json:"service"`
	Placement string `toml:"placement" json:"placement"`
	// CPUs the server is bound to, as taskset -c writes them: "2", "02",
	// "0-1,3". Empty: not bound, or for pinned the one that Berth chooses.
	CPUs string `toml:"cpus,omitempty" json:"cpus,omitempty"`
	// Program is the server's program; empty means the service's own name
	// on PATH. Image is a registry image for the docker placements; empty
	// means a container of the host's own Program.
	Program     string `toml:"program,omitempty" json:"program,omitempty"`
	Image       string `toml:"image,omitempty" json:"image,omitempty"`
	Persistence string `toml:"persistence,omitempty" json:"persistence,omitempty"`
	// ConfigFile is a redis.conf of the user's, used as it is save for what
	// the placement must override.
	ConfigFile string `toml:"config_file,omitempty" json:"config_file,omitempty"`

	// The rest says how to reach an existing server.
	Host     string `toml:"host,omitempty" json:"host,omitempty"`
	Port     int    `toml:"port,omitempty" json:"port,omitempty"`
	Socket   string `toml:"socket,omitempty" json:"socket,omitempty"`
	User     string `toml:"user,omitempty" json:"user,omitempty"`
	Database int    `toml:"database,omitempty" json:"database,omitempty"`
	TLS      bool   `toml:"tls,omitempty" json:"tls,omitempty"`
	// Schema is the database's name on an existing MySQL server; empty means sbtest, as
	// does an empty User.
	Schema string `toml:"schema,omitempty" json:"schema,omitempty"`
	// Password is read from a plan or the window, and never written anywhere.
	Password string `toml:"password,omitempty" json:"-"`
}

// A Workload is one test under one setting of the load. For MySQL the test is
// a script, the clients are its threads, and there is no payload.
type Workload struct {
	Load         string        `json:"load,omitempty"` // the name of the plan's Load or OLTP that it is of
	Test         string        `json:"test"`
	PayloadBytes int           `json:"payload_bytes"`
	Pipeline     int           `json:"pipeline"`
	Clients      int           `json:"clients"`
	Rate         int           `json:"rate,omitempty"` // requests a second; 0: as fast as it goes
	Keyspace     int64         `json:"keyspace,omitempty"`
	Duration     time.Duration `json:"duration_ns,omitempty"` // 0: until Requests
	Requests     int64         `json:"requests,omitempty"`    // 0: until Duration
	WarmUp       time.Duration `json:"warmup_ns,omitempty"`
}
