package report

import (
	"strings"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// answered is a run of redis-vs-mysql in which Redis answers 5 (pipeline 1) or 100 times as much
// as MySQL, and like for like 4 times: at 16 connections, MySQL at 64.
func answered(t *testing.T, rounds int) *result.Run {
	t.Helper()
	p, err := plan.Preset("redis-vs-mysql")
	if err != nil {
		t.Fatal(err)
	}
	p.Rounds = rounds
	return simulated.Of(p, func(v plan.Variant, w plan.Workload, round int) float64 {
		rate := 10_000.0 + 100*float64(round)
		switch {
		case w.Test == "oltp_read_write":
			return 2 * rate
		case v.Service == plan.MySQL:
			return rate * map[int]float64{1: 0.5, 4: 1, 16: 1.5, 64: 2}[w.Clients]
		case w.Load == "as-the-article":
			return rate * float64(10*min(w.Pipeline, 20))
		}
		return rate * map[int]float64{1: 1, 4: 4, 16: 8, 64: 7}[w.Clients]
	}, map[string]host.Facts{"native": {"redis.persistence": "none"}, "mysql": {"mysql.innodb_flush_log_at_trx_commit": "1"}})
}

func TestBothAnswersAreSaidAndNeverMixed(t *testing.T) {
	r := answered(t, 3)
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Service == plan.Redis && s.Workload.Load == "like-for-like" {
			s.Flags = []string{result.FlagClientBound}
		}
	}
	fs := Findings(r, "")
	if fs[0].Kind != KindAnswers {
		t.Errorf("the first finding is %s", fs[0].Kind)
	}
	said := english(fs)
	for _, want := range []string{
		"As the article measures it, Redis (Native process) answers 5.0 to 100 times as many requests as MySQL answers queries; like for like, each at its best, 4.0 times (3 rounds).",
		"As the article: Redis (Native process) answers 5.0 times as many SET -d 3 -P 1 -c 50 requests as MySQL answers oltp_read_write queries (95% interval 5.0 to 5.0, 3 rounds); 5.6 times if BEGIN and COMMIT are not counted as queries.",
		"Like for like: Redis (Native process) is best at 16 connections, MySQL at 64; there Redis answers 4.0 times as many GET requests as MySQL answers oltp_point_select queries",
		"Redis could have done more: its load client was the limit. No more connections were tried for MySQL: more might serve it better.",
		"Like for like: at equal numbers of connections Redis (Native process) answers 2.0 times (GET -d 120 -P 1 -c 1) to 5.3 times",
		"What each promises of a write: Native process: no snapshots and no append-only file; a crash loses everything written. MySQL: InnoDB writes and syncs its log at every commit",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("not said: %s\n%s", want, said)
		}
	}
	for _, wrong := range []string{"SET -d 120 -P 1 -c 50", "serves", "carries out"} {
		if strings.Contains(said, wrong) {
			t.Errorf("said, though it tells nothing: %s", wrong)
		}
	}
	if strings.Contains(english(Findings(answered(t, 2), "")), "interval") {
		t.Error("two rounds have an interval")
	}
	for _, lang := range []string{"zh-Hans", "zh-Hant"} {
		for _, f := range fs {
			if s := f.Text(text.For(lang)); strings.Contains(s, "<no value>") || strings.Contains(s, "report.") {
				t.Errorf("%s: %s", lang, s)
			}
		}
	}
}

func TestTheReportTellsLoadsApart(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, answered(t, 3), text.For("en")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"As the article: load of Redis", "Like for like: load of MySQL", "Like for like, each at its best", "| Load "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}
