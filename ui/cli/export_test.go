package cli

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/figure"
	"berth/core/host"
	"berth/core/report"
	"berth/core/result"
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
	var d struct{ Samples, Summary, Comparisons []map[string]any }
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
		"unknown theme":    {[]string{run, "--format", "png", "--theme", "pink", "-o", out}, "no theme pink"},
		"unknown metric":   {[]string{run, "--format", "svg", "--metric", "joy", "-o", out}, "no metric joy"},
		"too small":        {[]string{run, "--format", "png", "--size", "20x20", "-o", out}, "20 × 20 pixels at scale 1"},
		"too fine":         {[]string{run, "--format", "png", "--scale", "5", "-o", out}, "cannot draw at scale 5: there are scales from 1 to 4"},
		"unwritable":       {[]string{run, "--format", "csv", "-o", filepath.Join(out, "y")}, "cannot be written"},
	} {
		s := berth(t, core, append([]string{"export"}, c.args...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, c.says) {
			t.Errorf("%s: exit code %d: %s", name, s.code, s.err)
		}
	}
}

func export(t *testing.T, core *fakeCore, run string, args ...string) string {
	t.Helper()
	s := berth(t, core, append([]string{"export", run, "-o", "-"}, args...)...)
	if s.code != exitDone {
		t.Fatalf("%v: %s", args, s.err)
	}
	return s.out
}

func TestTablesForExcelBeginWithAByteOrderMarkAndOthersDoNot(t *testing.T) {
	core, run := measured(t)
	for _, format := range []string{"csv", "summary-csv", "comparisons-csv"} {
		plain := export(t, core, run, "--format", format)
		if strings.HasPrefix(plain, "\ufeff") || export(t, core, run, "--format", format, "--for-excel") != "\ufeff"+plain {
			t.Errorf("%s: the mark is not all that differs", format)
		}
	}
	if s := berth(t, core, "export", run, "--format", "html", "--for-excel", "-o", "-"); s.code != exitUnusable || !strings.Contains(s.err, "--for-excel") {
		t.Errorf("html for Excel: exit code %d: %s", s.code, s.err)
	}
}

