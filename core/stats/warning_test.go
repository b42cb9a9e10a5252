package stats

import (
	"math"
	"strings"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

func warning(t *testing.T, r *result.Run, kind string) (Warning, bool) {
	t.Helper()
	for _, w := range Warnings(r) {
		if w.Kind == kind {
			return w, true
		}
	}
	return Warning{}, false
}

func TestCalmRunHasNoWarnings(t *testing.T) {
	if ws := Warnings(five(6, "SET", "GET")); len(ws) > 0 {
		t.Errorf("a calm run has warnings %v", ws)
	}
}

func TestDriftIsToldWithItsSize(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 2, Rounds: 8, Variants: simulated.Five()[:2], SampleNoise: 0.005, Drift: -0.6})
	w, ok := warning(t, r, WarnDrift)
	if !ok || len(w.Variants) != 2 || w.Args["Way"] != "fell" || w.Args["Percent"] != "42" {
		t.Errorf("drift of about 45%%: %+v", w)
	}
}

func TestOutlierIsFlaggedAndStaysInTheFigures(t *testing.T) {
	r := built([]float64{100, 101, 99, 100, 102, 98}, []float64{50, 51, 49, 50, 20, 49})
	w, ok := warning(t, r, FlagOutlier)
	if !ok || w.Samples != 1 || w.Variants[0] != "b" || w.Args["Test"] != "SET" || w.Args["Round"] != 5 {
		t.Errorf("warning %+v", w)
	}
	if c := row(t, r, "b", "SET"); c.Rounds != 6 {
		t.Errorf("the outlier's round was dropped: %d rounds", c.Rounds)
	}
}

func TestEveryFlagOfASampleIsAWarningWithItsVariantAndCount(t *testing.T) {
	for _, kind := range []string{result.FlagErrors, result.FlagClientBound, result.FlagSteal, result.FlagBusy, result.FlagCPUsShared,
		result.FlagTooShort, result.FlagNotFresh, result.FlagCarried, result.FlagPool, result.FlagReconnects, result.FlagMisses, result.FlagCut} {
		r := built([]float64{1, 1, 1}, []float64{1, 1, 1})
		r.Samples[1].Flags, r.Samples[3].Flags = []string{kind}, []string{kind}
		if w, ok := warning(t, r, kind); !ok || w.Samples != 2 || len(w.Variants) != 1 || w.Variants[0] != "b" {
			t.Errorf("%s: %+v", kind, w)
		}
	}
}

func TestConnectionTrackingOnLoopbackIsTold(t *testing.T) {
	for fact, want := range map[string]bool{"yes": true, "no": false, "": false} {
		r := built([]float64{1, 1, 1}, []float64{1, 1, 1})
		r.Sessions = []result.SessionEvent{{Rounds: 3, Facts: host.Facts{"net.loopback_conntrack": fact}}}
		if _, ok := warning(t, r, WarnConntrack); ok != want {
			t.Errorf("%q: told %v, want %v", fact, ok, want)
		}
	}
}

func TestFailuresAndMissingRoundsAreTold(t *testing.T) {
	r := built([]float64{1, 1, 1}, []float64{1, 1, 1})
	r.Failures = []result.FailureEvent{{Variant: "b", Text: "it died"}}
	r.Sessions = []result.SessionEvent{{Rounds: 3}, {Rounds: 2}}
	if w, ok := warning(t, r, WarnFailures); !ok || w.Variants[0] != "b" {
		t.Errorf("failure: %+v", w)
	}
	if w, ok := warning(t, r, WarnStopped); !ok || w.Args["Done"] != 3 || w.Args["Planned"] != 5 {
		t.Errorf("missing rounds: %+v", w)
	}
}

func TestEveryWarningHasASentenceInEveryLanguage(t *testing.T) {
	kinds := append([]string{WarnDrift, WarnFailures, WarnStopped, WarnConntrack}, flagKinds...)
	for _, lang := range text.Languages {
		c := text.For(lang)
		for _, kind := range kinds {
			for _, n := range []int{1, 3} {
				w := Warning{Kind: kind, Variants: []string{"a", "b"}, Samples: n, Args: text.Args{"Percent": "5", "Way": "fell", "Done": 1, "Planned": 2, "Begun": 2, "Taken": 3, "Wanted": 8, "Share": "99.7%", "First": "OOM", "Test": "SET", "Round": 4}}
				s := w.Text(c, func(label string) string { return "<" + label + ">" })
				if strings.Contains(s, "stats.") || strings.Contains(s, "no value") || len(s) < 10 {
					t.Errorf("%s, %s: %q", lang, kind, s)
				}
				if lang != "en" && s == w.Text(text.For("en"), func(label string) string { return "<" + label + ">" }) {
					t.Errorf("%s, %s is not translated", lang, kind)
				}
			}
		}
	}
}

