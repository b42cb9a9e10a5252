// Package ingest reads in what other tools printed, redis-benchmark and
// sysbench, as a run: their output as it was saved, or an article that quotes it. What a text does not
// say stays unknown, and nothing is concluded from what others measured.
package ingest

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// Name is that of a plan that was read in.
const Name = "import"

// MaxBytes is how long a text may be.
const MaxBytes = 16 << 20

// A File is a text in which output of the tools is looked for.
type File struct {
	Name string // its path, or what to call it
	Text []byte
}

// Given is what holds where the texts do not say it; 0 is unknown there too.
type Given struct {
	PayloadBytes, Pipeline, Clients int
	Requests                        int64
}

// Events are the log of a run called id with everything that the files hold, a
// variant a placement that a text names, else a variant a file. What stands there several times is
// several rounds. An error is a file without any output that is known.
func Events(id, berth string, files []File, given Given, at time.Time) ([]result.Event, error) {
	var all []found
	names := labels(files)
	for i, f := range files {
		if len(f.Text) > MaxBytes {
			return nil, text.Err("ingest.too-large", text.Args{"File": f.Name, "Most": MaxBytes >> 20}, nil)
		}
		in := read(f.Text, given)
		if len(in) == 0 {
			return nil, text.Err("ingest.nothing", text.Args{"File": f.Name}, nil)
		}
		label(in, names[i], len(files) > 1)
		all = append(all, in...)
	}
	p := plan.Plan{Name: Name}
	for _, f := range all {
		if _, known := p.Variant(f.variant.Label); !known {
			p.Variants = append(p.Variants, f.variant)
		}
	}
	var samples []result.Event
	counts := map[string]map[plan.Cell]int{}
	for _, f := range all {
		v, _ := p.Variant(f.variant.Label)
		if counts[v.Label] == nil {
			counts[v.Label] = map[plan.Cell]int{}
		}
		cell := f.sample.Workload.Cell()
		counts[v.Label][cell]++
		s := f.sample
		s.Round, s.Variant, s.Service, s.Placement = counts[v.Label][cell], v.Label, v.Service, v.Placement
		s.Flags = []string{result.FlagImported}
		p.Rounds = max(p.Rounds, s.Round)
		samples = append(samples, result.Event{Type: result.TypeSample, At: at, Sample: &s})
	}
	from := make([]string, len(files))
	for i, f := range files {
		from[i] = f.Name
	}
	events := []result.Event{{Type: result.TypeRun, At: at, Run: &result.RunEvent{Schema: result.Schema, ID: id, Berth: berth, Plan: p, Imported: from}}}
	events = append(events, samples...)
	return append(events, result.Event{Type: result.TypeEnd, At: at, End: &result.EndEvent{Reason: result.EndDone}}), nil
}

// labels are the files' names without folder and ending, with the folders where they would be alike.
func labels(files []File) []string {
	short := make([]string, len(files))
	for i, f := range files {
		short[i] = base(filepath.Base(f.Name))
	}
	out := slices.Clone(short)
	for i, f := range files {
		for k := range files {
			if k != i && short[k] == short[i] {
				out[i] = base(filepath.ToSlash(f.Name))
			}
		}
	}
	return out
}

// longestLabel is what a plan allows, and some to spare for a placement.
const longestLabel = 80

func base(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return text.Line(cmp.Or(strings.TrimSpace(name), Name), longestLabel)
}

// label names the variants of one file: by placement, by the file, or where there are several of both by both.
func label(in []found, file string, several bool) {
	var kinds []string
	for _, f := range in {
		if kind := f.kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	for i := range in {
		v, kind := &in[i].variant, in[i].kind()
		switch {
		case several && len(kinds) == 1, kind == "":
			v.Label = file
		case several:
			v.Label = file + " " + kind
		default:
			v.Label = kind
		}
	}
}

// A found is one result in a text.
type found struct {
	variant plan.Variant
	sample  result.Sample
}

// kind tells the variants of a file apart; "" where the text does not.
func (f found) kind() string {
	if f.variant.Service == plan.MySQL {
		return plan.MySQL
	}
	return f.variant.Placement
}

// decode is a text's UTF-8: PowerShell's > writes UTF-16, with a mark at the start.
func decode(raw []byte) string {
	out, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), raw)
	if err != nil {
		out = raw
	}
	return string(out)
}
