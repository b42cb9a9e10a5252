//go:build unix

package server

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestShellReadsACommandBackAsTheSameWords(t *testing.T) {
	words := []string{"--save", "", "900 1", "it's", "$HOME", "a\"b", "*", "/usr/bin/redis-server"}
	out, err := exec.Command("/bin/sh", "-c", "printf '%s\\n' "+shellLine(words)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !slices.Equal(got, words) {
		t.Errorf("the shell reads %q, want %q", got, words)
	}
}
