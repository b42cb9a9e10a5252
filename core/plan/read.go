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
	var p Plan
	lines := keyLines(raw)
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	var unknown Faults
	if err := toml.NewDecoder(bytes.NewReader(raw)).DisallowUnknownFields().Decode(&p); err != nil {
		faults, ok := unknownKeys(err)
		if !ok {
			return Plan{}, unreadable(err)
		}
		unknown = faults
	}
	given := p
	p.Complete()
	if lines["rounds"] > 0 {
		p.Rounds = given.Rounds // 0 was meant, and is a fault
	}
	faults := slices.Concat(unknown, p.check())
	for i := range faults {
		if line, given := lines[faults[i].Key]; given {
			faults[i].Line = line
		}
	}
	// By line; what is missing, and so in no line, comes last.
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(uint(a.Line-1), uint(b.Line-1)) })
	if len(faults) > 0 {
		return Plan{}, faults
	}
	return p, nil
}

// Write is p as TOML, without passwords.
func (p Plan) Write() ([]byte, error) {
	q := p
	q.Variants = append([]Variant(nil), p.Variants...)
	for i := range q.Variants {
		q.Variants[i].Password = ""
	}
	return toml.Marshal(q)
}

// unknownKeys are the keys that a plan does not have, where that is all that
// keeps one from being decoded.
func unknownKeys(err error) (Faults, bool) {
	var strict *toml.StrictMissingError
	if !errors.As(err, &strict) {
		return nil, false
	}
	var faults Faults
	for _, e := range strict.Errors {
		line, _ := e.Position()
		key := e.Key()
		faults = append(faults, Fault{Key: strings.Join(key, "."), Line: line, Err: text.Err("plan.unknown-key", text.Args{"Keys": strings.Join(siblings(key), ", ")}, nil)})
	}
	return faults, true
}

// siblings are the keys that a plan has where key is.
func siblings(key []string) []string {
	table := reflect.TypeFor[Plan]()
	for _, part := range key[:len(key)-1] {
		for i := range table.NumField() {
			if f := table.Field(i); tomlKey(f) == part {
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
	for i := range table.NumField() {
		keys = append(keys, tomlKey(table.Field(i)))
	}
	return keys
}

func tomlKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// unreadable is a fault of syntax or of a value's type, with its line.
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
