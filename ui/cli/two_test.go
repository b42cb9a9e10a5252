package cli

import (
	"bufio"
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/result"
)

func TestTwoBerthsAtOnceWarnAndDoNotDisturbEachOthersServers(t *testing.T) {
	need.Redis(t)
	need.Linux(t)
	args := func(out string) []string {
		return []string{"run", "--set", "modes=native", "--set", "tests=SET,GET", "--set", "rounds=3", "--set", "seconds=0.4", "--out", out}
	}
	outs := []string{t.TempDir(), t.TempDir()}
	first := process(t, asBerth, args(outs[0])...)
	stderr, err := first.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Round 1") {
	}
	second := process(t, asBerth, args(outs[1])...)
	second.Env = first.Env // one user's two Berths
	var told [2]bytes.Buffer
	second.Stderr = &told[1]
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		told[0].WriteString(lines.Text() + "\n")
	}
	for i, c := range []*exec.Cmd{first, second} {
		if err := c.Wait(); err != nil {
			t.Fatalf("Berth %d: %v: %s", i+1, err, told[i].String())
		}
		if n := strings.Count(told[i].String(), "another Berth (pid"); n != 1 {
			t.Errorf("Berth %d warned %d times: %s", i+1, n, told[i].String())
		}
		r, err := result.Open(outs[i])
		if err != nil {
			t.Fatal(err)
		}
		flagged := 0
		for j := range r.Samples {
			if slices.Contains(r.Samples[j].Flags, result.FlagOther) {
				flagged++
			}
		}
		if len(r.Samples) != 6 || len(r.Failures) > 0 || len(r.Servers) != 3 {
			t.Errorf("Berth %d was disturbed: %d samples, %d servers, failures %v", i+1, len(r.Samples), len(r.Servers), r.Failures)
		}
		if flagged < 2 {
			t.Errorf("Berth %d: %d samples are flagged", i+1, flagged)
		}
	}
}

func TestABerthAloneWarnsOfNoOther(t *testing.T) {
	need.Redis(t)
	need.Linux(t)
	c := process(t, asBerth, "run", "--set", "modes=native", "--set", "tests=SET", "--set", "rounds=1", "--set", "seconds=0.1", "--out", t.TempDir())
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil || strings.Contains(stderr.String(), "another Berth") {
		t.Errorf("%v: %s", err, stderr.String())
	}
}
