package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/result"
)

func TestRunPrintsTablesAndTellsProgressApart(t *testing.T) {
	core := newCore(t)
	out := filepath.Join(t.TempDir(), "out")
	s := berth(t, core, "run", "--preset", "quick", "--set", "payload=100,500", "--set", "rounds=3", "--out", out)
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	tables, findings := split(s.out)
	golden(t, "run.out", tables)
	golden(t, "run.err", withoutTimes(strings.ReplaceAll(s.err, out, "OUT")))
	if !strings.Contains(findings, "- ") {
		t.Errorf("no finding is printed below the tables:\n%s", s.out)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if known, err := exports(out); err != nil || len(known) != len(entries) {
		t.Errorf("of %d files written only %v would be in a next run's way (%v)", len(entries), known, err)
	}
	kept, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Samples) != 4*4*2*3 {
		t.Errorf("the log in --out has %d samples", len(kept.Samples))
	}
}

func TestRunSpeaksChinese(t *testing.T) {
	s := berthIn(t, "zh-Hans", newCore(t), "run", "--set", "rounds=2", "--set", "tests=SET", "--out", t.TempDir())
	tables, _ := split(s.out)
	golden(t, "run.zh-Hans.out", tables)
}

// split parts the tables from the findings, whose sentences are package report's.
func split(out string) (tables, findings string) {
	if i := strings.Index(out, "\n- "); i >= 0 {
		return out[:i+1], out[i+1:]
	}
	return out, ""
}

func TestAPresetLeavesOutWhatCannotRunHere(t *testing.T) {
	core := newCore(t).withoutDocker()
	s := berth(t, core, "run", "--preset", "quick", "--out", t.TempDir())
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	if !strings.Contains(s.err, "docker-nat is left out: Docker answers, but not to you") {
		t.Errorf("it is not said that docker-nat is left out:\n%s", s.err)
	}
	if strings.Contains(s.out, "docker") || !strings.Contains(s.out, "pinned") {
		t.Errorf("the table has other modes than ran:\n%s", s.out)
	}
}

func TestAModeThatWasNamedIsNotLeftOut(t *testing.T) {
	planFile := filepath.Join(t.TempDir(), "plan.toml")
	write(t, planFile, "rounds = 2\n[load]\ntests = [\"SET\"]\nseconds = 0.5\n[[variant]]\nplacement = \"docker-nat\"\n")
	for name, args := range map[string][]string{
		"a plan's mode": {"--plan", planFile},
		"a --set mode":  {"--set", "modes=native,docker-nat"},
	} {
		core := newCore(t).withoutDocker()
		out := filepath.Join(t.TempDir(), "out")
		s := berth(t, core, append([]string{"run", "--out", out}, args...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, "sudo usermod -aG docker $USER") {
			t.Errorf("%s: exit code %d: %s", name, s.code, s.err)
		}
		if core.started != nil {
			t.Errorf("%s: something was started", name)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a folder was made for nothing", name)
		}
	}
}

func TestNothingStartsOnUnusableArguments(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "not a folder")
	full := filepath.Join(dir, "full")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(full, "samples.csv"), "somebody's\n")
	badPlan := filepath.Join(dir, "plan.toml")
	write(t, badPlan, "rounds = 2\n[load]\ntests = [\"NOPE\"]\nseconds = 1\nclients = [0]\n[[variant]]\nplacement = \"native\"\n")
	unknownKey := filepath.Join(dir, "key.toml")
	write(t, unknownKey, "rounds = 2\nroundz = 3\n")

	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no folder":           {[]string{"run"}, "--out DIR"},
		"unknown command":     {[]string{"rum"}, "no command rum"},
		"unknown flag":        {[]string{"run", "--frob"}, "--frob"},
		"an argument":         {[]string{"run", "quick", "--out", dir}, "berth run"},
		"unknown preset":      {[]string{"run", "--preset", "fast", "--out", dir}, "quick, docker-network, payload"},
		"preset and plan":     {[]string{"run", "--preset", "quick", "--plan", badPlan, "--out", dir}, "exclude each other"},
		"no such plan":        {[]string{"run", "--plan", filepath.Join(dir, "none"), "--out", dir}, "no such file"},
		"unknown test":        {[]string{"run", "--plan", badPlan, "--out", dir}, "line 3: load.tests"},
		"0 clients":           {[]string{"run", "--plan", badPlan, "--out", dir}, "line 5: load.clients"},
		"unknown plan key":    {[]string{"run", "--plan", unknownKey, "--out", dir}, "line 2: roundz"},
		"0 clients set":       {[]string{"run", "--set", "clients=0", "--out", dir}, "load.clients"},
		"0 seconds":           {[]string{"run", "--set", "seconds=0", "--out", dir}, "seconds or requests"},
		"negative payload":    {[]string{"run", "--set", "payload=-1", "--out", dir}, "load.payload_bytes"},
		"enormous payload":    {[]string{"run", "--set", "payload=99999999999", "--out", dir}, "load.payload_bytes"},
		"unknown key set":     {[]string{"run", "--set", "colour=red", "--out", dir}, "colour"},
		"no value set":        {[]string{"run", "--set", "rounds", "--out", dir}, "KEY=VALUE"},
		"unknown mode":        {[]string{"run", "--set", "modes=native,moon", "--out", dir}, "moon"},
		"out is a file":       {[]string{"run", "--out", file}, "cannot be written to"},
		"out below a file":    {[]string{"run", "--out", filepath.Join(file, "x")}, "cannot be written to"},
		"files in the way":    {[]string{"run", "--out", full}, "--force"},
		"continue nothing":    {[]string{"run", "--continue", filepath.Join(dir, "none"), "--rounds", "2"}, "no run"},
		"continue no log":     {[]string{"run", "--continue", file, "--rounds", "2"}, "file"},
		"continue, no rounds": {[]string{"run", "--continue", file}, "--rounds N"},
		"continue 0 rounds":   {[]string{"run", "--continue", file, "--rounds", "0"}, "choose 1 to"},
		"continue and out":    {[]string{"run", "--continue", file, "--rounds", "1", "--out", dir}, "--out"},
		"rounds alone":        {[]string{"run", "--rounds", "3", "--out", dir}, "--set rounds=3"},
	} {
		core := newCore(t)
		s := berth(t, core, c.args...)
		if s.code != exitUnusable {
			t.Errorf("%s: exit code %d, want %d", name, s.code, exitUnusable)
		}
		if !strings.Contains(s.err, c.says) || !strings.HasPrefix(s.err, "berth: ") {
			t.Errorf("%s: %q does not say %q", name, s.err, c.says)
		}
		if s.out != "" {
			t.Errorf("%s: standard output has %q", name, s.out)
		}
		if core.started != nil {
			t.Errorf("%s: something was started", name)
		}
	}
	if raw, _ := os.ReadFile(filepath.Join(full, "samples.csv")); string(raw) != "somebody's\n" {
		t.Error("a file that was in the way was changed without --force")
	}
}

