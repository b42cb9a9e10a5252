package cli

import (
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/result"
)

// kept writes a run of its own ID and rates: native and docker-nat, two tests, rounds rounds.
func kept(t *testing.T, id string, share float64, rounds int, change func(r *result.Run)) string {
	t.Helper()
	core := newCore(t)
	rps := core.rps
	core.rps = func(variant, test string, round int) float64 { return share * rps(variant, test, round) }
	path := filepath.Join(t.TempDir(), result.LogName)
	log, err := result.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	p := plan.Plan{Name: id, Rounds: rounds, Loads: []plan.Load{{Suite: "classic", Tests: []string{"SET", "GET"}, PayloadBytes: []int{100}, Seconds: 1}},
		Variants: []plan.Variant{{Label: "native", Placement: plan.Native}, {Label: "docker-nat", Placement: plan.DockerNAT}}}
	p.Complete()
	r := &result.Run{}
	r.Plan = p
	if change != nil {
		change(r)
	}
	emit := core.emitter(r, log, func(result.Event) {})
	emit(result.Event{Type: result.TypeRun, Run: &result.RunEvent{Schema: result.Schema, ID: id, Berth: "0.1.0", Plan: r.Plan}})
	if err := core.measure(r, emit, 1, rounds); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestComparingRunsIsATableWithWhatDiffersBesideIt(t *testing.T) {
	monday := kept(t, "monday", 1, 6, nil)
	friday := kept(t, "friday", 0.8, 4, func(r *result.Run) { r.Plan.Loads[0].Seconds = 2 })
	s := berth(t, newCore(t), "compare", monday, friday)
	if s.code != exitDone {
		t.Fatal(s.err)
	}
	golden(t, "compare.out", s.out)
	golden(t, "compare.err", s.err)
	rows, err := csv.NewReader(strings.NewReader(s.out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "a,b,metric,test,payload_bytes,pipeline,clients,rounds,ratio,ratio_low,ratio_high,p_value,smallest_detectable,verdict,flags" {
		t.Errorf("columns %s", got)
	}
	if rows[1][0] != "native@friday" || rows[1][1] != "native@monday" || rows[1][13] != result.Slower {
		t.Errorf("the first row is %v", rows[1])
	}
}

func TestUnusableComparisonsOfRuns(t *testing.T) {
	core := newCore(t)
	run := kept(t, "monday", 1, 3, nil)
	other := kept(t, "friday", 1, 3, func(r *result.Run) { r.Plan.Loads[0].Tests = []string{"INCR"} })
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"one run":     {[]string{run}, "berth compare RUN RUN..."},
		"twice":       {[]string{run, run}, "named twice"},
		"no such run": {[]string{run, "nowhere"}, "no run nowhere"},
		"no test":     {[]string{run, other}, "no test in common"},
	} {
		s := berth(t, core, append([]string{"compare"}, c.args...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, c.says) || s.out != "" {
			t.Errorf("%s: exit code %d: %s%s", name, s.code, s.out, s.err)
		}
	}
}
