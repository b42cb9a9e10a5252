package plan

import (
	"bytes"
	"encoding/json"
	"slices"
)

// OneOrMore is a list that is written without its brackets when it has one element,
// as plans were before they had more.
type OneOrMore[T any] []T

// MarshalJSON writes the only element, or the list.
func (l OneOrMore[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 1 {
		return json.Marshal(l[0])
	}
	return json.Marshal([]T(l))
}

// UnmarshalJSON reads either.
func (l *OneOrMore[T]) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return json.Unmarshal(raw, (*[]T)(l))
	}
	*l = make([]T, 1)
	return json.Unmarshal(raw, &(*l)[0])
}

// Clone is p with lists of its own: what is changed in one is not in the other.
func (p Plan) Clone() Plan {
	p.Variants, p.Loads, p.OLTPs = slices.Clone(p.Variants), slices.Clone(p.Loads), slices.Clone(p.OLTPs)
	for i := range p.Loads {
		l := &p.Loads[i]
		l.Tests, l.PayloadBytes, l.Pipelines = slices.Clone(l.Tests), slices.Clone(l.PayloadBytes), slices.Clone(l.Pipelines)
		l.Clients, l.Rates = slices.Clone(l.Clients), slices.Clone(l.Rates)
	}
	for i := range p.OLTPs {
		o := &p.OLTPs[i]
		o.Scripts, o.Threads = slices.Clone(o.Scripts), slices.Clone(o.Threads)
	}
	return p
}

// Load is the load called name; the zero value if there is none.
func (p Plan) Load(name string) Load {
	if i := slices.IndexFunc(p.Loads, func(l Load) bool { return l.Name == name }); i >= 0 {
		return p.Loads[i]
	}
	return Load{}
}

// OLTP is the MySQL load called name; the zero value if there is none.
func (p Plan) OLTP(name string) OLTP {
	if i := slices.IndexFunc(p.OLTPs, func(o OLTP) bool { return o.Name == name }); i >= 0 {
		return p.OLTPs[i]
	}
	return OLTP{}
}

// Tables are what every OLTP of p works on: so many tables of so many rows each.
func (p Plan) Tables() (tables, rows int) {
	if len(p.OLTPs) == 0 {
		return 0, 0
	}
	return p.OLTPs[0].Tables, p.OLTPs[0].TableSize
}

// Paired says whether the Load called redis is set beside the OLTP called mysql.
func Paired(redis, mysql string) bool { return redis == mysql || redis == "" || mysql == "" }
