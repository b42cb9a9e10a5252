package plan

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	// go-toml names the line of every key, also of those that it does not know.
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"berth/core/text"
)

// A Fault is one thing in a plan that cannot be carried out.
type Fault struct {
	Key  string // "load.payload_bytes", "variant[2].cpus" (counted from 1)
	Line int    // in the file, from 1; 0 if the plan is not from a file or the key is not in it
	Err  error  // a sentence of the catalogue
}

func (f Fault) Error() string {
	if f.Line > 0 {
		return fmt.Sprintf("line %d: %s: %v", f.Line, f.Key, f.Err)
	}
	return fmt.Sprintf("%s: %v", f.Key, f.Err)
}

func (f Fault) Unwrap() error { return f.Err }

// Faults are all that is wrong with a plan, in the order of its keys.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As the single faults.
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i := range f {
		errs[i] = f[i]
	}
	return errs
}

// Read reads a plan from TOML, fills in what it leaves out, and checks it
// whole. The error is Faults, or a syntax error with its line.
func Read(raw []byte) (Plan, error) {
	lines := keyLines(raw)
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var unknown Faults // keys, or types of values
	p, err := decode(raw, lines)
	if err != nil {
		rest, faults, bad := wrongTypes(raw, lines)
		if bad != nil || len(faults) == 0 {
			return Plan{}, unreadable(err)
		}
		if p, err = decode(rest, lines); err != nil {
			return Plan{}, unreadable(err)
		}
		unknown = faults
	}
	given := p
	p.Complete()
	if lines["rounds"] > 0 && !slices.ContainsFunc(unknown, func(f Fault) bool { return f.Key == "rounds" }) {
		p.Rounds = given.Rounds // 0 was meant, and is a fault
	}
	faults := p.check().without(unknown)
	for i := range faults {
		key := faults[i].Key
		line, given := lines[key]
		if table, rest, _ := strings.Cut(key, "."); !given {
			line = lines[table+"[1]."+rest] // the only one of a list
		}
		faults[i].Line = line
	}
	faults = append(unknown, faults...)
	// By line; what is missing, and so in no line, comes last.
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(uint(a.Line-1), uint(b.Line-1)) })
	if len(faults) > 0 {
		return Plan{}, faults
	}
	return p, nil
}

// Write is p as TOML, without passwords.
func (p Plan) Write() ([]byte, error) {
	q := p.Clone()
	for i := range q.Variants {
		q.Variants[i].Password = ""
	}
	switch {
	case len(q.Loads) > 1 && len(q.OLTPs) > 1:
		return toml.Marshal(document[[]Load, []OLTP]{q, q.Loads, q.OLTPs, q.Variants})
	case len(q.Loads) > 1:
		return toml.Marshal(document[[]Load, *OLTP]{q, q.Loads, only(q.OLTPs), q.Variants})
	case len(q.OLTPs) > 1:
		return toml.Marshal(document[*Load, []OLTP]{q, only(q.Loads), q.OLTPs, q.Variants})
	}
	return toml.Marshal(document[*Load, *OLTP]{q, only(q.Loads), only(q.OLTPs), q.Variants})
}

// only is a list's one element; nil if it has none.
func only[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// A document is a plan as TOML has it: [load] is one, [[load]] are several, and so of oltp.
// L is *Load or []Load, O is *OLTP or []OLTP.
type document[L, O any] struct {
	Plan
	Load     L         `toml:"load,omitempty"`
	OLTP     O         `toml:"oltp,omitempty"`
	Variants []Variant `toml:"variant"`
}

// decode reads raw, whose keys have these lines.
func decode(raw []byte, lines map[string]int) (Plan, error) {
	loads, oltps := lines["load[1]"] > 0, lines["oltp[1]"] > 0
	switch {
	case loads && oltps:
		return decodeAs[[]Load, []OLTP](raw)
	case loads:
		return decodeAs[[]Load, *OLTP](raw)
	case oltps:
		return decodeAs[*Load, []OLTP](raw)
	}
	return decodeAs[*Load, *OLTP](raw)
}

func decodeAs[L, O any](raw []byte) (Plan, error) {
	var d document[L, O]
	err := toml.NewDecoder(bytes.NewReader(raw)).DisallowUnknownFields().Decode(&d)
	p := d.Plan
	p.Loads, p.OLTPs, p.Variants = listOf[Load](d.Load), listOf[OLTP](d.OLTP), d.Variants
	return p, err
}

// listOf makes a list of one, of none, or of several.
func listOf[T any](given any) []T {
	switch given := given.(type) {
	case *T:
		if given != nil {
			return []T{*given}
		}
	case []T:
		return given
	}
	return nil
}

// siblings are the keys that a plan has where key is.
func siblings(key []string) []string {
	table := reflect.TypeFor[document[[]Load, []OLTP]]()
	for _, part := range key[:len(key)-1] {
		for _, f := range reflect.VisibleFields(table) {
			if tomlKey(f) == part {
				table = f.Type
				break
			}
		}
		if table.Kind() == reflect.Slice {
			table = table.Elem()
		}
		if table.Kind() != reflect.Struct {
			return nil
		}
	}
	var keys []string
	for _, f := range reflect.VisibleFields(table) {
		if k := tomlKey(f); k != "" && k != "-" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func tomlKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// unreadable is a fault of syntax, with its line.
func unreadable(err error) error {
	var bad *toml.DecodeError
	if !errors.As(err, &bad) {
		return text.Err("plan.unreadable", nil, err)
	}
	line, _ := bad.Position()
	key := strings.Join(bad.Key(), ".")
	if key == "" {
		key = "TOML"
	}
	cause := errors.New(strings.TrimPrefix(bad.Error(), "toml: "))
	return Faults{{Key: key, Line: line, Err: text.Err("plan.unreadable", nil, cause)}}
}

// keyLines maps each key of a TOML document to its line, the elements of
// variant counted from 1: "load.tests", "variant[1].label". A file that does
// not parse gives what comes before the fault.
func keyLines(raw []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(raw)
	table, elements := "", map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		var parts []string
		line := 0
		for it := e.Key(); it.Next(); {
			if line == 0 {
				line = p.Shape(it.Node().Raw).Start.Line
			}
			parts = append(parts, string(it.Node().Data))
		}
		key := strings.Join(parts, ".")
		switch e.Kind {
		case unstable.Table:
			table = key
			lines[table] = line
		case unstable.ArrayTable:
			elements[key]++
			table = fmt.Sprintf("%s[%d]", key, elements[key])
			lines[table] = line
		case unstable.KeyValue:
			if table != "" {
				key = table + "." + key
			}
			lines[key] = line
		}
	}
	return lines
}
