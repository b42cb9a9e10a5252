package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// seen is a run of three modes and two tests, and a view of two and one.
func seen(t *testing.T) (*result.Run, View) {
	t.Helper()
	r := two(6, "b", plan.DockerHost, nil, "SET", "GET")
	if len(r.Plan.Variants) != 2 {
		t.Fatalf("the run has %d variants", len(r.Plan.Variants))
	}
	return r, View{Tests: []string{"SET"}}
}

func TestEveryDocumentShowsWhatTheViewShows(t *testing.T) {
	r, v := seen(t)
	for _, format := range []string{FormatSamples, FormatSummary, FormatComparisons} {
		var out bytes.Buffer
		if err := v.Document(&out, format, r, text.For("en")); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Fatalf("%s: %v, %v", format, rows, err)
		}
		column := slices.Index(rows[0], "test")
		for _, row := range rows[1:] {
			if row[column] != "SET" && row[column] != "" {
				t.Errorf("%s has a row of %s", format, row[column])
			}
		}
	}
	var out bytes.Buffer
	if err := v.Document(&out, FormatJSON, r, text.For("en")); err != nil {
		t.Fatal(err)
	}
	var d struct{ Samples, Summary []map[string]any }
	if err := json.Unmarshal(out.Bytes(), &d); err != nil || len(d.Samples) != 12 || len(d.Summary) != 2 {
		t.Errorf("JSON has %d samples and %d rows (%v); want 12 and 2", len(d.Samples), len(d.Summary), err)
	}
	page := v.page(r, text.For("en"))
	if len(page.Summary.Rows) != 2 {
		t.Errorf("the report's table has %d rows, want 2", len(page.Summary.Rows))
	}
}

func TestAViewChangesNoVerdict(t *testing.T) {
	r, v := seen(t)
	whole := map[string]*float64{}
	for _, s := range stats.Summarize(r, "") {
		whole[s.Variant+s.Test] = s.PValue
	}
	for _, s := range v.Summary(r) {
		if p := whole[s.Variant+s.Test]; (p == nil) != (s.PValue == nil) || p != nil && *p != *s.PValue {
			t.Errorf("%s, %s: p %v in the view, %v in the run", s.Variant, s.Test, s.PValue, p)
		}
	}
}

func TestAViewWithoutAVariantSaysNothingOfIt(t *testing.T) {
	r, _ := seen(t)
	v := View{Variants: []string{r.Plan.Variants[0].Label}}
	for _, f := range v.Findings(r) {
		if f.Args["Variant"] == "b" {
			t.Errorf("%s", f.Text(text.For("en")))
		}
	}
	for _, s := range v.Summary(r) {
		if s.Variant == "b" {
			t.Error("the table has a row of it")
		}
	}
}

func TestQuietIsAsRedisBenchmarkPrints(t *testing.T) {
	r, _ := seen(t)
	lines := strings.Split(strings.TrimSpace(View{}.Quiet(r, text.For("en"))), "\n")
	line := regexp.MustCompile(`^(SET|GET): [0-9]+\.[0-9]{2} requests per second, p50=[0-9]+\.[0-9]{3} msec$`)
	n := 0
	for _, l := range lines {
		if !strings.HasPrefix(l, "# ") {
			n++
			if !line.MatchString(l) {
				t.Errorf("%q", l)
			}
		}
	}
	if n != 4 || len(lines) != 6 {
		t.Errorf("%d lines, %d of tests; want 6 and 4:\n%s", len(lines), n, strings.Join(lines, "\n"))
	}
}

func TestSaveLeavesAFileThatIsThereAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, v := seen(t)
	write := func(w io.Writer) error { return v.Document(w, FormatSummary, r, text.For("en")) }
	var want bytes.Buffer
	if err := write(&want); err != nil {
		t.Fatal(err)
	}
	err := Save(path, false, write)
	if raw, _ := os.ReadFile(path); !Exists(err) || string(raw) != "old" {
		t.Fatalf("%v; the file holds %q", err, raw)
	}
	if err := Save(path, true, write); err != nil {
		t.Fatal(err)
	}
	if raw, _ := os.ReadFile(path); string(raw) != want.String() {
		t.Errorf("the file holds %q", raw)
	}
}
