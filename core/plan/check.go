package plan

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"berth/core/host"
	"berth/core/oltp"
	"berth/core/redisload"
	"berth/core/text"
)

// Limits of a plan. Beyond them a value is a slip of the keyboard, not a wish.
const (
	MaxRounds   = 1000
	MaxSeconds  = 3600
	MaxClients  = 10_000
	MaxPipeline = 30_000
	MaxPayload  = 512 << 20 // bytes: Redis takes no longer string
	MaxRequests = 1_000_000_000
	MaxThreads  = 256
	MaxKeyspace = 1_000_000_000_000 // 12 digits: what __rand_int__ is replaced by
	MaxTables   = 1000
	// MaxTableSize is in rows.
	MaxTableSize = 100_000_000
)

// Services and placements that there are, in the order in which they are shown.
var (
	Services   = []string{Redis, MySQL}
	Placements = []string{Native, Pinned, DockerNAT, DockerDirect, DockerHost, Existing, StandIn}
)

// Complete fills in what a plan may leave out (labels, the service, one value
// for each list) and writes the tests' names as the suite does. It changes nothing else.
func (p *Plan) Complete() {
	if p.Host == "" {
		p.Host = "127.0.0.1"
	}
	if p.Rounds == 0 {
		p.Rounds = 6
	}
	l := &p.Load
	if l.Suite == "" {
		l.Suite = "classic"
	}
	for i, name := range l.Tests {
		if t, err := redisload.Lookup(l.Suite, name); err == nil {
			l.Tests[i] = t.Name
		}
	}
	if len(l.PayloadBytes) == 0 {
		l.PayloadBytes = []int{3}
	}
	if len(l.Pipelines) == 0 {
		l.Pipelines = []int{1}
	}
	if len(l.Clients) == 0 {
		l.Clients = []int{50}
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		if v.Service == "" {
			v.Service = Redis
		}
		if v.Label == "" {
			v.Label = v.Placement
			if v.Service != Redis {
				v.Label = v.Service
			}
		}
		if v.Placement == Existing && v.Socket == "" {
			if v.Host == "" {
				v.Host = "127.0.0.1"
			}
			if v.Port == 0 {
				v.Port = customaryPort[v.Service]
			}
		}
	}
	if p.has(MySQL) {
		p.OLTP.complete()
	}
}

var customaryPort = map[string]int{Redis: 6379, MySQL: 3306}

// LightOLTP is the load of MySQL where a plan says nothing: 4 tables of 100,000
// rows, 4 threads, 20 s after at most 10 s of warm-up.
func LightOLTP() OLTP {
	return OLTP{Scripts: []string{oltp.ReadWrite}, Tables: 4, TableSize: 100_000, Threads: []int{4}, Draw: oltp.Special, Seconds: 20, WarmUpSeconds: 10}
}

// complete fills in what is left out from the light load.
func (o *OLTP) complete() {
	light := LightOLTP()
	if len(o.Scripts) == 0 {
		o.Scripts = light.Scripts
	}
	if o.Tables == 0 {
		o.Tables = light.Tables
	}
	if o.TableSize == 0 {
		o.TableSize = light.TableSize
	}
	if len(o.Threads) == 0 {
		o.Threads = light.Threads
	}
	if o.Draw == "" {
		o.Draw = light.Draw
	}
	if o.Seconds == 0 {
		o.Seconds = light.Seconds
		if o.WarmUpSeconds == 0 {
			o.WarmUpSeconds = light.WarmUpSeconds
		}
	}
}

// has says whether some variant is of the service.
func (p Plan) has(service string) bool {
	return slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.Service == service })
}

// Check says all that is wrong with a complete plan that can be known without
// looking at the machine; nil if nothing is. The error is Faults.
func (p Plan) Check() error {
	if faults := p.check(); len(faults) > 0 {
		return faults
	}
	return nil
}

