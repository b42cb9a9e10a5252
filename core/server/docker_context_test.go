package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"berth/core/text"
)

func TestEngineOfTheCurrentContextIsUsed(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOCKER_CONFIG", folder)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "")
	if got, err := chosenEngine(); err != nil || got.address != "" {
		t.Errorf("with no context: %+v, %v", got, err)
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
	if got, err := chosenEngine(); err != nil || got.address != "unix:///run/user/1000/docker.sock" {
		t.Errorf("the context's engine is %+v, %v", got, err)
	}
	t.Setenv("DOCKER_CONTEXT", "default")
	if got, err := chosenEngine(); err != nil || got.address != "" {
		t.Errorf("with the default context: %+v, %v", got, err)
	}
	t.Setenv("DOCKER_CONTEXT", "")
	certificates := filepath.Join(folder, "contexts", "tls", fmt.Sprintf("%x", sha256.Sum256([]byte("rootless"))), "docker")
	for _, name := range []string{"ca.pem", "cert.pem", "key.pem"} {
		write(filepath.Join(certificates, name), "")
	}
	if got, err := chosenEngine(); err != nil || got.caFile != filepath.Join(certificates, "ca.pem") || got.keyFile != filepath.Join(certificates, "key.pem") {
		t.Errorf("the context's certificates are %+v, %v", got, err)
	}
	t.Setenv("DOCKER_HOST", "unix:///elsewhere")
	if got, err := chosenEngine(); err != nil || got != (engineChoice{address: "unix:///elsewhere"}) {
		t.Errorf("DOCKER_HOST goes before the context, but it is %+v, %v", got, err)
	}
	// What cannot be known is not guessed: the usual engine may be another machine's work.
	t.Setenv("DOCKER_HOST", "")
	for what, want := range map[string]string{"a context that there is not": "server.docker-no-context", "a broken file": "server.docker-config", "a broken context": "server.docker-config"} {
		switch what {
		case "a context that there is not":
			t.Setenv("DOCKER_CONTEXT", "elsewhere")
		case "a broken context":
			t.Setenv("DOCKER_CONTEXT", "broken")
			write(filepath.Join(folder, "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte("broken"))), "meta.json"), `{"Name":`)
		default:
			t.Setenv("DOCKER_CONTEXT", "")
			write(filepath.Join(folder, "config.json"), `{"currentContext":`)
		}
		_, err := openEngine(t.Context())
		var told *text.Error
		if !errors.As(err, &told) || told.ID != want {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
}
