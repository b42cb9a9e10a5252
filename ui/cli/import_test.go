package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/result"
)

func TestImportMakesARunOfOtherToolsOutput(t *testing.T) {
	dir := t.TempDir()
	native, docker, out := filepath.Join(dir, "native.txt"), filepath.Join(dir, "docker.txt"), filepath.Join(dir, "run")
	write := func(path, content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(native, "SET: 100000.00 requests per second\n")
	write(docker, "SET: 50000.00 requests per second\n")
	core := newCore(t)
	s := berth(t, core, "import", native, docker, "-d", "100", "-P", "1", "-c", "50", "-o", out)
	if s.code != exitDone {
		t.Fatal(s.err)
	}
	for _, want := range []string{"100 bytes, pipeline 1, 50 clients", "SET   100,000  50,000 (0.50)", "were reported by other tools", "in one round: too few for a verdict"} {
		if !strings.Contains(s.out, want) {
			t.Errorf("no %q in\n%s", want, s.out)
		}
	}
	for _, name := range []string{result.LogName, samplesFile, "summary.csv", "comparisons.csv", "report.html", "report.md", "throughput.png", "throughput.svg"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
	samples, err := os.ReadFile(filepath.Join(out, samplesFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := ",1,native,redis,,SET,100,1,50,,,,,,100000.00,,,,,,,,,,,,,,redis-benchmark,,imported\n"; !strings.Contains(string(samples), want) {
		t.Errorf("no %q in\n%s", want, samples)
	}

	if s := berth(t, core, "import", native, "-o", out); s.code != exitUnusable || !strings.Contains(s.err, "--force") {
		t.Errorf("over what is there: %d, %s", s.code, s.err)
	}
	if s := berth(t, core, "import", native, "-o", out, "--force"); s.code != exitDone {
		t.Errorf("over what is there with --force: %d, %s", s.code, s.err)
	}
	if s := berth(t, core, "run", "--continue", out, "--rounds", "1"); s.code != exitUnusable || !strings.Contains(s.err, "was read in from "+native) {
		t.Errorf("continued: %d, %s", s.code, s.err)
	}
	if s := berth(t, core, "export", out, "--format", "md", "-o", filepath.Join(dir, "r.md")); s.code != exitDone {
		t.Errorf("exported: %d, %s", s.code, s.err)
	}

	log := filepath.Join(dir, "alone.jsonl")
	if s := berth(t, core, "import", docker, "-o", log); s.code != exitDone {
		t.Fatalf("%d, %s", s.code, s.err)
	}
	if s := berth(t, core, "import", docker, "-o", log); s.code != exitUnusable {
		t.Errorf("over a log: %d, %s", s.code, s.err)
	}
	if s := berth(t, core, "compare", log, out); s.code != exitUnusable { // unlike labels, one each: of unknown payload, so no test in common
		if !strings.Contains(s.err, "were reported by other tools and read in") {
			t.Errorf("compared: %d, %s", s.code, s.err)
		}
	}
}

func TestImportSaysWhatItCannotUse(t *testing.T) {
	dir := t.TempDir()
	prose := filepath.Join(dir, "prose.txt")
	if err := os.WriteFile(prose, []byte("SETs are fast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "run")
	for want, args := range map[string][]string{
		"holds no output of redis-benchmark": {prose, "-o", out},
		"-o RUN":                             {prose},
		"cannot be read; name a file":        {filepath.Join(dir, "none.txt"), "-o", out},
		"are numbers above 0":                {prose, "-d", "-1", "-o", out},
		"berth import FILE... -o RUN":        {"-o", out},
	} {
		if s := berth(t, newCore(t), append([]string{"import"}, args...)...); s.code != exitUnusable || !strings.Contains(s.err, want) {
			t.Errorf("%q: %d, %s", args, s.code, s.err)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was left")
	}
}
