package assets_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/need"
)

// setup runs setup.sh with stand-ins for programs, each the body of a shell
// script, and returns what it said.
func setup(t *testing.T, what string, standIns map[string]string, env ...string) (said string, ok bool) {
	t.Helper()
	need.Linux(t)
	bin := t.TempDir()
	for name, body := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "setup.sh", what)
	cmd.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SUDO_USER="), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestOldGoIsRefusedAndNewerTaken(t *testing.T) {
	for version, fits := range map[string]bool{
		"go1.19.8": false, "go1.9": false, "go1.25.9": false, "go1.26": true, "go1.26.0": true, "go1.26rc1": true, "go1.100.2": true, "go2.0": true,
	} {
		said, ok := setup(t, "go", map[string]string{"go": "echo " + version})
		if ok != fits {
			t.Errorf("%s: taken is %v", version, ok)
		}
		want := fmt.Sprintf("Berth needs Go 1.26; found %s; get it from go.dev/dl\n", strings.TrimPrefix(version, "go"))
		if !fits && said != want {
			t.Errorf("%s: it says %q, want %q", version, said, want)
		}
	}
	if said, ok := setup(t, "go", map[string]string{"go": "exit 127"}); ok || said != "Berth needs Go 1.26; found none; get it from go.dev/dl\n" {
		t.Errorf("without Go it says %q", said)
	}
}

func TestSudoIsRefusedAndRootIsNot(t *testing.T) {
	root := map[string]string{"id": "echo 0"}
	if said, ok := setup(t, "yourself", root, "SUDO_USER=ada"); ok || !strings.Contains(said, "sudo make setup") || !strings.Contains(said, "ada") {
		t.Errorf("under sudo: taken is %v, and it says %q", ok, said)
	}
	if said, ok := setup(t, "yourself", root); !ok {
		t.Errorf("root is refused: %q", said)
	}
	if said, ok := setup(t, "yourself", map[string]string{"id": "echo 1000"}, "SUDO_USER=ada"); !ok {
		t.Errorf("a user is refused: %q", said)
	}
}

func TestWithoutRootMissingPackagesAreNamedAndNothingIsInstalled(t *testing.T) {
	user := map[string]string{
		"id":         "echo 1000",
		"dpkg-query": `[ "$4" = gcc ] && exit 1; printf installed`,
		"apt-get":    "echo apt-get was run",
	}
	for what, next := range map[string]string{"run": "'sudo make setup', then run 'make run'", "test": "'sudo make setup TESTS=1', then run 'make test'"} {
		said, ok := setup(t, what, user)
		if ok || !strings.Contains(said, " gcc ") || !strings.Contains(said, next) || strings.Contains(said, "apt-get was run") {
			t.Errorf("%s: taken is %v, and it says %q", what, ok, said)
		}
	}
}

func TestWhereEverythingIsInstalledNothingIsAsked(t *testing.T) {
	there := map[string]string{"dpkg-query": "printf installed", "apt-get": "echo apt-get was run"}
	for _, program := range []string{"redis-server", "mariadbd"} {
		there[program] = "exit 0"
	}
	if said, ok := setup(t, "run", there); !ok || said != "" {
		t.Errorf("taken is %v, and it says %q", ok, said)
	}
}
