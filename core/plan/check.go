package plan

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	// reference is how Docker itself reads the names of images.
	"github.com/distribution/reference"

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
	MaxRate     = 100_000_000 // requests a second
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
	p.completeLoads()
}

// completeLoads gives each service that p has a load, and each load what it leaves out.
func (p *Plan) completeLoads() {
	if len(p.Loads) == 0 && (p.has(Redis) || !p.has(MySQL)) {
		p.Loads = []Load{{}}
	}
	for i := range p.Loads {
		p.Loads[i].complete()
	}
	if len(p.OLTPs) == 0 && p.has(MySQL) {
		p.OLTPs = []OLTP{LightOLTP()}
	}
	for i := range p.OLTPs {
		o := &p.OLTPs[i]
		o.complete(p.OLTPs[0])
	}
}

func (l *Load) complete() {
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
}

var customaryPort = map[string]int{Redis: 6379, MySQL: 3306}

// LightOLTP is the load of MySQL where a plan says nothing: 4 tables of 100,000
// rows, 4 threads, 20 s after at most 10 s of warm-up.
func LightOLTP() OLTP {
	return OLTP{Scripts: []string{oltp.ReadWrite}, Tables: 4, TableSize: 100_000, Threads: []int{4}, Draw: oltp.Special, Seconds: 20, WarmUpSeconds: 10}
}

// complete fills in what is left out: the tables from the plan's first OLTP, the rest
// from the light load.
func (o *OLTP) complete(first OLTP) {
	light := LightOLTP()
	if len(o.Scripts) == 0 {
		o.Scripts = light.Scripts
	}
	if o.Tables == 0 {
		o.Tables = cmp.Or(first.Tables, light.Tables)
	}
	if o.TableSize == 0 {
		o.TableSize = cmp.Or(first.TableSize, light.TableSize)
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
		p.checkLoads(fault, within)
	}
	if p.has(MySQL) {
		p.checkOLTPs(fault, within)
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

// How a check tells of a fault: key is where it lies.
type (
	faultFunc  func(key, id string, args text.Args)
	withinFunc func(key string, value, low, high int64)
)

// keyOf is a key of the i-th of n entries called table: "load.tests", or "load[2].tests"
// (counted from 1) where there are several.
func keyOf(table string, i, n int) func(key string) string {
	if n > 1 {
		table = fmt.Sprintf("%s[%d]", table, i+1)
	}
	return func(key string) string { return table + "." + key }
}

func (p Plan) checkLoads(fault faultFunc, within withinFunc) {
	var names, others []string
	for _, o := range p.OLTPs {
		others = append(others, o.Name)
	}
	if !p.has(MySQL) {
		others = nil
	}
	for i, l := range p.Loads {
		key := keyOf("load", i, len(p.Loads))
		l.check(key, fault, within)
		checkName(key("name"), l.Name, names, len(p.Loads), others, "oltp", fault)
		names = append(names, l.Name)
		if l.Threads != p.Loads[0].Threads {
			fault(key("threads"), "plan.threads-differ", text.Args{"Value": l.Threads, "First": p.Loads[0].Threads})
		}
	}
}

func (p Plan) checkOLTPs(fault faultFunc, within withinFunc) {
	var names, others []string
	for _, l := range p.Loads {
		others = append(others, l.Name)
	}
	if !p.has(Redis) {
		others = nil
	}
	tables, rows := p.Tables()
	for i, o := range p.OLTPs {
		key := keyOf("oltp", i, len(p.OLTPs))
		o.check(key, fault, within)
		checkName(key("name"), o.Name, names, len(p.OLTPs), others, "load", fault)
		names = append(names, o.Name)
		if o.Tables != tables {
			fault(key("tables"), "plan.tables-differ", text.Args{"Value": o.Tables, "First": tables})
		}
		if o.TableSize != rows {
			fault(key("table_size"), "plan.tables-differ", text.Args{"Value": o.TableSize, "First": rows})
		}
	}
}

// checkName says what is wrong with the name of one of n entries: the names before it are
// given, and those of the other service's entries, called table there.
func checkName(key, name string, before []string, n int, others []string, table string, fault faultFunc) {
	switch {
	case name == "" && n > 1:
		fault(key, "plan.name-missing", nil)
	case name == "":
	case utf8.RuneCountInString(name) > 40 || strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}):
		fault(key, "plan.name-unusable", text.Args{"Name": name})
	case slices.Contains(before, name):
		fault(key, "plan.value-twice", text.Args{"Value": name})
	case len(others) > 0 && !slices.ContainsFunc(others, func(other string) bool { return Paired(name, other) }):
		fault(key, "plan.name-unpaired", text.Args{"Name": name, "Table": table})
	}
}

