package stats

import (
	"math"
	"slices"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

func five(rounds int, tests ...string) *result.Run {
	return simulated.Run(simulated.Options{Seed: 3, Rounds: rounds, Variants: simulated.Five(), Tests: tests, SampleNoise: 0.02, Histograms: true})
}

func row(t *testing.T, r *result.Run, a, test string) result.ComparisonRow {
	t.Helper()
	for _, c := range Compare(r, "") {
		if c.A == a && c.Test == test {
			return c
		}
	}
	t.Fatalf("no comparison of %s in %q", a, test)
	return result.ComparisonRow{}
}

func TestFourRoundsAreEnoughToSayThatPublishedPortIsSlower(t *testing.T) {
	r := five(4, "PING_INLINE", "SET", "GET", "LRANGE_100")
	c := row(t, r, "docker-nat", "")
	if c.Verdict != result.Slower || c.Rounds != 4 {
		t.Errorf("verdict %s after %d rounds", c.Verdict, c.Rounds)
	}
	if !(*c.RatioLow < 0.46 && 0.46 < *c.RatioHigh) {
		t.Errorf("interval %v to %v misses 0.46", *c.RatioLow, *c.RatioHigh)
	}
}

func TestFewerThanThreeRoundsHaveARatioAndNothingElse(t *testing.T) {
	for rounds := 1; rounds <= 2; rounds++ {
		c := row(t, five(rounds), "docker-nat", "SET")
		if c.Verdict != result.TooFewRounds || c.Ratio == nil || c.RatioLow != nil || c.RatioHigh != nil || c.PValue != nil || c.SmallestDetectable != nil {
			t.Errorf("%d rounds gave %+v", rounds, c)
		}
	}
	if c := row(t, five(3), "docker-nat", "SET"); c.RatioLow == nil || c.PValue == nil || c.SmallestDetectable == nil {
		t.Errorf("three rounds lack an interval: %+v", c)
	}
}

func TestRatioIsTheGeometricMeanOfRatiosWithinRounds(t *testing.T) {
	r := built([]float64{100, 200, 400}, []float64{50, 50, 400})
	c := row(t, r, "b", "SET")
	near(t, "ratio", *c.Ratio, math.Cbrt(0.5*0.25*1), 1e-6)
	if c.Rounds != 3 {
		t.Errorf("%d rounds, want 3", c.Rounds)
	}
}

func TestRoundsWhereOneSideFailedOrWasCutAreLeftOut(t *testing.T) {
	r := built([]float64{100, 100, 100, 100, 100, 100}, []float64{50, 51, 49, 50, 51, 49})
	r.Samples[3].Flags = []string{result.FlagCut} // b, round 2
	r.Samples[4].Elapsed = 0                      // a, round 3
	r.Samples[7].Errors = r.Samples[7].Requests   // b, round 4: error replies alone
	r.Samples = slices.Delete(r.Samples, 10, 11)  // a, round 6
	cs := Comparisons(r, "")
	for _, c := range cs {
		if !slices.Equal(c.RoundsIn, []int{1, 5}) || c.Rounds != 2 {
			t.Errorf("%q is made of rounds %v", c.Test, c.RoundsIn)
		}
	}
	if !slices.Contains(cs[0].Flags, result.FlagCut) {
		t.Error("the flag of the sample left out is lost")
	}
}

func TestFirstFamilyHasTheSameTestsInEveryRound(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 4, Variants: simulated.Five()[:2], Tests: []string{"SET", "GET"}})
	r.Samples = r.Samples[:len(r.Samples)-1] // the last round lacks a test
	cs := Comparisons(r, "")
	if cs[0].Test != "" || !slices.Equal(cs[0].RoundsIn, []int{1, 2, 3}) {
		t.Errorf("geometric mean over rounds %v, want 1 2 3", cs[0].RoundsIn)
	}
}

func TestATestThatRarelyWorkedDoesNotEmptyTheFirstFamily(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 6, Variants: simulated.Five()[:2], Tests: []string{"SET", "GET"}})
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Workload.Test == "GET" && s.Round > 1 {
			s.Elapsed = 0
		}
	}
	if c := row(t, r, "pinned", ""); c.Rounds != 6 {
		t.Errorf("geometric mean over %d rounds, want 6", c.Rounds)
	}
}

func TestPayloadsPipelinesAndClientsAreRowsOfTheirOwn(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 3, Variants: simulated.Five()[:2], Tests: []string{"SET", "GET"},
		PayloadBytes: []int{100, 500}, Pipelines: []int{1, 16}})
	if n := len(Compare(r, "")); n != 1+8 {
		t.Errorf("%d comparisons, want 9", n)
	}
	if n := len(Summarize(r, "")); n != 16 {
		t.Errorf("%d summary rows, want 16", n)
	}
}

