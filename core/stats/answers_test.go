package stats

import (
	"slices"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
)

// preset is a run of redis-vs-mysql in which Redis is best at 16 connections and MySQL at 4.
func preset(t *testing.T, rounds int, change func(*plan.Plan), facts map[string]host.Facts) *result.Run {
	t.Helper()
	p, err := plan.Preset("redis-vs-mysql")
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = rounds
	if change != nil {
		change(&p)
	}
	return simulated.Of(p, func(v plan.Variant, w plan.Workload, round int) float64 {
		rate := 10_000.0 * float64(round) // what a round does to both, a ratio within it does not see
		switch {
		case v.Service == plan.MySQL && w.Test == "oltp_read_write":
			return 2 * rate
		case v.Service == plan.MySQL:
			return rate * map[int]float64{1: 0.5, 4: 2, 16: 1.5, 64: 1}[w.Clients]
		case w.Load == "as-the-article":
			return rate * float64(10*min(w.Pipeline, 20))
		}
		return rate * map[int]float64{1: 1, 4: 4, 16: 8, 64: 7}[w.Clients]
	}, facts)
}

func TestThePresetsTwoAnswersAreNeverMixed(t *testing.T) {
	for _, rounds := range []int{2, 3} {
		rows := BaselineRatios(preset(t, rounds, nil, nil), "")
		var article, equal, best []BaselineRatio
		for _, b := range rows {
			switch {
			case b.Pair == "as-the-article":
				article = append(article, b)
			case b.Best:
				best = append(best, b)
			default:
				equal = append(equal, b)
			}
			if b.Rounds != rounds || (b.Low != nil) != (rounds > 2) {
				t.Errorf("%d rounds: %+v", rounds, b)
			}
		}
		if len(article) != 4 || len(equal) != 2*4 || len(best) != 2 {
			t.Fatalf("%d as the article, %d at equal connections, %d of the best; want 4, 8 and 2", len(article), len(equal), len(best))
		}
		for _, b := range article {
			near(t, b.Test, *b.Ratio, 5*float64(min(b.Pipeline, 20)), 1e-9)
			// 18 of 20 queries are neither BEGIN nor COMMIT.
			near(t, b.Test+" without", *b.Without, *b.Ratio*20/18, 1e-3)
			if b.Script != "oltp_read_write" || b.Alike {
				t.Errorf("%+v", b)
			}
		}
		want := map[string]string{"GET": "oltp_point_select", "SET": "oltp_update_non_index"}
		for _, b := range slices.Concat(equal, best) {
			if b.Script != want[b.Test] || !b.Alike || b.Without != nil {
				t.Errorf("%s is set beside %s: %+v", b.Test, b.Script, b)
			}
		}
		for _, b := range equal {
			if b.Clients != b.Threads {
				t.Errorf("%d connections beside %d", b.Clients, b.Threads)
			}
		}
		for _, b := range best {
			near(t, b.Test, *b.Ratio, 4, 1e-9)
			if b.Clients != 16 || b.Threads != 4 || !slices.Equal(b.Sweep, []int{1, 4, 16, 64}) || !slices.Equal(b.MySQLSweep, b.Sweep) {
				t.Errorf("the best are %d and %d of %v and %v", b.Clients, b.Threads, b.Sweep, b.MySQLSweep)
			}
		}
	}
}

func TestDurabilityLevelsAreSetBesideTheirLike(t *testing.T) {
	facts := map[string]host.Facts{
		"native": {"redis.persistence": "none"}, "native-aof-always": {"redis.persistence": "aof-always"}, "native-aof-everysec": {"redis.persistence": "aof-everysec"},
		"mysql": {"mysql.innodb_flush_log_at_trx_commit": "1"}, "mysql-flush-2": {"mysql.innodb_flush_log_at_trx_commit": "2"}, "mysql-flush-0": {"mysql.innodb_flush_log_at_trx_commit": "0"},
	}
	r := preset(t, 1, func(p *plan.Plan) {
		if err := p.SetAll([]string{"modes=native,native:aof-always,native:aof-everysec,mysql,mysql:flush-2,mysql:flush-0"}); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
	}, facts)
	var pairs [][2]string
	for _, b := range BaselineRatios(r, "") {
		if pair := [2]string{b.Redis, b.MySQL}; !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	want := [][2]string{{"native", "mysql"}, {"native", "mysql-flush-0"}, {"native-aof-always", "mysql"}, {"native-aof-everysec", "mysql-flush-2"}}
	if !slices.Equal(pairs, want) {
		t.Errorf("the pairs are %v, want %v", pairs, want)
	}
}

func TestAClientThatWasTheLimitIsToldOfItsOwnSide(t *testing.T) {
	r := preset(t, 3, nil, nil)
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Service == plan.Redis && s.Round < 3 {
			s.Flags = []string{result.FlagClientBound}
		}
	}
	for _, b := range BaselineRatios(r, "") {
		if !b.RedisBound || b.MySQLBound {
			t.Fatalf("%+v", b)
		}
	}
}

func TestRatesAreCellsOfTheirOwnAndNotInTheMeanOfAllTests(t *testing.T) {
	p := plan.Plan{Name: "rates", Rounds: 3, Variants: []plan.Variant{{Label: "native", Placement: plan.Native}, {Label: "pinned", Placement: plan.Pinned}},
		Loads: []plan.Load{{Tests: []string{"SET"}, Rates: []int{0, 1000, 2000}, Seconds: 1}}}
	p.Complete()
	r := simulated.Of(p, func(v plan.Variant, w plan.Workload, round int) float64 {
		if w.Rate > 0 {
			return float64(w.Rate)
		}
		if v.Label == "pinned" {
			return 5000
		}
		return 10_000
	}, nil)
	rows := Compare(r, "")
	if len(rows) != 4 || len(Summarize(r, "")) != 6 {
		t.Fatalf("%d comparisons and %d rows of 2 variants at 3 rates", len(rows), len(Summarize(r, "")))
	}
	near(t, "mean of all tests", *rows[0].Ratio, 0.5, 1e-9)
	near(t, "at 1000/s", *rows[2].Ratio, 1, 1e-9)
}