func (l Load) check(key func(string) string, fault faultFunc, within withinFunc) {
	if _, err := redisload.Suite(l.Suite); err != nil {
		fault(key("suite"), "plan.suite-unknown", text.Args{"Suite": l.Suite})
	} else {
		for _, name := range l.Tests {
			if _, err := redisload.Lookup(l.Suite, name); err != nil {
				fault(key("tests"), "plan.test-unknown", text.Args{"Test": name, "Suite": l.Suite, "Tests": strings.Join(TestNames(l.Suite), ", ")})
			}
		}
	}
	if len(l.Tests) == 0 {
		fault(key("tests"), "plan.no-tests", nil)
	}
	each := func(key string, values []int, low, high int64) {
		for i, v := range values {
			within(key, int64(v), low, high)
			if slices.Contains(values[:i], v) {
				fault(key, "plan.value-twice", text.Args{"Value": v})
			}
		}
	}
	for i, name := range l.Tests {
		if slices.ContainsFunc(l.Tests[:i], func(other string) bool { return strings.EqualFold(other, name) }) {
			fault(key("tests"), "plan.value-twice", text.Args{"Value": name})
		}
	}
	each(key("payload_bytes"), l.PayloadBytes, 1, MaxPayload)
	each(key("pipelines"), l.Pipelines, 1, MaxPipeline)
	each(key("clients"), l.Clients, 1, MaxClients)
	each(key("rates"), l.Rates, 0, MaxRate)
	switch {
	case l.Seconds == 0 && l.Requests == 0:
		fault(key("seconds"), "plan.no-stop-rule", nil)
	case l.Seconds != 0 && l.Requests != 0:
		fault(key("requests"), "plan.two-stop-rules", nil)
	case l.Requests != 0:
		within(key("requests"), l.Requests, 1, MaxRequests)
	case !(l.Seconds >= 0.01 && l.Seconds <= MaxSeconds):
		fault(key("seconds"), "plan.out-of-range", text.Args{"Value": l.Seconds, "Low": 0.01, "High": MaxSeconds})
	}
	if !(l.WarmUpSeconds >= 0 && l.WarmUpSeconds <= MaxSeconds) {
		fault(key("warmup_seconds"), "plan.out-of-range", text.Args{"Value": l.WarmUpSeconds, "Low": 0, "High": MaxSeconds})
	}
	within(key("keyspace"), l.Keyspace, 0, MaxKeyspace)
	within(key("threads"), int64(l.Threads), 0, MaxThreads)
}

func (o OLTP) check(key func(string) string, fault faultFunc, within withinFunc) {
	for i, name := range o.Scripts {
		if !slices.Contains(oltp.Scripts(), name) {
			fault(key("scripts"), "plan.script-unknown", text.Args{"Script": name, "Scripts": strings.Join(oltp.Scripts(), ", ")})
		}
		if slices.Contains(o.Scripts[:i], name) {
			fault(key("scripts"), "plan.value-twice", text.Args{"Value": name})
		}
	}
	if !slices.Contains(oltp.Draws(), o.Draw) {
		fault(key("rand_type"), "plan.draw-unknown", text.Args{"Draw": o.Draw, "Draws": strings.Join(oltp.Draws(), ", ")})
	}
	within(key("tables"), int64(o.Tables), 1, MaxTables)
	within(key("table_size"), int64(o.TableSize), 1, MaxTableSize)
	for i, n := range o.Threads {
		within(key("threads"), int64(n), 1, MaxClients)
		if slices.Contains(o.Threads[:i], n) {
			fault(key("threads"), "plan.value-twice", text.Args{"Value": n})
		}
	}
	if !(o.Seconds >= 0.01 && o.Seconds <= MaxSeconds) {
		fault(key("seconds"), "plan.out-of-range", text.Args{"Value": o.Seconds, "Low": 0.01, "High": MaxSeconds})
	}
	within(key("report_seconds"), int64(o.ReportSeconds), 0, MaxSeconds)
	if !(o.WarmUpSeconds >= 0 && o.WarmUpSeconds <= MaxSeconds) {
		fault(key("warmup_seconds"), "plan.out-of-range", text.Args{"Value": o.WarmUpSeconds, "Low": 0, "High": MaxSeconds})
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

func (v Variant) check(key func(string) string, fault faultFunc, within withinFunc) {
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
	} else if _, err := reference.ParseNormalizedNamed(v.Image); v.Image != "" && err != nil {
		fault(key("image"), "plan.image-name", text.Args{"Image": v.Image})
	}
	if all := PersistencesOf(v.Service); v.Persistence != "" && !slices.Contains(all, v.Persistence) {
		fault(key("persistence"), "plan.persistence-unknown", text.Args{"Persistence": v.Persistence, "All": strings.Join(all, ", ")})
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

// PersistencesOf a service are the settings that its variants may have.
func PersistencesOf(service string) []string {
	all := []string{PersistenceNone, PersistenceDefault, PersistenceAlways, PersistenceSecond, PersistenceNo}
	if service == MySQL {
		all = append(all, PersistenceFlush0, PersistenceFlush1, PersistenceFlush2)
	}
	return all
}

// InDocker says whether the variant's server runs in a container that Berth starts.
func (v Variant) InDocker() bool {
	return v.Placement == DockerNAT || v.Placement == DockerDirect || v.Placement == DockerHost
}
