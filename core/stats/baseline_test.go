package stats

import (
	"slices"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

func besideMySQL(rounds int) *result.Run {
	return simulated.Run(simulated.Options{Seed: 3, Rounds: rounds, Tests: []string{"SET", "GET"}, SampleNoise: 0.01, Variants: []simulated.Variant{
		{Label: "pinned", Placement: plan.Pinned}, {Label: "native", Placement: plan.Native},
		{Label: "mysql", Service: plan.MySQL, Placement: plan.Native},
		{Label: "mysql-docker", Service: plan.MySQL, Placement: plan.DockerNAT, Speed: map[string]float64{"": 0.5}}}})
}

func TestTheFirstNativeRedisIsTheReference(t *testing.T) {
	r := besideMySQL(3)
	if got := Reference(r, ""); got != "native" {
		t.Errorf("the reference is %s", got)
	}
	r.Plan.Reference = "pinned"
	if got := Reference(r, ""); got != "pinned" {
		t.Errorf("the plan's choice is pinned, the reference is %s", got)
	}
	if got := Reference(simulated.Run(simulated.Options{Rounds: 1, Variants: simulated.Five()[1:3]}), ""); got != "pinned" {
		t.Errorf("without native the reference is %s, not the first", got)
	}
}

func TestMySQLIsComparedWithTheFirstMySQL(t *testing.T) {
	r := besideMySQL(4)
	for _, c := range Compare(r, "") {
		if c.A == "mysql-docker" {
			if c.B != "mysql" || c.Verdict != result.Slower {
				t.Errorf("%+v", c)
			}
			near(t, "ratio", *c.Ratio, 0.5, 0.03)
		} else if c.B != "native" {
			t.Errorf("%s is compared with %s", c.A, c.B)
		}
	}
	for _, s := range Summarize(r, "") {
		if mysql := s.Service == plan.MySQL; mysql != (s.Reference == "mysql") || mysql != (s.TPS != nil) {
			t.Errorf("%s: reference %s, transactions %v", s.Variant, s.Reference, s.TPS)
		} else if mysql {
			near(t, "queries of a transaction", *s.RPS / *s.TPS, 20, 0.01)
		}
	}
}

func TestBaselineRatiosPairTheRounds(t *testing.T) {
	for rounds, interval := range map[int]bool{1: false, 2: false, 3: true} {
		rows := BaselineRatios(besideMySQL(rounds), "")
		if len(rows) != 2 {
			t.Fatalf("%d ratios, want one for each of two tests", len(rows))
		}
		for _, b := range rows {
			if b.Redis != "native" || b.MySQL != "mysql" || b.Script != "oltp_read_write" || b.Threads != 4 || b.Rounds != rounds || (b.Low != nil) != interval {
				t.Errorf("%d rounds: %+v", rounds, b)
			}
		}
	}
	// A round in which everything took twice as long changes no ratio within it.
	r := besideMySQL(3)
	before := *BaselineRatios(r, "")[0].Ratio
	for i := range r.Samples {
		if r.Samples[i].Round == 2 {
			r.Samples[i].Elapsed *= 2
		}
	}
	near(t, "ratio", *BaselineRatios(r, "")[0].Ratio, before, 1e-9)
	if rows := BaselineRatios(five(3), ""); rows != nil {
		t.Errorf("a run without MySQL has %v", rows)
	}
}

func TestAStoppedRunSaysHowFarItCame(t *testing.T) {
	r := five(3, "SET", "GET")
	r.End = &result.EndEvent{Reason: result.EndStopped}
	r.Samples, r.Rounds = r.Samples[:13], r.Rounds[:2]
	want := Progress{Stopped: true, Done: 1, Begun: 2, Planned: 3, Samples: 13, Wanted: 30}
	if got := ProgressOf(r); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, ok := warning(t, r, WarnStopped); !ok {
		t.Error("no warning says so")
	}
	fewer := 0
	for _, s := range Summarize(r, "") {
		marked := slices.Contains(s.Flags, FlagFewer)
		if marked != (s.Samples < 2) {
			t.Errorf("%s %s of %d rounds has flags %v", s.Variant, s.Test, s.Samples, s.Flags)
		}
		if marked {
			fewer++
		}
	}
	if w, _ := warning(t, r, FlagFewer); w.Samples != fewer || fewer != 7 {
		t.Errorf("%d rows of fewer rounds, the warning has %d", fewer, w.Samples)
	}
}

func TestConntrackNamesWhatItIsIn(t *testing.T) {
	r := five(3)
	r.Sessions[0].Facts = host.Facts{"net.loopback_conntrack": "yes"}
	if w, _ := warning(t, r, WarnConntrack); !slices.Equal(w.Variants, []string{"native", "pinned", "docker-host"}) {
		t.Errorf("it names %v", w.Variants)
	}
	r = simulated.Run(simulated.Options{Rounds: 3, Variants: []simulated.Variant{{Label: "away", Placement: plan.Existing}}})
	r.Sessions[0].Facts = host.Facts{"net.loopback_conntrack": "yes"}
	r.Plan.Variants[0].Host = "192.0.2.1"
	if w, ok := warning(t, r, WarnConntrack); ok {
		t.Errorf("a server elsewhere: %+v", w)
	}
}

func TestErrorsOfMySQLAreTransactionsBegunAgain(t *testing.T) {
	r := besideMySQL(3)
	for i := range r.Samples {
		r.Samples[i].Flags = []string{result.FlagErrors}
	}
	if w, _ := warning(t, r, WarnRetried); !slices.Equal(w.Variants, []string{"mysql", "mysql-docker"}) {
		t.Errorf("%+v", w)
	}
	if w, _ := warning(t, r, result.FlagErrors); !slices.Equal(w.Variants, []string{"pinned", "native"}) {
		t.Errorf("%+v", w)
	}
}
