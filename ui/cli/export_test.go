package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// measured is a run on disk.
func measured(t *testing.T) (core *fakeCore, run string) {
	t.Helper()
	core = newCore(t)
	run = t.TempDir()
	if s := berth(t, core, "run", "--set", "tests=SET,GET", "--set", "rounds=6", "--out", run); s.code != exitDone {
		t.Fatal(s.err)
	}
	return core, run
}

func TestEveryFormatIsExported(t *testing.T) {
	core, run := measured(t)
	begins := map[string]string{
		"csv": "run,round,variant,", "summary-csv": "variant,service,placement,", "comparisons-csv": "a,b,metric,",
		"json": "{", "png": "\x89PNG\r\n", "svg": "<", "html": "<!", "md": "#",
	}
	for _, format := range formatNames {
		path := filepath.Join(t.TempDir(), "file")
		s := berth(t, core, "export", run, "--format", format, "-o", path)
		if s.code != exitDone {
			t.Errorf("%s: exit code %d: %s", format, s.code, s.err)
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(strings.TrimSpace(string(raw)), strings.TrimSpace(begins[format])) {
			t.Errorf("%s begins with %.20q", format, raw)
		}
		if s := berth(t, core, "export", run, "--format", format, "-o", "-"); s.out != string(raw) {
			t.Errorf("%s: standard output differs from the file", format)
		}
	}
}

func TestExportedJSONHasTheCSVsColumns(t *testing.T) {
	core, run := measured(t)
	var d document
	if err := json.Unmarshal([]byte(berth(t, core, "export", run, "--format", "json", "-o", "-").out), &d); err != nil {
		t.Fatal(err)
	}
	table, err := csv.NewReader(strings.NewReader(berth(t, core, "export", run, "--format", "csv", "-o", "-").out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Samples) != len(table)-1 {
		t.Fatalf("%d samples in JSON, %d in CSV", len(d.Samples), len(table)-1)
	}
	for _, column := range table[0] {
		if _, ok := d.Samples[0][column]; !ok {
			t.Errorf("JSON lacks %s", column)
		}
	}
	if rps, ok := d.Samples[0]["rps"].(float64); !ok || rps <= 0 {
		t.Errorf("rps is %v, not a number above 0", d.Samples[0]["rps"])
	}
	if unknown, ok := d.Samples[0]["transactions"]; !ok || unknown != nil {
		t.Errorf("what is not known is %v, not null", unknown)
	}
	if len(d.Summary) == 0 || len(d.Comparisons) == 0 {
		t.Errorf("%d rows of summary, %d of comparisons", len(d.Summary), len(d.Comparisons))
	}
}

func TestExportNeverOverwritesUnlessForced(t *testing.T) {
	core, run := measured(t)
	path := filepath.Join(t.TempDir(), "file.csv")
	write(t, path, "somebody's")
	if s := berth(t, core, "export", run, "--format", "csv", "-o", path); s.code != exitUnusable || !strings.Contains(s.err, "--force") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if raw, _ := os.ReadFile(path); string(raw) != "somebody's" {
		t.Fatal("the file was overwritten")
	}
	if s := berth(t, core, "export", run, "--format", "csv", "-o", path, "--force"); s.code != exitDone {
		t.Fatal(s.err)
	}
	if raw, _ := os.ReadFile(path); string(raw) == "somebody's" {
		t.Error("--force did not replace the file")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files are left beside the export", len(entries)-1)
	}
}

func TestUnusableExports(t *testing.T) {
	core, run := measured(t)
	out := filepath.Join(t.TempDir(), "x")
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no run":           {[]string{"--format", "csv", "-o", out}, "berth export RUN"},
		"no such run":      {[]string{"nowhere", "--format", "csv", "-o", out}, "no run nowhere"},
		"no format":        {[]string{run, "-o", out}, "summary-csv"},
		"unknown format":   {[]string{run, "--format", "pdf", "-o", out}, "no format pdf"},
		"no file":          {[]string{run, "--format", "csv"}, "-o PATH"},
		"unknown figure":   {[]string{run, "--format", "png", "--figure", "pie", "-o", out}, "no chart pie"},
		"unknown language": {[]string{run, "--format", "md", "--lang", "fr", "-o", out}, "en, zh-Hans, zh-Hant"},
		"unwritable":       {[]string{run, "--format", "csv", "-o", filepath.Join(out, "y")}, "cannot be written"},
	} {
		s := berth(t, core, append([]string{"export"}, c.args...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, c.says) {
			t.Errorf("%s: exit code %d: %s", name, s.code, s.err)
		}
	}
}
