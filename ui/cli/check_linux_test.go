package cli

import (
	"regexp"
	"strings"
	"testing"

	"berth/core/need"
)

func TestCheckPrintsBothToolsAndWhatLimitedThem(t *testing.T) {
	need.Redis(t)
	need.RedisBenchmark(t)
	core, run := measured(t)
	s := berth(t, core, "check", run, "--mode", "native", "--test", "SET")
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	line := regexp.MustCompile(`(?m)^(Berth|redis-benchmark)\t[0-9]+ \([0-9]+–[0-9]+\)\t[0-9]+%\t[0-9]+\.[0-9]{2}\t[0-9]+%\t`)
	if got := line.FindAllString(s.out, -1); len(got) != 2 {
		t.Errorf("prints\n%s", s.out)
	}
	for _, c := range []struct{ args, says string }{{"--mode nosuch", "native"}, {"--test LPOP", "choose another"}} {
		s := berth(t, core, append([]string{"check", run}, strings.Fields(c.args)...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, c.says) {
			t.Errorf("%s: exit code %d: %s", c.args, s.code, s.err)
		}
	}
}
