package plan

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"berth/core/text"
)

// wrongTypes takes out of a TOML document what a plan cannot take: values of another type, and keys that there are
// not. It returns the rest, and a fault for each with its line; an error where the document is no TOML.
func wrongTypes(raw []byte, lines map[string]int) (rest []byte, faults Faults, err error) {
	var tree map[string]any
	if err := toml.Unmarshal(raw, &tree); err != nil {
		return nil, nil, err
	}
	w := typeWalk{lines: lines}
	w.table(tree, documentType(lines), "", "")
	rest, err = toml.Marshal(tree)
	return rest, w.faults, err
}

func documentType(lines map[string]int) reflect.Type {
	loads, oltps := lines["load[1]"] > 0, lines["oltp[1]"] > 0
	switch {
	case loads && oltps:
		return reflect.TypeFor[document[[]Load, []OLTP]]()
	case loads:
		return reflect.TypeFor[document[[]Load, *OLTP]]()
	case oltps:
		return reflect.TypeFor[document[*Load, []OLTP]]()
	}
	return reflect.TypeFor[document[*Load, *OLTP]]()
}

type typeWalk struct {
	lines  map[string]int
	faults Faults
}

// table looks at each key of a table; at is what its keys begin with in keyLines, and name the same
// without the numbers of elements.
func (w *typeWalk) table(t map[string]any, as reflect.Type, at, name string) {
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(as) {
		if key := tomlKey(f); key != "" && key != "-" {
			if _, outer := fields[key]; !outer || f.Index[0] > 0 {
				fields[key] = f.Type
			}
		}
	}
	for key, value := range t {
		field, known := fields[key]
		if !known {
			err := text.Err("plan.unknown-key", text.Args{"Keys": strings.Join(siblings(strings.Split(name+key, ".")), ", ")}, nil)
			w.faults = append(w.faults, Fault{Key: name + key, Line: w.lines[at+key], Err: err})
			delete(t, key)
			continue
		}
		if id, bad := w.value(value, field, at+key, name+key); id != "" {
			w.faults = append(w.faults, Fault{Key: at + key, Line: w.lines[at+key], Err: text.Err(id, text.Args{"Value": quoted(bad)}, nil)})
			delete(t, key)
		}
	}
}

// value is the message of what a value of this type must be, with what is there instead; "" if it is right.
func (w *typeWalk) value(v any, as reflect.Type, at, name string) (id string, bad any) {
	for as.Kind() == reflect.Pointer {
		as = as.Elem()
	}
	switch as.Kind() {
	case reflect.Struct:
		t, ok := v.(map[string]any)
		if !ok {
			return "plan.takes-table", v
		}
		w.table(t, as, at+".", name+".")
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			return listIDs[as.Elem().Kind()], v
		}
		for i, element := range list {
			if id, bad := w.value(element, as.Elem(), fmt.Sprintf("%s[%d]", at, i+1), name); id != "" {
				return listIDs[as.Elem().Kind()], bad
			}
		}
	case reflect.String:
		if _, ok := v.(string); !ok {
			return "plan.takes-text", v
		}
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			return "plan.takes-bool", v
		}
	case reflect.Float64:
		_, whole := v.(int64)
		if _, ok := v.(float64); !ok && !whole {
			return "plan.takes-number", v
		}
	default:
		n, ok := v.(int64)
		if !ok || as.Kind() == reflect.Uint64 && n < 0 || as.Kind() == reflect.Int && (n > math.MaxInt || n < math.MinInt) {
			return "plan.takes-whole", v
		}
	}
	return "", nil
}

// listIDs say what a list takes, by its elements.
var listIDs = map[reflect.Kind]string{
	reflect.Int: "plan.takes-wholes", reflect.String: "plan.takes-texts", reflect.Struct: "plan.takes-tables",
}

// quoted is a value as a plan has it, in one short line.
func quoted(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(text.Line(v, 40))
	case map[string]any:
		return "{…}"
	case []any:
		elements := make([]string, len(v))
		for i := range v {
			elements[i] = quoted(v[i])
		}
		return text.Line("["+strings.Join(elements, ", ")+"]", 40)
	}
	return text.Line(fmt.Sprint(v), 40)
}

// without leaves out of faults what only follows from faults of a type: a key that was taken out counts as missing.
func (f Faults) without(typed Faults) Faults {
	return slices.DeleteFunc(f, func(one Fault) bool {
		return slices.ContainsFunc(typed, func(bad Fault) bool {
			of, stop := strings.CutSuffix(one.Key, "seconds")
			return bad.Key == one.Key || stop && bad.Key == of+"requests" ||
				strings.ReplaceAll(bad.Key, "[1]", "") == strings.ReplaceAll(one.Key, "[1]", "")
		})
	})
}
