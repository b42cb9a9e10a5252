package plan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"berth/core/text"
)

// SetAll carries out `--set KEY=VALUE` options, modes first and what is said of
// one load last, so that both count whatever the order.
func (p *Plan) SetAll(options []string) error {
	given := map[string]bool{} // but for a 0, which is a rule left out
	var pairs [][2]string
	for _, o := range options {
		key, value, ok := strings.Cut(o, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return text.Err("plan.set-malformed", text.Args{"Given": o}, nil)
		}
		if n, err := strconv.ParseFloat(value, 64); err != nil || n != 0 {
			given[strings.TrimPrefix(key, "load.")] = true
		}
		pairs = append(pairs, [2]string{key, value})
	}
	for key := range given {
		if of, ok := strings.CutSuffix(key, "requests"); ok && given[of+"seconds"] {
			return text.Err("plan.two-stop-rules", nil, nil)
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]string) int { return cmp.Compare(rank(a[0]), rank(b[0])) })
	for _, o := range pairs {
		if err := p.Set(o[0], o[1]); err != nil {
			return err
		}
	}
	for _, o := range pairs {
		if err := p.unused(o[0]); err != nil {
			return err
		}
	}
	p.completeLoads()
	return nil
}

// unused says that a key is of a load that none of the plan's variants is put under.
func (p *Plan) unused(key string) error {
	has := func(service string) bool {
		return len(p.Variants) == 0 || slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.Service == service })
	}
	of, rest, _ := strings.Cut(key, ".")
	switch {
	case of == "oltp" && !has(MySQL):
		return text.Err("plan.set-no-mysql", text.Args{"Key": key}, nil)
	case (of == "load" || slices.Contains(loadKeys, key)) && !has(Redis):
		return text.Err("plan.set-no-redis", text.Args{"Key": key, "Instead": "oltp." + cmp.Or(rest, key)}, nil)
	}
	return nil
}

// rank puts modes first, and what is said of one load after what is said of all.
func rank(key string) int {
	of, _, _ := strings.Cut(key, ".")
	switch {
	case key == "modes":
		return 0
	case (of == "load" || of == "oltp") && strings.Count(key, ".") > 1:
		return 2
	}
	return 1
}

// Set changes one key, as `--set KEY=VALUE` does. Keys are those of the TOML
// file ("rounds", "load.seconds"), without "load." if one likes, lists joined
// by commas. A key of a load is for all loads of the plan, "load.NAME.KEY" for the one of that
// name, and so with "oltp.KEY" and "oltp.NAME.KEY". "modes" is the list of placements, which replaces the
// variants: mysql among them is a native MySQL, and "native:aof-always" or "mysql:flush-2" one with that persistence;
// "variant.LABEL.KEY" is a key of one variant, "cpus" that of every pinned one.
// The plan is to be checked afterwards.
func (p *Plan) Set(key, value string) error {
	if rest, ok := strings.CutPrefix(key, "variant."); ok {
		dot := strings.LastIndexByte(rest, '.')
		if dot < 0 {
			return text.Err("plan.set-unknown-key", text.Args{"Key": key, "Keys": setKeys}, nil)
		}
		for i := range p.Variants {
			if p.Variants[i].Label == rest[:dot] {
				return p.Variants[i].set(rest[dot+1:], value)
			}
		}
		return text.Err("plan.set-unknown-variant", text.Args{"Label": rest[:dot]}, nil)
	}
	if rest, ok := strings.CutPrefix(key, "oltp."); ok {
		return p.setOLTPs(rest, value)
	}
	rest, _ := strings.CutPrefix(key, "load.")
	if slices.Contains(loadKeys, rest) || strings.Contains(rest, ".") {
		return p.setLoads(rest, value)
	}
	switch rest {
	case "name":
		p.Name = value
	case "title":
		p.Title = value
	case "reference":
		p.Reference = value
	case "host":
		if e := p.onlyExisting(); e != nil {
			e.Host = value
			return nil
		}
		p.Host = value
	case "rounds":
		return setNumber(&p.Rounds, key, value)
	case "port":
		if value == "auto" {
			value = "0"
		}
		if e := p.onlyExisting(); e != nil {
			return setNumber(&e.Port, key, value)
		}
		return setNumber(&p.Port, key, value)
	case "seed":
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return notANumber(key, value)
		}
		p.Seed = n
	case "modes":
		p.Variants = nil
		for _, mode := range split(value) {
			where, persistence, _ := strings.Cut(mode, ":")
			v := Variant{Label: strings.Replace(mode, ":", "-", 1), Service: Redis, Placement: where, Persistence: persistence}
			if where == MySQL {
				v.Service, v.Placement = MySQL, Native
			}
			p.Variants = append(p.Variants, v)
		}
		if !slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.Label == p.Reference }) {
			p.Reference = ""
		}
		p.Complete()
	case "cpus":
		pinned := false
		for i := range p.Variants {
			if p.Variants[i].Placement == Pinned {
				p.Variants[i].CPUs, pinned = value, true
			}
		}
		if !pinned {
			return text.Err("plan.set-cpus-of-none", nil, nil)
		}
	default:
		return text.Err("plan.set-unknown-key", text.Args{"Key": key, "Keys": setKeys}, nil)
	}
	return nil
}

