package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnExportToAFullDiskLeavesNothing(t *testing.T) {
	core, run := measured(t)
	folder := smallFilesystem(t, "16k")
	for _, args := range [][]string{
		{"--format", "png", "--scale", "4", "-o", filepath.Join(folder, "x.png")},
		{"--format", "svg", "--figure", "all", "-o", filepath.Join(folder, "all")},
		{"--format", "html", "-o", filepath.Join(folder, "x.html")},
	} {
		if s := berth(t, core, append([]string{"export", run}, args...)...); s.code != exitUnusable || !strings.Contains(s.err, "no space left on device") {
			t.Errorf("%v: exit code %d: %s", args, s.code, s.err)
		}
	}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
