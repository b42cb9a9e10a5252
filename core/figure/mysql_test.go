package figure

import (
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

func mysqlRun(variants ...simulated.Variant) *result.Run {
	mysql := simulated.Variant{Label: "mysql", Service: plan.MySQL, Placement: plan.Native,
		Facts: host.Facts{"mysql.version": "10.11.6-MariaDB-0", "mysql.innodb_flush_log_at_trx_commit": "1"}}
	return simulated.Run(simulated.Options{Seed: 3, Rounds: 3, SampleNoise: 0.01, Histograms: true, Variants: append(variants, mysql)})
}

func TestFiguresOfMySQLSpeakOfQueriesAndTransactions(t *testing.T) {
	r := mysqlRun()
	for name, wants := range map[string][]string{
		Throughput:   {"queries/s", "4 threads, 20 s a sample", "MariaDB 10.11.6, log synced at every commit"},
		Distribution: {"Transactions of 3 rounds together", "share of transactions that were faster"},
		Latency:      {"Transactions of 3 rounds together"},
	} {
		for _, want := range wants {
			if !says(t, name, r, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		for _, wrong := range []string{"requests", "0 bytes", "pipeline", "4 clients"} {
			if says(t, name, r, wrong) {
				t.Errorf("%s says %q of MySQL", name, wrong)
			}
		}
	}
}

func TestTheBaselineTellsTheUnitAndTheDurabilityOfBoth(t *testing.T) {
	r := mysqlRun(simulated.Variant{Label: "native", Placement: plan.Native, Facts: host.Facts{"redis.version": "7.0.15", "redis.persistence": "none"}})
	for _, want := range []string{"per s, log", "MySQL: 4 threads, 20 s a sample", "Redis 7.0.15, no persistence (Native process)", "MariaDB 10.11.6, log synced at every commit (MySQL)"} {
		if !says(t, Baseline, r, want) {
			t.Errorf("the baseline does not say %q", want)
		}
	}
}

func TestAChartOfAStoppedRunSaysSoAndWhatRestsOnFewerRounds(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 3, Rounds: 3, Variants: simulated.Five()[:3], Tests: []string{"SET", "GET"}})
	r.End.Reason, r.Samples, r.Rounds = result.EndStopped, r.Samples[:7], r.Rounds[:2]
	for _, want := range []string{"Median of 2 rounds, 5 of 6 values from fewer rounds, run stopped in round 2 of 3", "* fewer rounds than others"} {
		if !says(t, Throughput, r, want) {
			t.Errorf("the chart does not say %q", want)
		}
	}
}

func TestFiguresOfLinesExplainFlagsBelow(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 3, Rounds: 3, Variants: simulated.Five()[:2], Histograms: true})
	for i := range r.Samples {
		r.Samples[i].Flags = []string{result.FlagCPUsShared}
	}
	for _, name := range []string{Distribution, Time} {
		if !says(t, name, r, "All values: load client and server shared CPUs") {
			t.Errorf("%s does not explain the flag", name)
		}
	}
}

