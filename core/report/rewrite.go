package report

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"berth/core/result"
)

// A rewriter copies a run with other texts in it. It walks all that a run has, so
// that a text added to runs later is not forgotten here.
type rewriter struct {
	labels map[string]string   // variants' labels, and what stands for them
	text   func(string) string // of every other text
}

// labelled are the fields whose texts are labels.
var labelled = []string{"Label", "Variant", "Order", "Reference"}

// kept are the fields whose texts are Berth's own words, or no words at all.
var kept = []string{"Type", "Berth", "Service", "Placement", "Persistence", "Suite", "Scripts", "Draw", "Test", "Tests", "Phase", "Reason", "Engine",
	"Bottleneck", "Flags", "Latency"}

func (w rewriter) run(r *result.Run) *result.Run {
	out := w.copy(reflect.ValueOf(*r)).Interface().(result.Run)
	return &out
}

func (w rewriter) copy(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(w.text(v.String())).Convert(v.Type())
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(w.copy(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(w.copy(v.Index(i)))
		}
		return out
	case reflect.Map:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for i := v.MapRange(); i.Next(); {
			key, of := i.Key(), w
			if key.Kind() == reflect.String {
				of = w.of(key.String())
				key = reflect.ValueOf(w.key(key.String())).Convert(key.Type())
			}
			out.SetMapIndex(key, of.copy(i.Value()))
		}
		return out
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case time.Time:
			return v
		case result.EditEvent:
			return reflect.ValueOf(result.EditEvent{Key: w.key(x.Key), Value: w.of(x.Key).text(x.Value)})
		}
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			switch f := v.Type().Field(i); {
			case slices.Contains(kept, f.Name):
				out.Field(i).Set(v.Field(i))
			case slices.Contains(labelled, f.Name):
				out.Field(i).Set(rewriter{text: w.label}.copy(v.Field(i)))
			default:
				out.Field(i).Set(w.copy(v.Field(i)))
			}
		}
		return out
	}
	return v
}

// key is that of a fact, of an error reply, or of an edit, which may have a label in it.
func (w rewriter) key(s string) string {
	if label, ok := strings.CutPrefix(s, "name:"); ok {
		return "name:" + w.label(label)
	}
	return s
}

// of is the rewriter for the value of the edit called key: the order of variants is
// labels, a line each.
func (w rewriter) of(key string) rewriter {
	if key != "order" {
		return w
	}
	return rewriter{text: func(value string) string {
		labels := strings.Split(value, "\n")
		for i := range labels {
			labels[i] = w.label(labels[i])
		}
		return strings.Join(labels, "\n")
	}}
}

func (w rewriter) label(s string) string {
	if other, ok := w.labels[s]; ok {
		return other
	}
	return w.text(s)
}

// labelsOf are the labels of r's variants, those of the plan first.
func labelsOf(r *result.Run) []string {
	labels := result.Order(r)
	add := func(label string) {
		if label != "" && !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	for i := range r.Samples {
		add(r.Samples[i].Variant)
	}
	for _, s := range r.Servers {
		add(s.Variant)
	}
	for _, f := range r.Failures {
		add(f.Variant)
	}
	return labels
}

// Named is a copy of r whose variants have the names that the user gave them for
// labels, as tables for other programs show them. A name that is not one variant's
// alone is not taken: it would make one of two.
func Named(r *result.Run) *result.Run {
	names := namesFor(r)
	if len(names) == 0 {
		return r
	}
	w := rewriter{labels: names, text: func(s string) string { return s }}
	return w.run(r)
}

// namesFor are the user's names, by label, that Named takes.
func namesFor(r *result.Run) map[string]string {
	labels := labelsOf(r)
	taken := map[string]int{}
	for _, l := range labels {
		taken[l]++
		if name := r.Edits["name:"+l]; name != l {
			taken[name]++
		}
	}
	names := map[string]string{}
	for _, l := range labels {
		if name := r.Edits["name:"+l]; name != "" && taken[name] == 1 {
			names[l] = name
		}
	}
	return names
}
