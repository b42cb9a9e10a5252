package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

func TestAnExportNeverReplacesWhatIsNoFile(t *testing.T) {
	core, run := measured(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{pipe: "not a file", t.TempDir(): "is a folder"} {
		if s := berth(t, core, "export", run, "--format", "csv", "-o", path, "--force"); s.code != exitUnusable || !strings.Contains(s.err, says) {
			t.Errorf("%s: exit code %d: %s", path, s.code, s.err)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v (%v)", info, err)
	}
}