func TestTheAnswersStandApartWithTheirRatios(t *testing.T) {
	r := answered()
	for _, want := range []string{"Redis ÷ MySQL: 5.0–100 times as the article measures it, 4.0 times like for like",
		"As the article: oltp_read_write", "Like for like: GET / oltp_point_select", "SET, pipeline 200", "best of each: 16 and 4",
		"Without BEGIN and COMMIT among the queries: SET, pipeline 1: 5.6×", "50 clients of Redis, 4 threads of MySQL",
		"no persistence (Native process)", "log synced at every commit (MySQL)"} {
		if !says(t, Baseline, r, want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	for _, wrong := range []string{"own scale", "0 bytes"} {
		if says(t, Baseline, r, wrong) {
			t.Errorf("the figure says %q", wrong)
		}
	}
}

// answered is a run of redis-vs-mysql in which Redis answers 5 (pipeline 1) or 100 times as much
// as MySQL, and like for like 4 times.
func answered() *result.Run {
	p, err := plan.Preset("redis-vs-mysql")
	if err != nil {
		panic(err) // a preset is part of the program
	}
	return simulated.Of(p, func(v plan.Variant, w plan.Workload, round int) float64 {
		rate := 10_000.0 + 100*float64(round)
		switch {
		case w.Test == "oltp_read_write":
			return 2 * rate
		case v.Service == plan.MySQL:
			return rate * map[int]float64{1: 0.5, 4: 2, 16: 1.5, 64: 1}[w.Clients]
		case w.Load == "as-the-article":
			return rate * float64(10*min(w.Pipeline, 20))
		}
		return rate * map[int]float64{1: 1, 4: 4, 16: 8, 64: 7}[w.Clients]
	}, map[string]host.Facts{"native": {"redis.version": "7.0.15", "redis.persistence": "none"},
		"mysql": {"mysql.version": "10.11.6-MariaDB-0", "mysql.innodb_flush_log_at_trx_commit": "1"}})
}

func TestASweepOfRatesIsDrawnAndOtherFiguresTellThemApart(t *testing.T) {
	p := plan.Plan{Name: "rates", Rounds: 2, Variants: []plan.Variant{{Label: "native", Service: plan.Redis, Placement: plan.Native}},
		Loads: []plan.Load{{Tests: []string{"SET"}, Rates: []int{0, 1000, 2000, 4000}, Seconds: 1}}}
	p.Complete()
	r := simulated.Of(p, func(_ plan.Variant, w plan.Workload, _ int) float64 {
		if w.Rate == 0 {
			return 90_000
		}
		return float64(w.Rate)
	}, nil)
	for _, want := range []string{"Every mode keeps up with 4,000 requests/s", "4k"} {
		if !says(t, "sweep-rate", r, want) {
			t.Errorf("the sweep does not say %q", want)
		}
	}
	for _, want := range []string{"as fast as it goes", "2,000 requests/s asked for"} {
		if !says(t, Throughput, r, want) {
			t.Errorf("the throughput does not say %q", want)
		}
	}
}

// Panels of loads that have names are told apart by their titles.
func TestNoTwoPanelsHaveTheSameTitle(t *testing.T) {
	r := answered()
	for i := range r.Samples {
		s := r.Samples[i]
		at := r.Events[0].At.Add(time.Duration(i) * time.Second)
		r.Events = append(r.Events, result.Event{Type: result.TypeSample, At: at, Sample: &s})
	}
	for _, name := range []string{Time, "sweep-clients"} {
		for _, o := range []Options{{}, {Lang: "zh-Hans"}, {Width: 1600, Height: 900}, {Width: 605}} {
			f, err := New(name, r, o)
			if err != nil {
				t.Fatal(err)
			}
			titles := map[string]int{}
			title, at := "", point{-1, -1}
			for _, m := range append(marksOf(f, "panel"), mark{}) {
				if m.x == at.x && m.y > at.y && m.y-at.y < 2*m.size {
					title, at = title+" "+m.text, point{m.x, m.y}
					continue
				}
				if at.x >= 0 {
					titles[title]++
				}
				title, at = m.text, point{m.x, m.y}
			}
			for title, n := range titles {
				if n > 1 || strings.Contains(title, "…") {
					t.Errorf("%s %v: %d panels are called %q", name, o, n, title)
				}
			}
			if len(titles) < 2 {
				t.Errorf("%s: titles %v", name, titles)
			}
		}
	}
}

// Of plain tables each test is named once, and the title says how the two compare.
func TestABaselineNamesEachTestOnceAndSaysItsFinding(t *testing.T) {
	f := drawn(t)["baseline"]
	var tests []string
	for _, m := range marksOf(f, "test") {
		tests = append(tests, m.text)
	}
	if want := append([]string{"oltp_read_write"}, quick...); !slices.Equal(tests, want) {
		t.Errorf("tests %q, want %q", tests, want)
	}
	if values := len(marksOf(f, "value")); values != 1+2*len(quick) {
		t.Errorf("%d values", values)
	}
	if want := "Redis answers 0.22–7.2 times as many requests as MySQL answers oltp_read_write queries"; f.title != want {
		t.Errorf("title %q, want %q", f.title, want)
	}
}

func TestIntervalsOfPercentagesAreWhole(t *testing.T) {
	for want, ends := range map[string][2]float64{"91–125": {90.8, 125}, "98–103": {97.6, 103.1}, "0–2": {0.4, 1.9}, "50.1–50.4": {50.1, 50.4}} {
		if got := percentRange(ends[0], ends[1]); got != want {
			t.Errorf("%v is written %q, want %q", ends, got, want)
		}
	}
}
