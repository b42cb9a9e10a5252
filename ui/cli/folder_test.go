package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEarlierResultsAreLostOnlyToARunThatMeasured(t *testing.T) {
	for _, replaced := range []bool{false, true} {
		dir := t.TempDir()
		for _, name := range []string{"run.jsonl", "samples.csv", "throughput.png", "notes.txt"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("earlier"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := prepareFolder(dir, false); err == nil {
			t.Fatal("a folder with results was taken without force")
		}
		a, err := prepareFolder(dir, true)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "run.jsonl")); err == nil {
			t.Fatal("the earlier log is in the new one's way")
		}
		if err := a.settle(replaced); err != nil {
			t.Fatal(err)
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
		want := 4
		if replaced {
			want = 1 // notes.txt is none of a run's files
		}
		if len(left) != want || len(hidden) != 0 {
			t.Errorf("replaced %v: %v and %v are there", replaced, left, hidden)
		}
	}
}

func TestAFolderInTheWayIsToldBeforeMeasuring(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "samples.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := prepareFolder(dir, true); err == nil {
		t.Error("a folder called samples.csv will not be replaced by a file")
	}
}
