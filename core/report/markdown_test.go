package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got); go test ./core/report -update writes it anew\n%s", path, d)
	}
}

// markdownOf is the report with a figure by name: golden files hold no drawing.
func markdownOf(t *testing.T, r *result.Run, lang string) string {
	t.Helper()
	p := newPage(r, text.For(lang))
	p.Figures = []drawing{{Name: "throughput", Alt: p.T("figure-throughput")}}
	var b bytes.Buffer
	if err := writeMarkdown(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownOfAFullRun(t *testing.T) {
	for _, lang := range text.Languages {
		r := fiveRun(6, "SET", "GET")
		r.Edits = map[string]string{"caption": "Measured before the move.", "note": "Second attempt."}
		r.Failures = []result.FailureEvent{{Round: 2, Variant: "docker-host", Workload: &plan.Workload{Test: "GET"}, Text: "the server ended: out of memory"}}
		r.Samples[0].Flags = []string{result.FlagClientBound}
		golden(t, "full."+lang+".md", markdownOf(t, r, lang))
	}
}

func TestMarkdownOfRedisBesideMySQL(t *testing.T) {
	r := besideMySQL(3, "SET", "GET")
	for i := range r.Servers {
		r.Servers[i].Commands = append(r.Servers[i].Commands, "docker run --rm -p 127.0.0.1:1:1 "+r.Servers[i].Variant)
	}
	golden(t, "mysql.en.md", markdownOf(t, r, "en"))
}

func TestMarkdownOfTwoRoundsAndTwoPayloads(t *testing.T) {
	r := two(2, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET")
	for i := range r.Samples {
		s := r.Samples[i]
		s.Workload.PayloadBytes, s.Requests = 500, s.Requests*9/10
		r.Samples = append(r.Samples, s)
	}
	golden(t, "two-rounds.en.md", markdownOf(t, r, "en"))
}

func TestMarkdownOfAnEmptyRun(t *testing.T) {
	golden(t, "empty.en.md", markdownOf(t, &result.Run{}, "en"))
}

func TestNamesFromFilesAreNoMarkdown(t *testing.T) {
	r := two(6, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET")
	r.Edits = map[string]string{"title": "a\n# b", "name:docker-nat": "x | <script>alert(1)</script> [y](http://z) `w` **v**"}
	r.Servers[0].Commands = []string{"echo '```'", "# not a heading"}
	got := markdownOf(t, r, "en")
	for _, forbidden := range []string{"\n# b", " | <script", "<script>", "[y](", " **v**"} {
		if strings.Contains(got, forbidden) {
			t.Errorf("%q came through", forbidden)
		}
	}
	if !strings.Contains(got, `\[y\](http://z)`) {
		t.Error("the name is not shown")
	}
}

func TestEscapedLineStaysOneLineOfText(t *testing.T) {
	for in, want := range map[string]string{"PING_INLINE": `PING\_INLINE`, "- a": `\- a`, "a\r\nb": "a b", "1.5 | 2": `1.5 \| 2`, "": ""} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}
