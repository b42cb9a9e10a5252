//go:build !headless

package window

import (
	"errors"
	"net"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"berth/core/plan"
	"berth/core/text"
)

// A form is what the user entered, as it was typed. It becomes a plan when it
// is free of faults, and is kept for the next time: the password is not.
type form struct {
	// Base is the preset or the plan that the entries were filled from; what no
	// entry shows comes from it.
	Base plan.Plan `json:"base"`

	Modes []string `json:"modes"` // placements that are ticked
	// Off are the placements that cannot run here: a tick does not count.
	Off  map[string]bool `json:"-"`
	CPUs string          `json:"cpus"` // of pinned

	Host   string `json:"host"`
	Port   string `json:"port"` // "auto" or a number
	Rounds string `json:"rounds"`
	// Loads are those of Redis, one or more; OLTPs those of MySQL. Part is the name of
	// those that are shown.
	Loads []loadForm `json:"loads"`
	OLTPs []oltpForm `json:"oltps"`
	Part  string     `json:"part"`

	Program     string `json:"program"`
	Image       string `json:"image"`
	Persistence string `json:"persistence"`
	Levels      bool   `json:"levels"` // further variants: each level of durability
	ConfigFile  string `json:"config_file"`
	Threads     string `json:"threads"` // of the agent, for all loads
	Seed        string `json:"seed"`

	Address  string `json:"address"` // of the existing server, host:port or a socket's path
	User     string `json:"user"`
	Password string `json:"-"`
}

// formOf fills a form from p.
func formOf(p plan.Plan) form {
	f := form{
		Base:    p,
		Host:    p.Host,
		Port:    "auto",
		Rounds:  strconv.Itoa(p.Rounds),
		Threads: "0",
		Seed:    strconv.FormatUint(p.Seed, 10),
		Address: "127.0.0.1:6379",
	}
	f.takeLoads(p)
	if p.Port > 0 {
		f.Port = strconv.Itoa(p.Port)
	}
	for _, v := range p.Variants {
		if mode := modeOf(v); !slices.Contains(f.Modes, mode) { // of more, the first has the mode's row
			f.Modes = append(f.Modes, mode)
			f.takeVariant(v)
		}
	}
	return f
}

func (f *form) takeVariant(v plan.Variant) {
	if v.Service != plan.Redis {
		return // no entry shows what it is
	}
	switch v.Placement {
	case plan.Pinned:
		f.CPUs = v.CPUs
	case plan.Existing:
		f.User, f.Password = v.User, v.Password
		f.Address = net.JoinHostPort(v.Host, strconv.Itoa(v.Port))
		if v.Socket != "" {
			f.Address = v.Socket
		}
		return
	case plan.DockerNAT, plan.DockerDirect, plan.DockerHost:
		f.Image = v.Image
	}
	f.Program, f.Persistence, f.ConfigFile = v.Program, v.Persistence, v.ConfigFile
}

// A fault is what keeps a form from being a plan, and the entry that it lies in, if it is one's.
type fault struct {
	entry string
	err   error
}

// plan is what the form asks for, or the first fault: an entry that cannot be
// read, or what the plan's own check says.
func (f form) plan(words *text.Catalogue) (plan.Plan, *fault) {
	p := f.Base.Clone()
	read := reader{words: words}
	p.Rounds = int(read.number("rounds", f.Rounds))
	p.Seed = read.seed("seed", f.Seed)
	p.Host, p.Port = strings.TrimSpace(f.Host), read.port("port", f.Port)
	f.setLoads(&p, &read)
	p.Variants = f.variants(&read)
	if read.err != nil {
		return p, &fault{read.entry, read.err}
	}
	if !slices.ContainsFunc(p.Variants, func(v plan.Variant) bool { return v.Label == p.Reference }) {
		p.Reference = ""
	}
	if err := p.Check(); err != nil {
		return p, faultOf(words, err)
	}
	return p, nil
}