func TestForceReplacesARunsFilesAndNoOthers(t *testing.T) {
	out := t.TempDir()
	for _, name := range []string{result.LogName, "samples.csv", "throughput.png", "notes.txt"} {
		write(t, filepath.Join(out, name), "earlier")
	}
	s := berth(t, newCore(t), "run", "--set", "tests=SET", "--out", out, "--force")
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	if r, err := result.Open(out); err != nil || len(r.Samples) == 0 {
		t.Errorf("the log was not replaced: %v", err)
	}
	if raw, _ := os.ReadFile(filepath.Join(out, "notes.txt")); string(raw) != "earlier" {
		t.Error("a file that is no run's was changed")
	}
}

func TestAStoppedRunKeepsAndPrintsWhatWasMeasured(t *testing.T) {
	core := newCore(t)
	core.stopAt = 5
	out := t.TempDir()
	s := berth(t, core, "run", "--out", out)
	if s.code != exitFailed {
		t.Errorf("exit code %d, want %d", s.code, exitFailed)
	}
	if !strings.Contains(s.err, "berth: stopped; what was measured is kept (5 samples)") {
		t.Errorf("standard error has %q", s.err)
	}
	if !strings.Contains(s.out, "PING_INLINE") {
		t.Errorf("what was measured is not printed: %q", s.out)
	}
	if r, err := result.Open(out); err != nil || len(r.Samples) != 5 {
		t.Errorf("what was measured is not kept: %v", err)
	}
}

func TestContinueAddsRoundsToTheSameLog(t *testing.T) {
	core := newCore(t)
	out := t.TempDir()
	if s := berth(t, core, "run", "--set", "tests=SET", "--set", "rounds=2", "--out", out); s.code != exitDone {
		t.Fatal(s.err)
	}
	samples, err := os.ReadFile(filepath.Join(out, "samples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	s := berth(t, core, "run", "--continue", out, "--rounds", "3")
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	r, err := result.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if last := r.Samples[len(r.Samples)-1].Round; last != 5 || len(r.Samples) != 4*5 {
		t.Errorf("%d samples to round %d, want 20 to round 5", len(r.Samples), last)
	}
	after, err := os.ReadFile(filepath.Join(out, "samples.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(after) <= len(samples) {
		t.Error("the tables beside the log were not written anew")
	}
}

func TestAKeptRunIsFoundByItsID(t *testing.T) {
	core := newCore(t)
	if s := berth(t, core, "run", "--set", "tests=SET", "--set", "rounds=2", "--out", t.TempDir()); s.code != exitDone {
		t.Fatal(s.err)
	}
	csv := filepath.Join(t.TempDir(), "samples.csv")
	if s := berth(t, core, "export", "20261130-200000-quick-0001", "--format", "csv", "-o", csv); s.code != exitDone {
		t.Fatal(s.err)
	}
	if raw, _ := os.ReadFile(csv); !strings.HasPrefix(string(raw), "run,round,variant,") {
		t.Errorf("samples.csv begins with %.40q", raw)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAPlanOfOverAnHourIsStartedOnlyByYes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"run", "--set", "rounds=1000", "--set", "seconds=10", "--out", out}
	s := berth(t, newCore(t), args...)
	if s.code != exitUnusable || !strings.Contains(s.err, "more than an hour; say --yes") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("its folder was made all the same")
	}
	if s := berth(t, newCore(t), "run", "--set", "rounds=2", "--set", "seconds=3600", "--set", "tests=SET", "--yes", "--out", out); s.code != exitDone {
		t.Errorf("with --yes: exit code %d: %s", s.code, s.err)
	}
}