func (p Plan) check() Faults {
	var faults Faults
	fault := func(key, id string, args text.Args) {
		faults = append(faults, Fault{Key: key, Err: text.Err(id, args, nil)})
	}
	within := func(key string, value, low, high int64) {
		if value < low || value > high {
			fault(key, "plan.out-of-range", text.Args{"Value": value, "Low": low, "High": high})
		}
	}
	within("rounds", int64(p.Rounds), 1, MaxRounds)
	within("port", int64(p.Port), 0, math.MaxUint16)
	if a, err := netip.ParseAddr(p.Host); p.Host != "localhost" && (err != nil || !a.IsLoopback()) {
		fault("host", "plan.host-not-loopback", text.Args{"Host": p.Host})
	}
	if p.has(Redis) || !p.has(MySQL) {
		p.Load.check(fault, within)
	}
	if p.has(MySQL) {
		p.OLTP.check(fault, within)
	}

	if len(p.Variants) == 0 {
		fault("variant", "plan.no-variants", nil)
	}
	labels := map[string]bool{}
	for i, v := range p.Variants {
		key := func(name string) string { return fmt.Sprintf("variant[%d].%s", i+1, name) }
		v.check(key, fault, within)
		if labels[v.Label] {
			fault(key("label"), "plan.label-twice", text.Args{"Label": v.Label})
		}
		labels[v.Label] = true
	}
	if p.Reference != "" && !labels[p.Reference] {
		fault("reference", "plan.reference-unknown", text.Args{"Label": p.Reference})
	}
	return faults
}

func (l Load) check(fault func(key, id string, args text.Args), within func(key string, value, low, high int64)) {
	if _, err := redisload.Suite(l.Suite); err != nil {
		fault("load.suite", "plan.suite-unknown", text.Args{"Suite": l.Suite})
	} else {
		for _, name := range l.Tests {
			if _, err := redisload.Lookup(l.Suite, name); err != nil {
				fault("load.tests", "plan.test-unknown", text.Args{"Test": name, "Suite": l.Suite, "Tests": strings.Join(TestNames(l.Suite), ", ")})
			}
		}
	}
	if len(l.Tests) == 0 {
		fault("load.tests", "plan.no-tests", nil)
	}
	each := func(key string, values []int, high int64) {
		for i, v := range values {
			within(key, int64(v), 1, high)
			if slices.Contains(values[:i], v) {
				fault(key, "plan.value-twice", text.Args{"Value": v})
			}
		}
	}
	for i, name := range l.Tests {
		if slices.ContainsFunc(l.Tests[:i], func(other string) bool { return strings.EqualFold(other, name) }) {
			fault("load.tests", "plan.value-twice", text.Args{"Value": name})
		}
	}
	each("load.payload_bytes", l.PayloadBytes, MaxPayload)
	each("load.pipelines", l.Pipelines, MaxPipeline)
	each("load.clients", l.Clients, MaxClients)
	switch {
	case l.Seconds == 0 && l.Requests == 0:
		fault("load.seconds", "plan.no-stop-rule", nil)
	case l.Seconds != 0 && l.Requests != 0:
		fault("load.requests", "plan.two-stop-rules", nil)
	case l.Requests != 0:
		within("load.requests", l.Requests, 1, MaxRequests)
	case !(l.Seconds >= 0.01 && l.Seconds <= MaxSeconds):
		fault("load.seconds", "plan.out-of-range", text.Args{"Value": l.Seconds, "Low": 0.01, "High": MaxSeconds})
	}
	if !(l.WarmUpSeconds >= 0 && l.WarmUpSeconds <= MaxSeconds) {
		fault("load.warmup_seconds", "plan.out-of-range", text.Args{"Value": l.WarmUpSeconds, "Low": 0, "High": MaxSeconds})
	}
	within("load.keyspace", l.Keyspace, 0, MaxKeyspace)
	within("load.threads", int64(l.Threads), 0, MaxThreads)
}

