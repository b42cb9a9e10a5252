package report

import (
	"slices"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// days are the same two variants on two days, the second at a share of the first's rate.
func days(rounds int, share float64) []*result.Run {
	speed := map[string]float64{"": share}
	a, b := two(rounds, "docker-nat", plan.DockerNAT, nil, "SET", "GET"), two(rounds, "docker-nat", plan.DockerNAT, speed, "SET", "GET")
	a.ID, b.ID = "monday", "friday"
	return []*result.Run{a, b}
}

func TestFindingsBetweenRunsNameModeAndRun(t *testing.T) {
	fs := RunFindings(days(6, 0.8))
	if got, want := kinds(fs), []string{KindSlower, KindRunsNone}; !slices.Equal(got, want) {
		t.Fatalf("findings %v, want %v\n%s", got, want, english(fs))
	}
	s := fs[0].Text(text.For("en"))
	if !strings.HasPrefix(s, "Docker -p@friday serves 20% fewer requests than Docker -p@monday over 2 tests (95% interval ") &&
		!strings.HasPrefix(s, "Docker -p@friday serves 19") && !strings.HasPrefix(s, "Docker -p@friday serves 21") {
		t.Errorf("the finding reads %q", s)
	}
	if s := fs[1].Text(text.For("en")); !strings.Contains(s, "Native process@friday: no difference from Native process@monday detectable") || !strings.Contains(s, "these runs could have shown a loss of") {
		t.Errorf("the finding reads %q", s)
	}
}

func TestWhatSpoilsAComparisonOfRunsIsSaidFirst(t *testing.T) {
	runs := days(6, 0.8)
	runs[1].Sessions[0].Facts["cpu.model"] = "Another CPU"
	s := RunFindings(runs)[0].Text(text.For("en"))
	if !strings.Contains(s, "not of one machine") || !strings.Contains(s, "cpu.model") {
		t.Errorf("the first finding is %q", s)
	}
}

func TestFindingsBetweenRunsUseTheUsersNames(t *testing.T) {
	runs := days(6, 0.8)
	runs[1].Edits = map[string]string{"name:docker-nat": "Published port"}
	if s := english(RunFindings(runs)); !strings.Contains(s, "Published port@friday serves") {
		t.Errorf("findings\n%s", s)
	}
}

func TestFindingsBetweenRunsAreInEveryLanguage(t *testing.T) {
	stranger := two(3, "b", plan.DockerHost, nil, "INCR")
	stranger.ID = "other"
	for _, runs := range [][]*result.Run{days(6, 0.8), days(2, 0.8), days(6, 1.2), days(6, 2.5), {days(6, 1)[0], stranger}} {
		for _, f := range RunFindings(runs) {
			english := f.Text(text.For("en"))
			for _, lang := range text.Languages {
				s := f.Text(text.For(lang))
				if s == "" || strings.Contains(s, "report.") || strings.Contains(s, "stats.") || strings.Contains(s, "no value") || lang != "en" && s == english {
					t.Errorf("%s, %s: %q", lang, f.Kind, s)
				}
			}
		}
	}
}

func TestAComparisonOfRunsIsWrittenWhole(t *testing.T) {
	runs := days(6, 0.8)
	runs[1].Sessions[0].Facts["cpu.model"] = "Another | CPU"
	for _, lang := range text.Languages {
		var out strings.Builder
		if err := RunsMarkdown(&out, runs, text.For(lang)); err != nil {
			t.Fatal(err)
		}
		at := -1
		for _, want := range []string{"monday, friday", `| cpu.model | `, `Another \| CPU`, "- ", "@friday", "| SET |"} {
			i := strings.Index(out.String()[at+1:], want)
			if i < 0 {
				t.Fatalf("%s: no %q after byte %d:\n%s", lang, want, at, out.String())
			}
			at += 1 + i
		}
	}
	if rows := strings.Split(strings.TrimSpace(RunsTSV(runs, text.For("en"))), "\n"); len(rows) != 1+2*2*2 {
		t.Errorf("%d lines of TSV, want a header and 8", len(rows))
	}
}