func TestPathShareFindsTheProxysPart(t *testing.T) {
	r := simulated.Run(simulated.Options{Seed: 4, Rounds: 8, Variants: simulated.Five(), Tests: []string{"SET", "GET"}, SampleNoise: 0.01})
	shares := PathShares(r)
	if len(shares) != 3 {
		t.Fatalf("%d shares, want one overall and one for each test", len(shares))
	}
	// ln(0.88/0.46) ÷ ln(1/0.46)
	const want = 0.8354
	for _, s := range shares {
		if !(s.Low < want && want < s.High) || s.High-s.Low > 0.3 || s.Rounds != 8 || s.ProxyCPU == nil || *s.ProxyCPU != 130 {
			t.Errorf("share %+v misses %v", s, want)
		}
	}
}

// Noise may lead beyond a whole: then it is all of it, unless the interval holds no part of a whole, or all.
func TestPathSharesOutsideAWholeCannotBeToldApart(t *testing.T) {
	for _, c := range []struct {
		share     PathShare
		apart     bool
		low, high float64
	}{
		{PathShare{Share: 0.88, Low: 0.69, High: 1.08}, true, 0.69, 1},
		{PathShare{Share: 0.1, Low: -0.1, High: 0.3}, true, 0, 0.3},
		{PathShare{Share: 0.5, Low: -0.1, High: 1.1}, false, 0, 1},
		{PathShare{Share: -0.12, Low: -0.4, High: 0.16}, true, 0, 0.16},
		{PathShare{Share: 1.2, Low: 0.9, High: 1.5}, true, 0.9, 1},
		{PathShare{Share: 1.3, Low: 1.1, High: 1.6}, false, 1, 1},
		{PathShare{Share: -0.5, Low: -0.9, High: -0.1}, false, 0, 0},
		{PathShare{Share: 0.5, Low: math.Inf(-1), High: math.Inf(1)}, false, 0, 1},
	} {
		low, high := c.share.Bounds()
		if c.share.Apart() != c.apart || low != c.low || high != c.high {
			t.Errorf("%+v: apart %v, bounds %v to %v", c.share, c.share.Apart(), low, high)
		}
	}
}

func TestPathShareNeedsAllThreePlacementsAndALoss(t *testing.T) {
	without := simulated.Run(simulated.Options{Seed: 4, Rounds: 6, Variants: simulated.Five()[:3]})
	equal := simulated.Run(simulated.Options{Seed: 4, Rounds: 6, SampleNoise: 0.02, Variants: []simulated.Variant{
		{Label: "native", Placement: plan.Native}, {Label: "direct", Placement: plan.DockerDirect}, {Label: "nat", Placement: plan.DockerNAT}}})
	for name, r := range map[string]*result.Run{"without docker-direct": without, "without a loss": equal} {
		if s := PathShares(r); s != nil {
			t.Errorf("%s: %v", name, s)
		}
	}
}

// A server refuses faster than it serves.
func TestRefusalsWinNothingAndAreTold(t *testing.T) {
	r := built([]float64{100, 101, 99, 100, 102, 98}, []float64{300, 310, 305, 300, 299, 301})
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Variant == "b" {
			s.Requests = 100_000
			s.Errors, s.Flags = 99_700, []string{result.FlagErrors}
			s.FirstErrors = map[string]string{"OOM": "OOM command not allowed"}
		}
	}
	for _, c := range Compare(r, "") {
		if c.Verdict == result.Faster || c.Ratio != nil {
			t.Errorf("%s %s: %s", c.A, c.Test, c.Verdict)
		}
	}
	w, ok := warning(t, r, WarnRefused)
	if !ok || w.Samples != 6 || w.Args["Share"] != "99.7%" || w.Args["First"] != "OOM command not allowed" {
		t.Errorf("%+v", w)
	}
	for i := range r.Samples {
		r.Samples[i].Errors /= 100 // 0.997%
	}
	if _, told := warning(t, r, WarnRefused); told {
		t.Error("fewer than one in a hundred are left out")
	}
	if w, _ := warning(t, r, result.FlagErrors); w.Samples != 6 || w.Args["Share"] != "1.0%" {
		t.Errorf("%+v", w)
	}
}
