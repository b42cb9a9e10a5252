package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

func kinds(fs []Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Kind)
	}
	return out
}

func english(fs []Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Text(text.For("en")))
	}
	return strings.Join(out, "\n")
}

func TestLargestDifferenceComesFirstWithItsDockerPath(t *testing.T) {
	fs := Findings(fiveRun(6, "SET", "GET"), "")
	want := []string{KindSlowerProxy, KindPath, KindSlower, KindNone, KindNone}
	if got := kinds(fs); !slices.Equal(got, want) {
		t.Fatalf("findings %v, want %v\n%s", got, want, english(fs))
	}
	if fs[0].Args["Variant"] != "docker-nat" || fs[0].Rows[0].A != "docker-nat" || len(fs[0].Rows) != 3 {
		t.Errorf("the first finding is %+v", fs[0])
	}
}

func TestFindingsOfOneTestNameIt(t *testing.T) {
	s := Findings(fiveRun(6, "SET"), "")[0].Text(text.For("en"))
	if !strings.HasPrefix(s, "Docker -p serves ") || !strings.Contains(s, "% fewer SET requests than Native process (95% interval ") ||
		!strings.Contains(s, ", 6 rounds); ") || !strings.HasSuffix(s, "% of that loss is the docker-proxy process.") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestFindingsCarryTheFiguresOfTheirRows(t *testing.T) {
	f := Findings(two(6, "b", plan.DockerHost, map[string]float64{"": 0.8}, "SET", "GET"), "")[0]
	row := f.Rows[0]
	if f.Args["Value"] != whole(lossPercent(*row.Ratio)) || f.Args["Low"] != whole(lossPercent(*row.RatioHigh)) || f.Args["Rounds"] != row.Rounds {
		t.Errorf("args %v are not row %v", f.Args, *row.Ratio)
	}
	if s := f.Text(text.For("en")); !strings.Contains(s, "over 2 tests") || !strings.Contains(s, "20") && !strings.Contains(s, "19.") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestNoDifferenceSaysWhatCouldHaveBeenSeen(t *testing.T) {
	fs := Findings(two(6, "pinned", plan.Pinned, nil, "SET"), "")
	s := english(fs)
	if fs[0].Kind != KindNone || !strings.HasPrefix(s, "Pinned CPU: no difference from Native process detectable in SET (6 rounds); this run could have shown a loss of ") ||
		strings.Contains(s, "equal") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestTwoRoundsGiveNoVerdict(t *testing.T) {
	for rounds, words := range map[int]string{1: "one round", 2: "2 rounds"} {
		fs := Findings(two(rounds, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET"), "")
		s := english(fs)
		if fs[0].Kind != KindTooFew || !strings.Contains(s, words) || !strings.Contains(s, "% fewer requests") {
			t.Errorf("%d rounds read %q", rounds, s)
		}
	}
}

func TestTestsThatDisagreeAreTold(t *testing.T) {
	fs := Findings(two(6, "b", plan.DockerHost, map[string]float64{"SET": 0.5, "GET": 1.3}, "SET", "GET"), "")
	i := slices.Index(kinds(fs), KindDisagree)
	if i < 0 {
		t.Fatalf("nothing about disagreement in\n%s", english(fs))
	}
	if s := fs[i].Text(text.For("en")); !strings.Contains(s, "fewer requests in SET") || !strings.Contains(s, "more requests in GET") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestTwiceAsFastIsToldAsTimes(t *testing.T) {
	fs := Findings(two(6, "b", plan.DockerHost, map[string]float64{"": 3.2}, "SET"), "")
	if s := english(fs); fs[0].Kind != KindTimes || !strings.Contains(s, "serves 3.2 times as many SET requests as") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestClientBoundComesBeforeWhatWasNotFound(t *testing.T) {
	r := two(6, "b", plan.DockerHost, nil, "SET")
	r.Samples[0].Flags = []string{result.FlagClientBound}
	fs := Findings(r, "")
	if got := kinds(fs); !slices.Equal(got, []string{"stats.warn-client-bound", KindNone}) || !strings.HasPrefix(english(fs), "In one sample the load client was the limit") {
		t.Errorf("findings\n%s", english(fs))
	}
}

func TestOtherLoadIsAFindingWhereItTouchedMuchOfTheRun(t *testing.T) {
	for busy, want := range map[int]bool{1: false, 6: true} {
		r := two(6, "b", plan.DockerHost, nil, "SET")
		for i := range busy {
			r.Samples[i].Flags = []string{result.FlagBusy}
		}
		if got := slices.Contains(kinds(Findings(r, "")), "stats.warn-busy-machine"); got != want {
			t.Errorf("%d of 12 busy samples: a finding %v, want %v", busy, got, want)
		}
	}
}

func TestStandInComesFirstAndIsNotJudged(t *testing.T) {
	fs := Findings(two(6, "stand-in", plan.StandIn, map[string]float64{"": 0.2}, "SET"), "")
	if got := kinds(fs); !slices.Equal(got, []string{"stats.warn-not-redis", KindUnjudged}) {
		t.Errorf("findings\n%s", english(fs))
	}
}

func TestFewCPUsAreNamedWhereThePathIsExplained(t *testing.T) {
	r := fiveRun(6, "SET")
	r.Sessions[0].Facts["cpu.count"] = "2"
	if f := Findings(r, "")[1]; f.Kind != KindPathShared || !strings.Contains(f.Text(text.For("en")), "shared its 2 CPUs") {
		t.Errorf("the finding reads %q", f.Text(text.For("en")))
	}
}

// The address of a container that comes out faster than native would make docker-proxy's share more than all.
func TestAPathThatCannotBeToldApartIsNotSplit(t *testing.T) {
	variants := simulated.Five()
	variants[3].Speed = map[string]float64{"": 1.3}
	fs := Findings(simulated.Run(simulated.Options{Seed: 11, Rounds: 6, Variants: variants, SampleNoise: 0.01}), "")
	i := slices.IndexFunc(fs, func(f Finding) bool { return f.Kind == KindPathUnknown })
	if i < 1 || fs[i-1].Kind != KindSlower {
		t.Fatalf("findings %v\n%s", kinds(fs), english(fs))
	}
	for _, lang := range text.Languages {
		if s := fs[i].Text(text.For(lang)); strings.Contains(s, "<no value>") || strings.Contains(s, "100%") {
			t.Errorf("%s: %s", lang, s)
		}
	}
	if s := fs[i].Text(text.For("en")); !strings.Contains(s, "cannot be told apart") {
		t.Error(s)
	}
}

func TestOneVariantAloneGivesItsFigure(t *testing.T) {
	r := two(6, "b", plan.DockerHost, nil, "SET")
	r.Plan.Variants = r.Plan.Variants[:1]
	r.Samples = slices.DeleteFunc(r.Samples, func(s result.Sample) bool { return s.Variant == "b" })
	if fs := Findings(r, ""); len(fs) != 1 || fs[0].Kind != KindAlone {
		t.Errorf("findings\n%s", english(fs))
	}
}

func besideMySQL(rounds int, tests ...string) *result.Run {
	return simulated.Run(simulated.Options{Seed: 3, Rounds: rounds, Tests: tests, SampleNoise: 0.01, Histograms: true, Variants: []simulated.Variant{
		{Label: "native", Placement: plan.Native, Facts: host.Facts{"redis.version": "7.0.15", "redis.persistence": "none"}},
		{Label: "mysql", Service: plan.MySQL, Placement: plan.Native, Facts: host.Facts{"mysql.version": "10.11.6-MariaDB",
			"mysql.innodb_flush_log_at_trx_commit": "1", "mysql.log_bin": "OFF", "mysql.sync_binlog": "0"}}}})
}

func TestRedisBesideMySQLIsARatioOfCountsInEachTest(t *testing.T) {
	fs := Findings(besideMySQL(3, "SET", "GET"), "")
	if got := kinds(fs); !slices.Equal(got, []string{KindBaseline, KindBaseline, KindAlone, KindAlone, KindAlone}) {
		t.Fatalf("findings %v\n%s", got, english(fs))
	}
	if s := fs[0].Text(text.For("en")); !strings.HasPrefix(s, "As measured here, Redis (Native process) answers ") ||
		!strings.Contains(s, " times as many SET requests as MySQL answers oltp_read_write queries (95% interval ") || !strings.Contains(s, "different work") {
		t.Errorf("the finding reads %q", s)
	}
	if s := english(fs); !strings.Contains(s, "oltp_read_write transactions a second, which are ") || strings.Contains(s, "nothing to compare it with") {
		t.Errorf("findings\n%s", s)
	}
	fs = Findings(besideMySQL(1, "SET", "GET", "INCR", "LPUSH", "LPOP"), "")
	if s := english(fs); fs[0].Kind != KindBaselines || !strings.Contains(s, "oltp_read_write queries (one round)") {
		t.Errorf("findings\n%s", s)
	}
}

func TestMySQLAnswersQueriesAndNotRequests(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 3, Rounds: 6, SampleNoise: 0.01, Variants: []simulated.Variant{
		{Label: "mysql", Service: plan.MySQL, Placement: plan.Native},
		{Label: "mysql-docker", Service: plan.MySQL, Placement: plan.DockerNAT, Speed: map[string]float64{"": 0.5}}}})
	if s := english(Findings(r, "")); !strings.Contains(s, "% fewer oltp_read_write queries than MySQL") || strings.Contains(s, "requests") {
		t.Errorf("findings\n%s", s)
	}
}

func TestAStoppedRunSaysSoFirst(t *testing.T) {
	r := fiveRun(3, "SET", "GET")
	r.End.Reason, r.Samples, r.Rounds = result.EndStopped, r.Samples[:13], r.Rounds[:2]
	if s := english(Findings(r, "")); !strings.HasPrefix(s, "The run was stopped in round 2 of 3, after 13 of 30 samples: 1 of 3 rounds is whole.") {
		t.Errorf("findings\n%s", s)
	}
	if m := Method(r, text.For("en")); !strings.HasPrefix(m, "2 rounds, of which 1 whole (stopped; 3 were planned); each started every mode that it came to afresh") {
		t.Errorf("the method reads %q", m)
	}
}

func TestFindingsSayWhatRestsOnTooShortASampleAndWhatFailed(t *testing.T) {
	r := two(1, "b", plan.DockerHost, nil, "SET")
	r.Plan.Variants, r.Samples = r.Plan.Variants[:1], slices.DeleteFunc(r.Samples, func(s result.Sample) bool { return s.Variant == "b" })
	r.Samples[0].Elapsed, r.Samples[0].Flags = 8*time.Millisecond, []string{result.FlagTooShort}
	r.Failures = []result.FailureEvent{{Variant: "native", Text: "it died"}}
	s := english(Findings(r, ""))
	for _, want := range []string{"the shortest sample took 8ms, too short to trust its rate", "One server or sample failed (Native process)"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
}

func TestManyWorkloadsOfOneTestAreNoTests(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 5, Rounds: 6, SampleNoise: 0.01, Pipelines: []int{1, 16}, Variants: []simulated.Variant{
		{Label: "native", Placement: plan.Native}, {Label: "b", Placement: plan.DockerHost, Speed: map[string]float64{"": 0.5}}}})
	if s := english(Findings(r, "")); !strings.Contains(s, "over 2 workloads") || strings.Contains(s, "tests") {
		t.Errorf("findings\n%s", s)
	}
}

func TestAnIntervalThatTheCorrectionOverrulesIsExplained(t *testing.T) {
	f := finderOf(fiveRun(3, "SET"), "", nil, nil)
	ratio, low, high, p, smallest := 0.4, 0.16, 0.95, 0.09, 0.999
	row := result.ComparisonRow{A: "pinned", B: "native", Rounds: 3, Ratio: &ratio, RatioLow: &low, RatioHigh: &high, PValue: &p, SmallestDetectable: &smallest, Verdict: result.NoDifference}
	f.comparisons = []result.ComparisonRow{row, row}
	s := english(f.undecided(row))
	if !strings.Contains(s, "not after the correction for 2 comparisons (Holm)") || !strings.Contains(s, "only a loss of more than 99%") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestEmptyRunSaysSo(t *testing.T) {
	if fs := Findings(&result.Run{}, ""); len(fs) != 1 || fs[0].Kind != KindNoData {
		t.Errorf("findings %v", kinds(fs))
	}
}

func TestNamesThatAUserGaveAreInTheSentence(t *testing.T) {
	r := two(6, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET")
	r.Edits = map[string]string{"name:docker-nat": "Bridge 桥接"}
	if s := english(Findings(r, "")); !strings.HasPrefix(s, "Bridge 桥接 serves") {
		t.Errorf("the finding reads %q", s)
	}
}

// Every finding that the cases above and these give is a sentence in every language.
func TestFindingsAreWholeSentencesInEveryLanguage(t *testing.T) {
	runs := []*result.Run{fiveRun(6, "SET", "GET"), fiveRun(2, "SET"), {},
		two(6, "b", plan.DockerHost, map[string]float64{"SET": 0.5, "GET": 1.3}, "SET", "GET"),
		two(6, "b", plan.DockerHost, map[string]float64{"SET": 0.5, "GET": 4}, "SET", "GET"),
		two(6, "b", plan.DockerHost, map[string]float64{"": 1.4}, "SET"),
		two(1, "b", plan.DockerHost, map[string]float64{"": 3}, "SET"),
		two(6, "stand-in", plan.StandIn, nil, "SET"), besideMySQL(3, "SET"), besideMySQL(2, "SET", "GET", "INCR", "LPUSH", "LPOP")}
	for _, lang := range text.Languages {
		for i, r := range runs {
			for _, f := range Findings(r, "") {
				s := f.Text(text.For(lang))
				if strings.Contains(s, "report.") || strings.Contains(s, "<no value>") || strings.Contains(s, "{{") || s == "" {
					t.Errorf("%s, run %d, %s: %q", lang, i, f.Kind, s)
				}
				if lang != "en" && s == f.Text(text.For("en")) {
					t.Errorf("%s lacks %s", lang, f.Kind)
				}
			}
		}
	}
}

func BenchmarkFindingsOfTenThousandSamples(b *testing.B) {
	tests := make([]string, 90)
	for i := range tests {
		tests[i] = "TEST_" + string(rune('A'+i%26)) + string(rune('A'+i/26))
	}
	r := fiveRun(22, tests...)
	for b.Loop() {
		Findings(r, "")
	}
	b.ReportMetric(float64(len(r.Samples)), "samples")
}