func (o OLTP) check(fault func(key, id string, args text.Args), within func(key string, value, low, high int64)) {
	for i, name := range o.Scripts {
		if !slices.Contains(oltp.Scripts(), name) {
			fault("oltp.scripts", "plan.script-unknown", text.Args{"Script": name, "Scripts": strings.Join(oltp.Scripts(), ", ")})
		}
		if slices.Contains(o.Scripts[:i], name) {
			fault("oltp.scripts", "plan.value-twice", text.Args{"Value": name})
		}
	}
	if !slices.Contains(oltp.Draws(), o.Draw) {
		fault("oltp.rand_type", "plan.draw-unknown", text.Args{"Draw": o.Draw, "Draws": strings.Join(oltp.Draws(), ", ")})
	}
	within("oltp.tables", int64(o.Tables), 1, MaxTables)
	within("oltp.table_size", int64(o.TableSize), 1, MaxTableSize)
	for i, n := range o.Threads {
		within("oltp.threads", int64(n), 1, MaxClients)
		if slices.Contains(o.Threads[:i], n) {
			fault("oltp.threads", "plan.value-twice", text.Args{"Value": n})
		}
	}
	if !(o.Seconds >= 0.01 && o.Seconds <= MaxSeconds) {
		fault("oltp.seconds", "plan.out-of-range", text.Args{"Value": o.Seconds, "Low": 0.01, "High": MaxSeconds})
	}
	if !(o.WarmUpSeconds >= 0 && o.WarmUpSeconds <= MaxSeconds) {
		fault("oltp.warmup_seconds", "plan.out-of-range", text.Args{"Value": o.WarmUpSeconds, "Low": 0, "High": MaxSeconds})
	}
}

// TestNames are the names of a suite's tests, in its order; none of a suite
// that there is not.
func TestNames(suite string) []string {
	tests, err := redisload.Suite(suite)
	if err != nil {
		return nil
	}
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.Name
	}
	return names
}

func (v Variant) check(key func(string) string, fault func(key, id string, args text.Args), within func(key string, value, low, high int64)) {
	if strings.TrimSpace(v.Label) == "" || utf8.RuneCountInString(v.Label) > 100 || strings.ContainsFunc(v.Label, func(r rune) bool { return !unicode.IsPrint(r) && r != zeroWidthJoiner }) {
		fault(key("label"), "plan.label-unusable", text.Args{"Label": v.Label})
	}
	if !slices.Contains(Services, v.Service) {
		fault(key("service"), "plan.service-unknown", text.Args{"Service": v.Service, "Services": strings.Join(Services, ", ")})
	}
	if !slices.Contains(Placements, v.Placement) {
		fault(key("placement"), "plan.placement-unknown", text.Args{"Placement": v.Placement, "Placements": strings.Join(Placements, ", ")})
	}
	if v.Placement == StandIn && v.Service != Redis {
		fault(key("placement"), "plan.stand-in-redis-only", text.Args{"Placement": v.Placement})
	}
	if v.CPUs != "" {
		if v.Placement == Native || v.Placement == Existing || v.Placement == StandIn {
			fault(key("cpus"), "plan.cpus-not-here", text.Args{"Placement": v.Placement})
		} else if _, err := host.ParseCPUs(v.CPUs); err != nil {
			fault(key("cpus"), "plan.cpus-unreadable", text.Args{"CPUs": v.CPUs})
		}
	}
	if v.Image != "" && !v.InDocker() {
		fault(key("image"), "plan.image-not-here", text.Args{"Placement": v.Placement})
	}
	if v.Persistence != "" && !slices.Contains(persistences, v.Persistence) {
		fault(key("persistence"), "plan.persistence-unknown", text.Args{"Persistence": v.Persistence, "All": strings.Join(persistences, ", ")})
	}
	if v.Placement == Existing {
		within(key("port"), int64(v.Port), 0, math.MaxUint16)
		within(key("database"), int64(v.Database), 0, math.MaxInt32)
		return
	}
	for _, only := range []struct {
		key   string
		given bool
	}{
		{"host", v.Host != ""}, {"port", v.Port != 0}, {"socket", v.Socket != ""}, {"user", v.User != ""},
		{"password", v.Password != ""}, {"database", v.Database != 0}, {"tls", v.TLS},
	} {
		if only.given {
			fault(key(only.key), "plan.only-existing", text.Args{"Placement": v.Placement})
		}
	}
}

// zeroWidthJoiner makes one emoji of several.
const zeroWidthJoiner = '\u200d'

var persistences = []string{PersistenceNone, PersistenceDefault, PersistenceAlways, PersistenceSecond, PersistenceNo}

// InDocker says whether the variant's server runs in a container that Berth starts.
func (v Variant) InDocker() bool {
	return v.Placement == DockerNAT || v.Placement == DockerDirect || v.Placement == DockerHost
}