func TestAllFiguresAreWrittenIntoAFolder(t *testing.T) {
	core, run := measured(t)
	r, err := result.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "charts", "of today")
	for _, format := range []string{"png", "svg"} {
		if s := berth(t, core, "export", run, "--format", format, "--figure", "all", "--theme", "print", "-o", dir); s.code != exitDone {
			t.Fatal(s.err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * len(figure.Names(r)); len(entries) != want || want < 10 {
		t.Errorf("%d files, want %d", len(entries), want)
	}
	path := filepath.Join(dir, "throughput.png")
	write(t, path, "somebody's")
	if s := berth(t, core, "export", run, "--format", "png", "--figure", "all", "-o", dir); s.code != exitUnusable || !strings.Contains(s.err, "--force") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if raw, _ := os.ReadFile(path); string(raw) != "somebody's" {
		t.Error("a file was replaced without --force")
	}
	if s := berth(t, core, "export", run, "--format", "png", "--figure", "all", "-o", dir, "--force"); s.code != exitDone {
		t.Error(s.err)
	}
}

func TestAFigureThatIsTooLargeForItsSizeIsToldAndLeftOut(t *testing.T) {
	core, run := measured(t)
	dir := filepath.Join(t.TempDir(), "charts")
	s := berth(t, core, "export", run, "--format", "png", "--figure", "all", "--size", "200x170", "-o", dir)
	if s.code != exitFailed || !strings.Contains(s.err, "is left out") || !strings.Contains(s.err, "could not be drawn so") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
}

func TestSizesOfExportedCharts(t *testing.T) {
	core, run := measured(t)
	for _, c := range []struct {
		args          []string
		width, height int    // 0: as needed
		perMetre      uint32 // pixels
	}{
		{[]string{"--size", "screen"}, 1280, 0, 3780},
		{[]string{"--size", "slide"}, 1920, 1080, 5669},
		{[]string{"--size", "column"}, 1891, 0, 11811},
		{[]string{"--size", "800x600"}, 800, 600, 3780},
		{[]string{"--size", "800x0", "--scale", "2"}, 1600, 0, 7559},
	} {
		raw := export(t, core, run, append([]string{"--format", "png"}, c.args...)...)
		img, err := png.DecodeConfig(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if img.Width != c.width || c.height > 0 && img.Height != c.height {
			t.Errorf("%v: %d × %d pixels", c.args, img.Width, img.Height)
		}
		physical := "pHYs" + string(binary.BigEndian.AppendUint32(nil, c.perMetre))
		if !strings.Contains(raw, physical) {
			t.Errorf("%v: not %d pixels a metre", c.args, c.perMetre)
		}
	}
}

func TestChartsShowWhatWasChosen(t *testing.T) {
	core, run := measured(t)
	chart := export(t, core, run, "--format", "svg", "--variants", "pinned,docker-nat", "--tests", "GET", "--reference", "pinned", "--metric", "p99", "--payload", "100")
	for text, want := range map[string]bool{"Docker -p": true, "Docker host network": false, ">GET<": true, ">SET<": false, "ms": true} {
		if strings.Contains(chart, text) != want {
			t.Errorf("%q in the chart: %v", text, !want)
		}
	}
	table := export(t, core, run, "--format", "comparisons-csv", "--reference", "docker-host")
	if !strings.Contains(table, "native,docker-host,rps") {
		t.Errorf("--reference is not that of the table:\n%s", table)
	}
}

func TestAModeIsChosenByTheNameThatTheUserGaveIt(t *testing.T) {
	core, run := measured(t)
	if s := berth(t, core, "edit", run, "--name", "docker-nat=Published port"); s.code != exitDone {
		t.Fatal(s.err)
	}
	args := []string{"--format", "svg", "--figure", "relative"}
	byLabel := export(t, core, run, append(args, "--variants", "docker-nat,docker-host", "--reference", "pinned")...)
	byName := export(t, core, run, append(args, "--variants", "Published port,Docker host network", "--reference", "Pinned CPU")...)
	if byLabel != byName || !strings.Contains(byName, "Published port") {
		t.Error("by names another chart is drawn than by labels")
	}
}

func TestOptionsOfChartsAreChecked(t *testing.T) {
	core, run := measured(t)
	for says, args := range map[string][]string{
		"no mode nobody":   {"--format", "svg", "--variants", "nobody"},
		"no test NOTHING":  {"--format", "svg", "--tests", "NOTHING"},
		"no mode other":    {"--format", "html", "--reference", "other"},
		"is no size":       {"--format", "png", "--size", "huge"},
		"belongs to chart": {"--format", "csv", "--theme", "dark"},
		"no payload of 999 bytes; choose from 100\n":               {"--format", "svg", "--payload", "999"},
		"--metric belongs to the chart throughput, not to latency": {"--format", "svg", "--figure", "latency", "--metric", "p99"},
		"cannot draw at scale 0":                                   {"--format", "svg", "--scale", "0"},
		"x.svg has the name of another format than png":            {"--format", "png", "-o", filepath.Join(t.TempDir(), "x.svg")},
		"x.CSV has the name of another format than html":           {"--format", "html", "-o", filepath.Join(t.TempDir(), "x.CSV")},
	} {
		if s := berth(t, core, append([]string{"export", run, "-o", "-"}, args...)...); s.code != exitUnusable || !strings.Contains(s.err, says) {
			t.Errorf("%v: exit code %d: %s", args, s.code, s.err)
		}
	}
	if s := berth(t, core, "export", run, "--format", "svg", "--figure", "all", "-o", "-"); s.code != exitUnusable {
		t.Errorf("all charts on standard output: exit code %d", s.code)
	}
}

// The whole way: a run of this machine, whose log has its paths and addresses.
func TestHiddenNamesAreInNoFileOfARun(t *testing.T) {
	names := report.MachineNames()
	core := newCore(t)
	core.facts = host.Facts{"data.folder": filepath.Join(names.Folders[0], "data"), "seen": strings.Join(names.Hosts, " ") + " 127.0.0.1:6379"}
	dir := filepath.Join(t.TempDir(), "out")
	if s := berth(t, core, "run", "--set", "tests=SET", "--set", "rounds=3", "--out", dir, "--hide-names"); s.code != exitDone {
		t.Fatal(s.err)
	}
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(raw)
	}
	if files[result.LogName] == "" {
		t.Error("the folder has no log")
	}
	kept := filepath.Join(core.folder, "20261130-200000-quick-0001")
	for _, format := range formatNames {
		files["exported "+format] = export(t, core, kept, "--format", format, "--hide-names")
	}
	// A bare / is no folder of anybody's, and root nobody's name.
	secrets := slices.DeleteFunc(append(names.Hosts, names.Folders...), func(s string) bool { return len(s) < 2 })
	for name, content := range files {
		if strings.HasPrefix(content, "\x89PNG") { // packed pixels may spell any short name
			content, _, _ = strings.Cut(content, "IDAT")
		}
		for _, secret := range append(secrets, "127.0.0.1") {
			if strings.Contains(content, secret) {
				t.Errorf("%s names %s", name, secret)
			}
		}
	}
	if raw := export(t, core, kept, "--format", "json"); !strings.Contains(raw, "127.0.0.1") {
		t.Error("the run had nothing to hide")
	}
	if r, err := result.Open(dir); err != nil || len(r.Samples) != 12 {
		t.Errorf("the log in the folder does not open: %v", err)
	}
}