// onlyExisting is the plan's one variant, if that is an existing server: host
// and port can only mean where that is.
func (p *Plan) onlyExisting() *Variant {
	if len(p.Variants) == 1 && p.Variants[0].Placement == Existing {
		return &p.Variants[0]
	}
	return nil
}

// loadKeys are the keys of a load that one may give without "load.".
var loadKeys = []string{"suite", "tests", "payload_bytes", "payload", "pipelines", "pipeline", "clients", "rates", "rate", "seconds", "requests",
	"warmup_seconds", "keyspace", "threads"}

// setLoads sets KEY of every load, or NAME.KEY of one.
func (p *Plan) setLoads(key, value string) error {
	if len(p.Loads) == 0 {
		p.Loads = []Load{{}}
	}
	name, rest, one := strings.Cut(key, ".")
	if !one {
		rest = key
	}
	found := false
	for i := range p.Loads {
		if one && p.Loads[i].Name != name {
			continue
		}
		found = true
		if err := p.Loads[i].set(rest, "load."+key, value); err != nil {
			return err
		}
	}
	if !found {
		return text.Err("plan.set-unknown-load", text.Args{"Name": name}, nil)
	}
	return nil
}

// set sets one key; as is what the user calls it.
func (l *Load) set(key, as, value string) error {
	switch key {
	case "suite":
		l.Suite = value
	case "tests":
		l.Tests = split(value)
	case "payload_bytes", "payload":
		return setNumbers(&l.PayloadBytes, as, value)
	case "pipelines", "pipeline":
		return setNumbers(&l.Pipelines, as, value)
	case "clients":
		return setNumbers(&l.Clients, as, value)
	case "rates", "rate":
		return setNumbers(&l.Rates, as, value)
	case "seconds":
		if err := setReal(&l.Seconds, as, value); err != nil {
			return err
		}
		if l.Seconds != 0 {
			l.Requests = 0
		}
	case "requests":
		if err := setNumber(&l.Requests, as, value); err != nil {
			return err
		}
		if l.Requests != 0 {
			l.Seconds = 0
		}
	case "warmup_seconds":
		return setReal(&l.WarmUpSeconds, as, value)
	case "keyspace":
		return setNumber(&l.Keyspace, as, value)
	case "threads":
		return setNumber(&l.Threads, as, value)
	default:
		return text.Err("plan.set-unknown-key", text.Args{"Key": as, "Keys": strings.Join(loadKeys, ", ")}, nil)
	}
	return nil
}

