package server

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// contextHost is the engine's address that the docker command takes from its current
// context, which the client library does not read; "" where there is none, or
// DOCKER_HOST goes before it. The files are those of docs.docker.com/engine/manage-resources/contexts:
// the name in config.json, the address in a folder named by the name's SHA-256.
func contextHost() string {
	if os.Getenv("DOCKER_HOST") != "" {
		return ""
	}
	folder := os.Getenv("DOCKER_CONFIG")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		folder = filepath.Join(home, ".docker")
	}
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		readJSON(filepath.Join(folder, "config.json"), &config)
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return ""
	}
	var meta struct {
		Endpoints struct {
			Docker struct{ Host string } `json:"docker"`
		}
	}
	readJSON(filepath.Join(folder, "contexts", "meta", fmt.Sprintf("%x", sha256.Sum256([]byte(name))), "meta.json"), &meta)
	return meta.Endpoints.Docker.Host
}

// readJSON leaves into as it is where there is no such file, or another kind of one.
func readJSON(path string, into any) {
	if raw, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(raw, into)
	}
}
