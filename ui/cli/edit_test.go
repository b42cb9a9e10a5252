package cli

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth/core/result"
)

// evil is a name that would be markup, a formula, or the end of a cell.
const evil = `=1+1 <b>"x"</b>|,`

func TestTextsOfARunAreInEveryExportAndEscapedThere(t *testing.T) {
	core, run := measured(t)
	s := berth(t, core, "edit", run, "--title", "My <title>", "--caption", "My caption", "--note", "My note", "--name", "docker-nat="+evil)
	if s.code != exitDone || s.out != "" {
		t.Fatalf("exit code %d: %s%s", s.code, s.out, s.err)
	}
	has := func(format string, wants ...string) string {
		t.Helper()
		got := export(t, core, run, "--format", format)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %s", format, want)
			}
		}
		return got
	}
	for _, format := range []string{"csv", "summary-csv", "comparisons-csv"} {
		has(format, `"'=1+1 <b>""x""</b>|,"`)
	}
	has("json", `"title": "My <title>"`, `"caption": "My caption"`, `"note": "My note"`, `=1+1 <b>\"x\"</b>|,`)
	has("md", `# My \<title\>`, "My caption", "My note", `=1+1 \<b\>"x"\</b\>\|,`)
	page := has("html", "My &lt;title&gt;", "My caption", "My note", "=1&#43;1 &lt;b&gt;")
	if strings.Contains(page, "<b>") {
		t.Error("a name is markup in the page")
	}
	for i, m := range regexp.MustCompile(`svg\+xml;base64,([A-Za-z0-9+/=]+)`).FindAllStringSubmatch(page, -1) {
		drawing, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil || !bytes.Contains(drawing, []byte("My &lt;title&gt;")) || !bytes.Contains(drawing, []byte("My caption")) || bytes.Contains(drawing, []byte("<b>")) {
			t.Errorf("drawing %d of the page lacks the title or the caption (%v)", i, err)
		}
	}
	if chart := has("svg", "My &lt;title&gt;", "My caption", "=1+1 &lt;b&gt;"); strings.Contains(chart, "<b>") {
		t.Error("a name is markup in the chart")
	}
	has("png", "My <title>", "My caption") // as text beside the pixels
}

func TestOrderOfModesIsThatOfTheUser(t *testing.T) {
	core, run := measured(t)
	if s := berth(t, core, "edit", run, "--order", "docker-host,pinned", "--name", "pinned=Bound to a CPU"); s.code != exitDone {
		t.Fatal(s.err)
	}
	first := func(format string, names ...string) {
		t.Helper()
		got := export(t, core, run, "--format", format)
		at := -1
		for _, name := range names {
			i := strings.Index(got, name)
			if i <= at {
				t.Errorf("%s: %s comes too early", format, name)
			}
			at = i
		}
	}
	first("summary-csv", "\ndocker-host,", "\nBound to a CPU,", "\nnative,")
	first("svg", ">Docker host network</", ">Bound to a CPU</", ">Native process (100%)</")
	if table := export(t, core, run, "--format", "comparisons-csv"); !strings.Contains(table, "docker-host,native,") {
		t.Error("another order made another reference")
	}
}

func TestEditsAreKeptInBothCopiesOfALogAndCanBeTakenAway(t *testing.T) {
	core, run := measured(t)
	kept := filepath.Join(core.folder, "20261130-200000-quick-0001", result.LogName)
	for _, title := range []string{"A title", ""} {
		if s := berth(t, core, "edit", run, "--title", title); s.code != exitDone {
			t.Fatal(s.err)
		}
		for _, path := range []string{run, kept} {
			r, err := result.Open(path)
			if err != nil || r.Edits["title"] != title || len(r.Samples) != 48 {
				t.Errorf("%s: title %q, %d samples, %v", path, r.Edits["title"], len(r.Samples), err)
			}
		}
	}
}

func TestUnusableEditsChangeNothing(t *testing.T) {
	core, run := measured(t)
	log := filepath.Join(run, result.LogName)
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for says, args := range map[string][]string{
		"nothing to change":           {},
		"no mode nobody":              {"--name", "nobody=x"},
		"no mode somebody":            {"--order", "native,somebody"},
		"is that of pinned already":   {"--name", "native=pinned"},
		"is that of docker-nat alrea": {"--name", "native=x", "--name", "docker-nat=x"},
	} {
		s := berth(t, core, append([]string{"edit", run}, args...)...)
		if s.code != exitUnusable || !strings.Contains(s.err, says) {
			t.Errorf("%v: exit code %d: %s", args, s.code, s.err)
		}
	}
	if after, _ := os.ReadFile(log); !slices.Equal(before, after) {
		t.Error("the log was changed")
	}
}
