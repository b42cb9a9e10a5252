//go:build !headless

package window

import (
	"slices"
	"strconv"

	"berth/core/plan"
)

// A loadForm is one load of Redis as it was typed.
type loadForm struct {
	Name      string   `json:"name"`
	Payloads  string   `json:"payloads"`
	Tests     []string `json:"tests"`
	Clients   string   `json:"clients"`
	Pipelines string   `json:"pipelines"`
	Rates     string   `json:"rates"`    // "0": as fast as it goes
	ByCount   bool     `json:"by_count"` // samples end by Requests, not by Seconds
	Seconds   string   `json:"seconds"`
	Requests  string   `json:"requests"`
	WarmUp    string   `json:"warmup"`
	Keyspace  string   `json:"keyspace"`
}

// An oltpForm is one load of MySQL as it was typed. The tables are the same for all of a
// plan: the first's count.
type oltpForm struct {
	Name      string `json:"name"`
	Threads   string `json:"threads"`
	Seconds   string `json:"seconds"`
	WarmUp    string `json:"warmup"`
	Tables    string `json:"tables"`
	TableSize string `json:"table_size"`
}

// takeLoads fills in p's loads. A form shows one of each service, whatever the plan has: a
// mode that is ticked later needs it.
func (f *form) takeLoads(p plan.Plan) {
	loads, oltps := p.Loads, p.OLTPs
	if len(loads) == 0 {
		quick, err := plan.Preset(plan.PresetNames[0])
		if err != nil {
			panic(err) // a preset is part of the program, and tested
		}
		loads = quick.Loads
	}
	if len(oltps) == 0 {
		oltps = []plan.OLTP{plan.LightOLTP()}
	}
	for _, l := range loads {
		f.Loads = append(f.Loads, loadFormOf(l))
		f.Threads = strconv.Itoa(l.Threads)
	}
	for _, o := range oltps {
		f.OLTPs = append(f.OLTPs, oltpForm{Name: o.Name, Threads: joinInts(o.Threads), Seconds: formatFloat(o.Seconds), WarmUp: formatFloat(o.WarmUpSeconds),
			Tables: strconv.Itoa(o.Tables), TableSize: strconv.Itoa(o.TableSize)})
	}
}

func loadFormOf(l plan.Load) loadForm {
	out := loadForm{Name: l.Name, Payloads: joinInts(l.PayloadBytes), Tests: slices.Clone(l.Tests), Clients: joinInts(l.Clients), Pipelines: joinInts(l.Pipelines),
		Rates: joinInts(l.Rates), ByCount: l.Requests > 0, Seconds: formatFloat(l.Seconds), Requests: strconv.FormatInt(l.Requests, 10),
		WarmUp: formatFloat(l.WarmUpSeconds), Keyspace: strconv.FormatInt(l.Keyspace, 10)}
	if out.Rates == "" {
		out.Rates = "0"
	}
	if out.ByCount {
		out.Seconds = "1"
	} else {
		out.Requests = "100000"
	}
	return out
}

// setLoads puts what was typed into p, whose own loads have what no entry shows.
func (f form) setLoads(p *plan.Plan, read *reader) {
	if redis := slices.ContainsFunc(f.Modes, func(m string) bool { return m != plan.MySQL && f.has(m) }); redis || len(p.Loads) > 0 {
		if len(p.Loads) != len(f.Loads) {
			p.Loads = make([]plan.Load, len(f.Loads))
		}
		for i, typed := range f.Loads {
			typed.fill(&p.Loads[i], read)
			p.Loads[i].Threads = int(read.number("threads", f.Threads))
		}
	}
	if !f.has(plan.MySQL) && len(p.OLTPs) == 0 {
		return
	}
	if len(p.OLTPs) != len(f.OLTPs) {
		p.OLTPs = make([]plan.OLTP, len(f.OLTPs))
		for i := range p.OLTPs {
			p.OLTPs[i] = plan.LightOLTP()
		}
	}
	for i, typed := range f.OLTPs {
		o := &p.OLTPs[i]
		o.Name, o.Threads = typed.Name, read.list("oltp_threads", typed.Threads)
		o.Seconds, o.WarmUpSeconds = read.decimal("oltp_seconds", typed.Seconds), read.decimal("oltp_warmup_seconds", typed.WarmUp)
		o.Tables, o.TableSize = int(read.number("oltp_tables", f.OLTPs[0].Tables)), int(read.number("oltp_table_size", f.OLTPs[0].TableSize))
	}
}

func (t loadForm) fill(l *plan.Load, read *reader) {
	l.Name, l.Tests = t.Name, slices.Clone(t.Tests)
	if l.Suite == "" {
		l.Suite = "classic"
	}
	l.PayloadBytes = read.list("payload_bytes", t.Payloads)
	l.Clients = read.list("clients", t.Clients)
	l.Pipelines = read.list("pipelines", t.Pipelines)
	l.Rates = read.list("rates", t.Rates)
	if slices.Equal(l.Rates, []int{0}) {
		l.Rates = nil
	}
	l.Seconds, l.Requests = 0, 0
	if t.ByCount {
		l.Requests = read.number("requests", t.Requests)
	} else {
		l.Seconds = read.decimal("seconds", t.Seconds)
	}
	l.WarmUpSeconds = read.decimal("warmup_seconds", t.WarmUp)
	l.Keyspace = read.number("keyspace", t.Keyspace)
}

// parts are the names of the form's loads, each once; one without names has the part "".
func (f *form) parts() []string {
	var names []string
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, l := range f.Loads {
		add(l.Name)
	}
	for _, o := range f.OLTPs {
		add(o.Name)
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// load is the load of Redis that the shown part has.
func (f *form) load() *loadForm {
	i := slices.IndexFunc(f.Loads, func(l loadForm) bool { return plan.Paired(l.Name, f.Part) })
	return &f.Loads[max(0, i)]
}

// oltp is the load of MySQL that the shown part has.
func (f *form) oltp() *oltpForm {
	i := slices.IndexFunc(f.OLTPs, func(o oltpForm) bool { return plan.Paired(f.Part, o.Name) })
	return &f.OLTPs[max(0, i)]
}

// suite of the shown load's tests.
func (f *form) suite() string {
	if i := slices.IndexFunc(f.Base.Loads, func(l plan.Load) bool { return l.Name == f.load().Name }); i >= 0 {
		return f.Base.Loads[i].Suite
	}
	return "classic"
}

// scripts of the shown load of MySQL; no entry changes them.
func (f *form) scripts() []string {
	if i := slices.IndexFunc(f.Base.OLTPs, func(o plan.OLTP) bool { return o.Name == f.oltp().Name }); i >= 0 {
		return f.Base.OLTPs[i].Scripts
	}
	return plan.LightOLTP().Scripts
}
