package stats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// day is a run of two variants on a machine with these facts, at a share of the base rate.
func day(id string, seed uint64, rounds int, share float64, facts host.Facts, tests ...string) *result.Run {
	speed := map[string]float64{"": share}
	r := simulated.Run(simulated.Options{Seed: seed, Rounds: rounds, Tests: tests, SampleNoise: 0.01, Variants: []simulated.Variant{
		{Label: "native", Placement: plan.Native, Speed: speed, StartNoise: 0.02},
		{Label: "docker-nat", Placement: plan.DockerNAT, Speed: speed, StartNoise: 0.02}}})
	r.ID = id
	r.Plan.Seed = 1
	for k, v := range facts {
		r.Sessions[0].Facts[k] = v
	}
	return r
}

func runRow(t *testing.T, runs []*result.Run, a, test string) result.ComparisonRow {
	t.Helper()
	for _, c := range CompareRuns(runs) {
		if c.A == a && c.Test == test {
			return c
		}
	}
	t.Fatalf("no comparison of %s in %q", a, test)
	return result.ComparisonRow{}
}

func TestWelchAgreesWithWorkedExample(t *testing.T) {
	// Means 4 and 7, variances 2.5 and 26/3: standard error √(2.5/5 + 26/12) = 1.63299,
	// freedom 7.1111/(0.25/4 + 4.6944/3) = 4.37, rounded down to 4, t = -1.83712.
	e := estimateDifference([]float64{2, 3, 4, 5, 6}, []float64{3, 7, 8, 10})
	near(t, "difference", e.mean, -3, 1e-12)
	near(t, "standard error", e.standardError, 1.63299, 1e-5)
	near(t, "freedom", e.freedom, 4, 0)
	near(t, "p", e.p, 0.14006, 1e-4)
	near(t, "high", e.high, -3+2.77645*1.63299, 1e-4)
}

func TestWelchOfEqualSpreadsIsStudentsT(t *testing.T) {
	e := estimateDifference([]float64{1, 2, 3, 4}, []float64{3, 4, 5, 6})
	near(t, "freedom", e.freedom, 6, 1e-12)
	// t = -2 ÷ √(5/3/4·2) = -2.19089; two-sided p of 6 degrees of freedom.
	near(t, "p", e.p, 0.07098, 1e-4)
}

func TestWelchWithoutSpreadOrRoundsIsNoNumberToTrust(t *testing.T) {
	if e := estimateDifference([]float64{1, 1, 1}, []float64{2, 2, 2}); !(e.p > 0) || e.p > 1e-9 || e.freedom != 4 {
		t.Errorf("without spread: %+v", e)
	}
	if e := estimateDifference([]float64{1, 1, 1}, []float64{1, 1, 1}); e.p != 1 {
		t.Errorf("without difference: %+v", e)
	}
	if e := estimateDifference([]float64{1}, []float64{2, 2, 2}); e.p != 1 || e.low != e.high {
		t.Errorf("with one round: %+v", e)
	}
}

func TestRunsAreComparedVariantByVariantWithTheFirst(t *testing.T) {
	runs := []*result.Run{day("monday", 1, 6, 1, nil, "SET", "GET"), day("tuesday", 2, 6, 0.8, nil, "SET", "GET"), day("friday", 3, 4, 1, nil, "SET", "GET")}
	rows := CompareRuns(runs)
	if len(rows) != 4+8 {
		t.Fatalf("%d rows, want 4 of the first family and 8 of the second", len(rows))
	}
	for i, want := range []string{"native@tuesday", "docker-nat@tuesday", "native@friday", "docker-nat@friday"} {
		label, _, _ := strings.Cut(want, "@")
		if rows[i].A != want || rows[i].B != label+"@monday" || rows[i].Test != "" {
			t.Errorf("row %d compares %s with %s in %q", i, rows[i].A, rows[i].B, rows[i].Test)
		}
	}
	slow := rows[0]
	if slow.Verdict != result.Slower || !(*slow.RatioLow < 0.8 && 0.8 < *slow.RatioHigh) || slow.Rounds != 6 {
		t.Errorf("a loss of 20%% came out as %s, %v to %v in %d rounds", slow.Verdict, *slow.RatioLow, *slow.RatioHigh, slow.Rounds)
	}
	if same := rows[2]; same.Verdict != result.NoDifference || same.SmallestDetectable == nil || same.Rounds != 4 {
		t.Errorf("the same again came out as %+v", same)
	}
}

