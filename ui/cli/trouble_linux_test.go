package cli

import (
	"bytes"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"berth/core/need"
	"berth/core/result"
)

// A disk that is full where the user wants the files must not cost what was measured.
func TestAFullDiskAtOutKeepsTheRunAndSaysWhere(t *testing.T) {
	need.Redis(t)
	out := t.TempDir()
	if err := unix.Mount("tmpfs", out, "tmpfs", 0, "size=24k"); err != nil {
		t.Skipf("no file system of a known size can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(out, 0); err != nil {
			t.Error(err)
		}
	})
	c := process(t, asBerth, "run", "--set", "modes=native", "--set", "tests=SET,GET", "--set", "rounds=3", "--set", "seconds=0.1", "--out", filepath.Join(out, "run"))
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.Run()
	told := []string{}
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "berth: ") {
			told = append(told, line)
		}
	}
	if code := c.ProcessState.ExitCode(); code != exitFailed || len(told) != 1 || !strings.Contains(told[0], "no space left on device") {
		t.Fatalf("exit code %d, told %q", code, stderr.String())
	}
	_, rest, _ := strings.Cut(told[0], "kept whole in ")
	kept, _, _ := strings.Cut(rest, ";")
	r, err := result.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 6 || r.End == nil || r.End.Reason != result.EndDone || !strings.Contains(stdout.String(), "SET") {
		t.Errorf("%d samples are kept, the end is %v, printed: %s", len(r.Samples), r.End, stdout.String())
	}
}

func TestWithoutAHomeInTheEnvironmentItIsLookedUp(t *testing.T) {
	me, err := user.Current()
	if err != nil || me.HomeDir == "" {
		t.Skip("this user has no home")
	}
	c := process(t, asBerth, "doctor")
	c.Env = slices.DeleteFunc(c.Env, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"HOME", "XDG_DATA_HOME"}, name)
	})
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(me.HomeDir, ".local", "share", "berth", "runs"); !strings.Contains(string(out), want) {
		t.Errorf("runs are not kept in %s: %s", want, out)
	}
}
