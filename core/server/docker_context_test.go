package server

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestEngineOfTheCurrentContextIsUsed(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOCKER_CONFIG", folder)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "")
	if got := contextHost(); got != "" {
		t.Errorf("with no context: %s", got)
	}
	write := func(path, body string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(folder, "config.json"), `{"auths":{},"currentContext":"rootless"}`)
	meta := filepath.Join(folder, "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte("rootless"))), "meta.json")
	write(meta, `{"Name":"rootless","Metadata":{},"Endpoints":{"docker":{"Host":"unix:///run/user/1000/docker.sock","SkipTLSVerify":false}}}`)
	if got, want := contextHost(), "unix:///run/user/1000/docker.sock"; got != want {
		t.Errorf("the context's engine is %s, want %s", got, want)
	}
	t.Setenv("DOCKER_CONTEXT", "default")
	if got := contextHost(); got != "" {
		t.Errorf("with the default context: %s", got)
	}
	t.Setenv("DOCKER_CONTEXT", "")
	t.Setenv("DOCKER_HOST", "unix:///elsewhere")
	if got := contextHost(); got != "" {
		t.Errorf("DOCKER_HOST goes before the context, but it is %s", got)
	}
}