// faultOf is the first of a plan's faults, with the entry that its key is typed in.
func faultOf(words *text.Catalogue, err error) *fault {
	var first plan.Fault
	if !errors.As(err, &first) {
		return &fault{"", err}
	}
	key := first.Key[strings.LastIndexByte(first.Key, '.')+1:]
	if strings.HasPrefix(first.Key, "oltp") {
		key = "oltp_" + key
	}
	id := "window.entry-" + key
	if words.T(id) == id { // no entry of the form, and so no name for people
		return &fault{err: first.Err}
	}
	return &fault{key, text.Err("window.entry-fault", text.Args{"Entry": words.T(id)}, first.Err)}
}

// variants are the ticked modes in the form's order.
func (f form) variants(read *reader) []plan.Variant {
	var out []plan.Variant
	for _, mode := range allModes() {
		if f.has(mode) {
			out = append(out, f.variant(mode, read))
		}
	}
	// A mode has one row; a plan may have more variants of it, which stay as they are.
	labelled := func(label string) bool {
		return slices.ContainsFunc(out, func(v plan.Variant) bool { return v.Label == label })
	}
	more := f.Base.Variants
	if f.Levels {
		more = slices.Concat(more, levels(out))
	}
	for _, v := range more {
		if f.has(modeOf(v)) && !labelled(v.Label) {
			out = append(out, v)
		}
	}
	return out
}

// levels are the other promises that Redis, in the first of the modes that Berth starts, and
// MySQL can be held to, labelled as --set modes=native:aof-always does.
func levels(of []plan.Variant) []plan.Variant {
	var out []plan.Variant
	done := map[string]bool{}
	settings := map[string][]string{
		plan.Redis: {plan.PersistenceSecond, plan.PersistenceAlways},
		plan.MySQL: {plan.PersistenceFlush2, plan.PersistenceFlush0},
	}
	for _, v := range of {
		if done[v.Service] || v.Placement == plan.Existing || v.Placement == plan.StandIn {
			continue
		}
		done[v.Service] = true
		label := v.Label
		for _, persistence := range settings[v.Service] {
			if v.Persistence != persistence {
				v.Label, v.Persistence = label+"-"+persistence, persistence
				out = append(out, v)
			}
		}
	}
	return out
}

func (f form) variant(mode string, read *reader) plan.Variant {
	v := plan.Variant{Label: mode, Service: plan.Redis, Placement: mode}
	if mode == plan.MySQL {
		v.Service, v.Placement = plan.MySQL, plan.Native
	}
	if i := slices.IndexFunc(f.Base.Variants, func(b plan.Variant) bool { return modeOf(b) == mode }); i >= 0 {
		v = f.Base.Variants[i]
	}
	if mode == plan.MySQL {
		return v
	}
	if mode == plan.Existing {
		v.User, v.Password = strings.TrimSpace(f.User), f.Password
		v.Host, v.Port, v.Socket = read.address("address", f.Address)
		return v
	}
	v.Program, v.Persistence, v.ConfigFile = strings.TrimSpace(f.Program), f.Persistence, strings.TrimSpace(f.ConfigFile)
	switch mode {
	case plan.Pinned:
		v.CPUs = strings.TrimSpace(f.CPUs)
	case plan.DockerNAT, plan.DockerDirect, plan.DockerHost:
		v.Image = strings.TrimSpace(f.Image)
	}
	return v
}

// has says whether placement is ticked and can run here.
func (f form) has(placement string) bool {
	return slices.Contains(f.Modes, placement) && !f.Off[placement]
}

// index is that of the colour that mode will have in every chart; -1 if it is not ticked.
func (f form) index(mode string) int {
	if !f.has(mode) {
		return -1
	}
	v := plan.Variant{Label: mode, Service: plan.Redis, Placement: mode}
	if mode == plan.MySQL {
		v.Service, v.Placement = plan.MySQL, plan.Native
	}
	return colour(plan.Plan{Variants: []plan.Variant{v}}, mode)
}

// same says whether f and g ask for the same, whatever can run here.
func (f form) same(g form) bool {
	f.Off, g.Off, f.Password, g.Password = nil, nil, "", ""
	f.Part, g.Part = "", ""
	return reflect.DeepEqual(f, g)
}

// tick puts placement in or takes it out.
func (f *form) tick(placement string, on bool) {
	f.Modes = slices.DeleteFunc(f.Modes, func(m string) bool { return m == placement })
	if on {
		f.Modes = append(f.Modes, placement)
	}
}
