package report

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/plan"
	"berth/core/text"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestFolderWritesWhatItSays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	written, err := Folder(dir, fiveRun(6, "SET", "GET"), text.For("en"), false)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(written)
	if got := names(t, dir); !slices.Equal(got, written) {
		t.Errorf("the folder has %v, said %v", got, written)
	}
	for name, rows := range map[string]int{"samples.csv": 60, "summary.csv": 10, "comparisons.csv": 12} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		cells, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(cells) != rows+1 {
			t.Errorf("%s has %d lines (%v), want %d", name, len(cells), err, rows+1)
		}
	}
	for _, name := range []string{"report.html", "report.md", "throughput.png", "throughput.svg", "relative.png", "relative.svg"} {
		if !slices.Contains(written, name) {
			t.Errorf("no %s in %v", name, written)
		}
	}
}

func TestTablesOfAFullRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := Folder(dir, fiveRun(6, "SET", "GET"), text.For("zh-Hans"), false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"summary.csv", "comparisons.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(b))
	}
}

func TestAFigureThatCannotBeDrawnIsLeftOutWithASentence(t *testing.T) {
	r := two(3, "b", plan.DockerHost, nil, "SET")
	p := newPage(r, text.For("en"))
	p.Figures = []drawing{{Name: "throughput", Missing: missing("Throughput", errors.New("no font"), p.c)}}
	var html strings.Builder
	for _, f := range (View{}).files(r, p) {
		if strings.HasPrefix(f.name, "throughput") {
			t.Errorf("%s would be written", f.name)
		}
		if f.name == "report.html" {
			if err := f.write(&html); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(html.String(), "The chart “Throughput” could not be drawn: no font") {
		t.Error("the report does not say why")
	}
}

func TestFolderRefusesBeforeWritingAnything(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "report.md")
	if err := os.WriteFile(taken, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := two(3, "b", plan.DockerHost, nil, "SET")
	_, err := Folder(dir, r, text.For("en"), false)
	if err == nil || !strings.Contains(err.Error(), taken) || !strings.Contains(err.Error(), "--force") {
		t.Errorf("the error is %v", err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("it wrote %v", got)
	}
	if _, err := Folder(dir, r, text.For("en"), true); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(taken); string(b) == "mine" {
		t.Error("--force did not replace the file")
	}
}

func TestFolderThatCannotBeMadeIsOneSentence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Folder(filepath.Join(file, "out"), two(3, "b", plan.DockerHost, nil, "SET"), text.For("en"), false)
	if err == nil || !strings.HasSuffix(err.Error(), "not a directory; choose a folder that you may write to and that has room") {
		t.Errorf("the error is %v", err)
	}
}

func TestAFileThatFailsHalfWayLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	r := two(3, "b", plan.DockerHost, nil, "SET")
	r.Samples[4].Latency = "garbage"
	written, err := Folder(dir, r, text.For("en"), false)
	if err == nil || len(written) != 0 || len(names(t, dir)) != 0 {
		t.Errorf("wrote %v, left %v, error %v", written, names(t, dir), err)
	}
}

func TestFormulasInNamesAreProtectedInCSVAndNumbersStay(t *testing.T) {
	dir := t.TempDir()
	r := two(3, `=HYPERLINK("http://x")`, plan.DockerHost, map[string]float64{"": 0.9}, "SET")
	if _, err := Folder(dir, r, text.For("en"), false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"samples.csv", "summary.csv", "comparisons.csv"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		protected := 0
		for _, row := range rows {
			for _, cell := range row {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("%s has the formula %q", name, cell)
				}
				if strings.HasPrefix(cell, "'=HYPERLINK") {
					protected++
				}
			}
		}
		if protected == 0 {
			t.Errorf("%s does not have the name", name)
		}
	}
}