func TestTooFewRoundsOfEitherRunGiveARatioAndNothingElse(t *testing.T) {
	for _, runs := range [][]*result.Run{{day("a", 1, 6, 1, nil), day("b", 2, 2, 0.5, nil)}, {day("a", 1, 2, 1, nil), day("b", 2, 6, 0.5, nil)}} {
		c := runRow(t, runs, "native@b", "")
		if c.Verdict != result.TooFewRounds || c.Rounds != 2 || c.Ratio == nil || c.RatioLow != nil || c.PValue != nil || c.SmallestDetectable != nil {
			t.Errorf("%+v", c)
		}
	}
}

// The order of a run's rounds must not matter: they are no pairs.
func TestRoundsOfDifferentRunsAreNotPaired(t *testing.T) {
	a, b := day("a", 1, 6, 1, nil), day("b", 2, 6, 0.9, nil)
	before := runRow(t, []*result.Run{a, b}, "native@b", "SET")
	for i := range b.Samples {
		b.Samples[i].Round = 7 - b.Samples[i].Round
	}
	after := runRow(t, []*result.Run{a, b}, "native@b", "SET")
	near(t, "p", *after.PValue, *before.PValue, 1e-9)
	near(t, "low", *after.RatioLow, *before.RatioLow, 1e-9)
}

func TestOnlyTestsThatBothRunsHaveAreCompared(t *testing.T) {
	runs := []*result.Run{day("a", 1, 3, 1, nil, "SET", "GET"), day("b", 2, 3, 1, nil, "GET", "INCR")}
	for _, c := range CompareRuns(runs) {
		if c.Test != "" && c.Test != "GET" {
			t.Errorf("%s is in one run only and was compared", c.Test)
		}
	}
	if rows := CompareRuns([]*result.Run{day("a", 1, 3, 1, nil, "SET"), day("b", 2, 3, 1, nil, "GET")}); rows != nil {
		t.Errorf("runs without a common test gave %v", rows)
	}
}

func TestTheOnlyVariantsOfTwoRunsAreComparedUnderAnyLabel(t *testing.T) {
	only := func(id, label string) *result.Run {
		r := simulated.Run(simulated.Options{Seed: 1, Rounds: 3, Variants: []simulated.Variant{{Label: label, Placement: plan.Native, StartNoise: 0.01}}})
		r.ID = id
		return r
	}
	rows := CompareRuns([]*result.Run{only("x", "redis 7"), only("y", "redis 8")})
	if len(rows) != 2 || rows[0].A != "redis 8@y" || rows[0].B != "redis 7@x" {
		t.Errorf("rows %+v", rows)
	}
}

func TestWhatDiffersIsListedTheMachineFirst(t *testing.T) {
	a := day("a", 1, 3, 1, host.Facts{"cpu.model": "A", "load.average": "0.1", "net.somaxconn": "128", "cpu.governor": "powersave"})
	b := day("b", 2, 3, 1, host.Facts{"cpu.model": "B", "load.average": "9.9", "net.somaxconn": "4096"})
	b.Plan.Loads[0].Seconds = 2
	a.Servers[0].Facts, b.Servers[0].Facts = nil, nil
	for _, r := range []*result.Run{a, b} {
		for i := range r.Servers {
			r.Servers[i].Facts = host.Facts{"redis.version": map[string]string{"a": "7.0", "b": "8.0"}[r.ID], "data.filesystem": map[string]string{"a": "ext4", "b": "xfs"}[r.ID]}
		}
	}
	var got []string
	for _, d := range RunDifferences([]*result.Run{a, b}) {
		got = append(got, fmt.Sprint(d.Key, d.Values, d.Flag))
	}
	want := []string{"cpu.governor[powersave ]machines-differ", "cpu.model[A B]machines-differ", "load.seconds[1 2]loads-differ", "net.somaxconn[128 4096]",
		"native: data.filesystem[ext4 xfs]", "native: redis.version[7.0 8.0]", "docker-nat: data.filesystem[ext4 xfs]", "docker-nat: redis.version[7.0 8.0]"}
	if !slices.Equal(got, want) {
		t.Errorf("differences\n%q, want\n%q", got, want)
	}
	c := runRow(t, []*result.Run{a, b}, "native@b", "SET")
	if !slices.Equal(c.Flags, []string{result.FlagFilesystems, FlagLoads, FlagMachines, result.FlagVersions}) {
		t.Errorf("flags %v", c.Flags)
	}
}