func TestCorrectionIsWithinEachFamily(t *testing.T) {
	cs := Comparisons(five(6, "SET", "GET", "INCR"), "")
	var smallestFirst, smallestSecond float64 = 1, 1
	for _, c := range cs {
		if c.Test == "" {
			smallestFirst = min(smallestFirst, *c.PValue / *c.Uncorrected)
		} else if *c.PValue < 1 {
			smallestSecond = max(smallestSecond, *c.PValue / *c.Uncorrected)
		}
	}
	if smallestFirst > 4 || smallestSecond > 12+1e-9 || smallestSecond <= 4 {
		t.Errorf("p values grew by %v in the first family of 4 and %v in the second of 12", smallestFirst, smallestSecond)
	}
}

func TestAnotherReferenceTurnsTheRatioRound(t *testing.T) {
	r := five(4)
	for _, c := range Compare(r, "docker-nat") {
		if c.A == "native" && c.Test == "SET" {
			near(t, "product", *c.Ratio**row(t, r, "docker-nat", "SET").Ratio, 1, 1e-9)
			if c.Verdict != result.Faster {
				t.Errorf("native against docker-nat is %s", c.Verdict)
			}
			return
		}
	}
	t.Fatal("native was not compared")
}

func TestNothingComputedIsZeroNaNOrInfinite(t *testing.T) {
	r := built([]float64{0, 1, 1e300, 5, 5, 5, 5}, []float64{1, 0, 1e-300, 5, 5, 5, 5})
	r.Samples[0].Elapsed = -time.Second
	check := func(what string, xs ...*float64) {
		for _, x := range xs {
			if x != nil && (*x == 0 || math.IsNaN(*x) || math.IsInf(*x, 0)) {
				t.Errorf("%s came out as %v", what, *x)
			}
		}
	}
	for _, c := range Compare(r, "") {
		check("comparison", c.Ratio, c.RatioLow, c.RatioHigh, c.PValue)
	}
	for _, s := range Summarize(r, "") {
		check("summary", s.RPS, s.RPSLow, s.RPSHigh, s.Ratio, s.RatioLow, s.RatioHigh, s.PValue, s.P50, s.P95, s.P99)
	}
}

func TestStandInHasNoVerdict(t *testing.T) {
	variants := []simulated.Variant{{Label: "native", Placement: plan.Native}, {Label: "demo", Placement: plan.StandIn, Speed: map[string]float64{"": 0.1}}}
	c := row(t, simulated.Run(simulated.Options{Seed: 1, Rounds: 6, Variants: variants, SampleNoise: 0.01}), "demo", "")
	if c.Verdict != "" || c.PValue != nil || !slices.Contains(c.Flags, result.FlagStandIn) {
		t.Errorf("a stand-in was judged: %+v", c)
	}
}

func TestWhatOtherToolsReportedHasNoVerdict(t *testing.T) {
	r := &result.Run{RunEvent: result.RunEvent{ID: "x", Imported: []string{"a.txt"}}}
	p50 := 0.25
	for i, label := range []string{"a", "b"} {
		r.Plan.Variants = append(r.Plan.Variants, plan.Variant{Label: label, Service: plan.Redis})
		for round := 1; round <= 6; round++ {
			r.Samples = append(r.Samples, result.Sample{Round: round, Variant: label, Service: plan.Redis, Workload: plan.Workload{Test: "SET"}, Flags: []string{result.FlagImported},
				Reported: &result.Reported{RPS: 1000*float64(i+1) + float64(round), Latency: result.ReportedLatency{P50: &p50}}})
		}
	}
	c := row(t, r, "b", "")
	if c.Verdict != "" || c.PValue != nil || c.RatioLow != nil || c.Ratio == nil || math.Abs(*c.Ratio-2) > 0.01 || !slices.Contains(c.Flags, result.FlagImported) {
		t.Errorf("it was judged: %+v", c)
	}
	if s := Summarize(r, "")[0]; s.P50 != nil || *s.RPS != 1003.5 {
		t.Errorf("percentiles of six results were put together: %+v", s)
	}
	r.Samples = r.Samples[:1]
	if s := Summarize(r, "")[0]; s.P50 == nil || *s.P50 != p50 {
		t.Errorf("the percentile of one result is not there: %+v", s)
	}
	if ws := RunWarnings([]*result.Run{r, r}); !slices.ContainsFunc(ws, func(w Warning) bool { return w.Kind == WarnRunsImported }) {
		t.Errorf("comparing runs warns of %+v", ws)
	}
}

