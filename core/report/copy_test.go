package report

import (
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/text"
)

func TestEnvironmentAndMethodAreTextToPaste(t *testing.T) {
	r := fiveRun(6, "SET")
	got := Environment(r, text.For("en"))
	for _, wanted := range []string{"Test environment\ncpu.count: 8\n", "path, Docker -p: docker-nat\n", "redis.version: 7.0.15\n", "no append-only file"} {
		if !strings.Contains(got, wanted) {
			t.Errorf("no %q in\n%s", wanted, got)
		}
	}
	if m := Method(r, text.For("zh-Hans")); !strings.HasPrefix(m, "共 6 轮") || strings.Count(m, "\n") != 9 {
		t.Errorf("the method reads\n%s", m)
	}
}

func TestTableToPasteHasARowAVariantAndNoFormula(t *testing.T) {
	r := two(6, "=1+1", plan.DockerHost, map[string]float64{"": 0.5}, "SET")
	tsv := SummaryTSV(r, text.For("en"))
	lines := strings.Split(strings.TrimSuffix(tsv, "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "'=1+1\tSET\t6\t") || strings.Count(lines[2], "\t") != strings.Count(lines[0], "\t") {
		t.Errorf("the table reads\n%s", tsv)
	}
	md := SummaryMarkdown(r, text.For("en"))
	if lines := strings.Split(strings.TrimSuffix(md, "\n"), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[3], `| \=1+1 | SET | 6 |`) {
		t.Errorf("the table reads\n%s", md)
	}
}