func TestEveryReasonWhyRunsDoNotCompareIsTold(t *testing.T) {
	for kind, change := range map[string]func(r *result.Run){
		WarnRunsMachines: func(r *result.Run) { r.Sessions[0].Facts["kernel.version"] = "linux 5" },
		WarnRunsLoads:    func(r *result.Run) { r.Plan.Loads[0].Suite = "modern" },
		WarnRunsBerth:    func(r *result.Run) { r.Berth = "9" },
		WarnRunsEngines: func(r *result.Run) {
			for i := range r.Samples {
				r.Samples[i].Engine = "portable"
			}
		},
		WarnRunsVersions: func(r *result.Run) {
			for i := range r.Servers {
				r.Servers[i].Facts = host.Facts{"redis.version": "8"}
			}
		},
		WarnRunsPlacement: func(r *result.Run) { r.Plan.Variants[0].Placement = plan.Pinned },
		WarnRunsBusy: func(r *result.Run) {
			for i := range r.Samples {
				r.Samples[i].Flags = []string{result.FlagBusy}
			}
		},
		WarnRunsLeftOut: func(r *result.Run) { r.Plan.Variants = append(r.Plan.Variants, plan.Variant{Label: "more"}) },
	} {
		a, b := day("a", 1, 3, 1, host.Facts{"kernel.version": "linux 6"}), day("b", 2, 3, 1, host.Facts{"kernel.version": "linux 6"})
		for _, r := range []*result.Run{a, b} {
			for i := range r.Servers {
				r.Servers[i].Facts = host.Facts{"redis.version": "7"}
			}
		}
		if ws := RunWarnings([]*result.Run{a, b}); len(ws) > 0 {
			t.Fatalf("two runs alike have warnings %+v", ws)
		}
		change(b)
		ws := RunWarnings([]*result.Run{a, b})
		if len(ws) != 1 || ws[0].Kind != kind {
			t.Fatalf("%s: warnings %+v", kind, ws)
		}
		for _, lang := range text.Languages {
			s := ws[0].Text(text.For(lang), func(l string) string { return l })
			if strings.Contains(s, "stats.") || strings.Contains(s, "no value") || lang != "en" && s == ws[0].Text(text.For("en"), func(l string) string { return l }) {
				t.Errorf("%s, %s: %q", lang, kind, s)
			}
		}
	}
}

func TestOneRunIsNotCompared(t *testing.T) {
	if rows := CompareRuns([]*result.Run{day("a", 1, 3, 1, nil)}); rows != nil {
		t.Errorf("rows %v", rows)
	}
}

// Two runs of the same thing, the second on a noisier day: unequal spreads must not raise the level.
func TestTheSameInTwoRunsRarelyDiffers(t *testing.T) {
	const runs, limit = 2000, 0.06
	wrong := 0
	for seed := range uint64(runs) {
		made := make([]*result.Run, 2)
		for i, noise := range []float64{0.03, 0.12} {
			made[i] = simulated.Run(simulated.Options{Seed: seed + uint64(i)*1_000_003, Rounds: 6 - 2*i, Tests: []string{"SET", "GET"}, SampleNoise: 0.02,
				Variants: []simulated.Variant{{Label: "a", Placement: plan.Native, StartNoise: noise}}})
			made[i].ID = fmt.Sprint(i)
		}
		if CompareRuns(made)[0].Verdict != result.NoDifference {
			wrong++
		}
	}
	share := float64(wrong) / runs
	t.Logf("%d of %d pairs of runs show a difference (%.1f%%)", wrong, runs, 100*share)
	if share > limit {
		t.Errorf("%.1f%% of pairs of runs of the same show a difference, at most %.1f%% may", 100*share, 100*limit)
	}
}

func TestRunsAreSummarizedSideBySide(t *testing.T) {
	a := simulated.Run(simulated.Options{Seed: 1, Rounds: 6, Variants: simulated.Five()[:2], Tests: []string{"SET", "GET"}})
	b := simulated.Run(simulated.Options{Seed: 2, Rounds: 6, Variants: simulated.Five()[:3], Tests: []string{"SET"}})
	a.ID, b.ID = "monday", "friday"
	runs := []*result.Run{a, b}
	var got []string
	for _, row := range SummarizeRuns(runs) {
		got = append(got, row.Variant+" "+row.Test)
		if later := strings.HasSuffix(row.Variant, "@friday"); later != (row.Ratio != nil) || !later && row.Test == "SET" && row.Verdict != result.Reference {
			t.Errorf("%s, %s: ratio %v, verdict %q", row.Variant, row.Test, row.Ratio, row.Verdict)
		}
	}
	first, second := a.Plan.Variants[0].Label, a.Plan.Variants[1].Label
	want := []string{first + "@monday SET", first + "@monday GET", first + "@friday SET", second + "@monday SET", second + "@monday GET", second + "@friday SET"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%v\nwant\n%v", got, want)
	}
	if all := Together(runs); len(all.Samples) != len(a.Samples)+len(b.Samples) {
		t.Errorf("%d samples together, of %d and %d", len(all.Samples), len(a.Samples), len(b.Samples))
	}
}
