//go:build unix

package report

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func content(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestAForcedFileKeepsItsModeAndALinkToIt(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	file, link, nowhere := filepath.Join(elsewhere, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "nowhere")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{link: file, nowhere: filepath.Join("..", filepath.Base(elsewhere), "new")} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
		if err := Save(from, false, content("x")); !Exists(err) {
			t.Errorf("%s without force: %v", from, err)
		}
		if err := Save(from, true, content("after")); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(from); err != nil || got != to {
			t.Errorf("the link leads to %q, want %q (%v)", got, to, err)
		}
		if got := read(t, from); got != "after" {
			t.Errorf("behind %s is %q", from, got)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v (%v)", info.Mode(), err)
	}
	if got := names(t, elsewhere); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

func TestAFileThatComesMeanwhileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	err := Save(path, false, func(w io.Writer) error {
		if err := os.WriteFile(path, []byte("somebody's"), 0o644); err != nil {
			return err
		}
		return content("mine")(w)
	})
	if !Exists(err) || read(t, path) != "somebody's" || len(names(t, dir)) != 1 {
		t.Errorf("error %v, file %q, folder %v", err, read(t, path), names(t, dir))
	}
}

func TestAFolderAndADeviceAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	for path, says := range map[string]string{dir: "is a folder", os.DevNull: "is not a file but a device"} {
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, force := range []bool{false, true} {
			if err := Free(path, force); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s, force %v: %v", path, force, err)
			}
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s is %v, was %v (%v)", path, after.Mode(), before.Mode(), err)
		}
	}
}
