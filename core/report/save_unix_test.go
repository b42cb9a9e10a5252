//go:build unix

package report

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestSaveReplacesOnlyFilesAndKeepsLinksAndModes(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	holds := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(path(name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
		}
	}
	if err := os.WriteFile(path("old"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("old", path("link")); err != nil {
		t.Fatal(err)
	}
	if err := Save(path("old"), false, write); !Exists(err) {
		t.Errorf("without force: %v", err)
	}
	holds("old", "old")
	if err := Save(path("link"), true, write); err != nil {
		t.Fatal(err)
	}
	holds("old", "new")
	if info, err := os.Lstat(path("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(path("old")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
	if err := syscall.Mkfifo(path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "."} {
		if err := Save(path(name), true, write); !notAFile(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What comes there while the file is written stays.
	err := Save(path("late"), false, func(w io.Writer) error {
		return os.WriteFile(path("late"), []byte("another's"), 0o600)
	})
	if !Exists(err) {
		t.Errorf("a file that came meanwhile: %v", err)
	}
	holds("late", "another's")
	if left, err := filepath.Glob(path(".berth-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