// setOLTPs sets KEY of every MySQL load, or NAME.KEY of one.
func (p *Plan) setOLTPs(key, value string) error {
	if len(p.OLTPs) == 0 {
		p.OLTPs = []OLTP{{}}
	}
	name, rest, one := strings.Cut(key, ".")
	if !one {
		rest = key
	}
	found := false
	for i := range p.OLTPs {
		if one && p.OLTPs[i].Name != name {
			continue
		}
		found = true
		if err := p.OLTPs[i].set(rest, value); err != nil {
			return err
		}
	}
	if !found {
		return text.Err("plan.set-unknown-load", text.Args{"Name": name}, nil)
	}
	return nil
}

func (o *OLTP) set(key, value string) error {
	switch key {
	case "scripts":
		o.Scripts = split(value)
	case "tables":
		return setNumber(&o.Tables, key, value)
	case "table_size":
		return setNumber(&o.TableSize, key, value)
	case "threads":
		return setNumbers(&o.Threads, key, value)
	case "rand_type":
		o.Draw = value
	case "report_seconds":
		return setNumber(&o.ReportSeconds, key, value)
	case "seconds":
		return setReal(&o.Seconds, key, value)
	case "warmup_seconds":
		return setReal(&o.WarmUpSeconds, key, value)
	default:
		return text.Err("plan.set-unknown-key", text.Args{"Key": "oltp." + key, "Keys": "scripts, tables, table_size, threads, rand_type, seconds, warmup_seconds, report_seconds"}, nil)
	}
	return nil
}

const setKeys = "name, title, reference, host, port, rounds, seed, modes, cpus, suite, tests, payload_bytes, pipelines, clients, rates, seconds, requests, warmup_seconds, keyspace, threads, load.NAME.KEY, oltp.KEY, oltp.NAME.KEY, variant.LABEL.KEY"

func (v *Variant) set(key, value string) error {
	switch key {
	case "label":
		v.Label = value
	case "service":
		v.Service = value
	case "placement":
		v.Placement = value
	case "cpus":
		v.CPUs = value
	case "program":
		v.Program = value
	case "image":
		v.Image = value
	case "persistence":
		v.Persistence = value
	case "config_file":
		v.ConfigFile = value
	case "host":
		v.Host = value
	case "port":
		return setNumber(&v.Port, key, value)
	case "socket":
		v.Socket = value
	case "user":
		v.User = value
	case "password":
		v.Password = value
	case "database":
		return setNumber(&v.Database, key, value)
	case "schema":
		v.Schema = value
	case "tls":
		b, err := strconv.ParseBool(value)
		if err != nil {
			return text.Err("plan.set-not-a-bool", text.Args{"Key": key, "Value": value}, nil)
		}
		v.TLS = b
	default:
		return text.Err("plan.set-unknown-key", text.Args{"Key": "variant." + v.Label + "." + key,
			"Keys": "label, service, placement, cpus, program, image, persistence, config_file, host, port, socket, user, password, database, schema, tls"}, nil)
	}
	return nil
}

func setNumber[N int | int64](to *N, key, value string) error {
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil || int64(N(n)) != n {
		return notANumber(key, value)
	}
	*to = N(n)
	return nil
}

func setReal(to *float64, key, value string) error {
	f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil {
		return notANumber(key, value)
	}
	*to = f
	return nil
}

func setNumbers(to *[]int, key, value string) error {
	var all []int
	for _, part := range split(value) {
		var n int
		if err := setNumber(&n, key, part); err != nil {
			return err
		}
		all = append(all, n)
	}
	*to = all
	return nil
}

func notANumber(key, value string) error {
	return text.Err("plan.set-not-a-number", text.Args{"Key": key, "Value": value}, nil)
}

// split takes a list joined by commas apart; blanks around and empty elements go.
func split(value string) []string {
	var all []string
	for part := range strings.SplitSeq(value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}