func TestVersionsAndEnginesThatDifferFlagTheComparison(t *testing.T) {
	variants := []simulated.Variant{
		{Label: "a", Placement: plan.Native, Facts: host.Facts{"redis.version": "7.0.15", "program": "/x"}},
		{Label: "b", Placement: plan.Native, Facts: host.Facts{"redis.version": "7.2.4", "program": "/x", "image": "redis:7.2"}},
	}
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 3, Variants: variants})
	for i := range r.Samples {
		if r.Samples[i].Variant == "b" {
			r.Samples[i].Engine = "portable"
		}
	}
	if got := row(t, r, "b", "").Flags; !slices.Equal(got, []string{result.FlagEngines, result.FlagVersions}) {
		t.Errorf("flags %v", got)
	}
	if got := Differs(r, "a", "b"); !slices.Equal(got, []string{"redis.version"}) {
		t.Errorf("facts that differ: %v", got)
	}
}

func TestAnotherBuildDigestOrFilesystemFlagsTheComparison(t *testing.T) {
	same := host.Facts{"redis.name": "redis", "redis.version": "7.0.15", "redis.build_id": "b1", "redis.allocator": "jemalloc-5.3.0", "data.filesystem": "ext4", "image.digest": "redis@sha256:1"}
	for _, c := range []struct{ key, value, flag string }{
		{"redis.name", "valkey", result.FlagVersions},
		{"redis.build_id", "b2", result.FlagVersions},
		{"redis.allocator", "libc", result.FlagVersions},
		{"image.digest", "redis@sha256:2", result.FlagVersions},
		{"data.filesystem", "xfs", result.FlagFilesystems},
		{"network.path", "bridge", ""}, // what placements differ in is no fault
	} {
		other := host.Facts{}
		for k, v := range same {
			other[k] = v
		}
		other[c.key] = c.value
		r := simulated.Run(simulated.Options{Seed: 1, Rounds: 3, Variants: []simulated.Variant{
			{Label: "a", Placement: plan.Native, Facts: same}, {Label: "b", Placement: plan.DockerNAT, Facts: other}}})
		var want []string
		if c.flag != "" {
			want = []string{c.flag}
		}
		for _, row := range Compare(r, "") {
			if !slices.Equal(row.Flags, want) {
				t.Errorf("%s differs: flags %v, want %v", c.key, row.Flags, want)
			}
		}
		warned := slices.ContainsFunc(Warnings(r), func(w Warning) bool { return w.Kind == c.flag && slices.Equal(w.Variants, []string{"b"}) })
		if warned != (c.flag != "") {
			t.Errorf("%s differs: warnings %v", c.key, Warnings(r))
		}
	}
}

func TestEmptyAndForeignRunsGiveNoRows(t *testing.T) {
	if Compare(&result.Run{}, "") != nil || Summarize(&result.Run{}, "") != nil || Warnings(&result.Run{}) != nil || PathShares(&result.Run{}) != nil {
		t.Error("an empty run gave rows")
	}
	if rows := Compare(five(3), "nobody"); rows != nil {
		t.Errorf("an unknown reference gave %v", rows)
	}
}

// built makes a run of variants a and b under SET with these rates by round.
func built(a, b []float64) *result.Run {
	r := &result.Run{}
	r.Plan = plan.Plan{Rounds: len(a), Variants: []plan.Variant{{Label: "a", Service: plan.Redis, Placement: plan.Native}, {Label: "b", Service: plan.Redis, Placement: plan.Native}}}
	for i := range a {
		for j, rps := range []float64{a[i], b[i]} {
			requests := int64(math.Min(rps*1e6, 1e18))
			r.Samples = append(r.Samples, result.Sample{Round: i + 1, Variant: []string{"a", "b"}[j], Service: plan.Redis, Placement: plan.Native,
				Workload: plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50}, Requests: requests, Elapsed: 1e6 * time.Second, Engine: "epoll"})
		}
	}
	return r
}

// Of a variant without a usable sample it is not known by which engine it would have been measured.
func TestNoSampleIsOfNoOtherEngine(t *testing.T) {
	r := five(3)
	for i := range r.Samples {
		s := &r.Samples[i]
		s.Engine = "epoll"
		if s.Variant == "docker-nat" {
			s.Flags = []string{result.FlagCut}
		}
	}
	for _, row := range Summarize(r, "") {
		if slices.Contains(row.Flags, result.FlagEngines) {
			t.Errorf("%s has the flags %q", row.Variant, row.Flags)
		}
	}
	for _, w := range Warnings(r) {
		if w.Kind == result.FlagEngines {
			t.Errorf("warning %+v", w)
		}
	}
}
