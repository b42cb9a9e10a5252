package server

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/docker/docker/client"

	"berth/core/text"
)

// An engineChoice is the engine that the environment or the docker command's context names.
type engineChoice struct {
	address string // "" is the usual one
	// The files with which a context proves itself to the engine; empty where it does not.
	caFile, certFile, keyFile string
}

// chosenEngine is what the docker command would speak to: DOCKER_HOST, or else its current
// context, which the client library does not read. A context that cannot be read is an error:
// another engine than the one that the user chose must not be taken for it.
func chosenEngine() (engineChoice, error) {
	if address := os.Getenv("DOCKER_HOST"); address != "" {
		return engineChoice{address: address}, nil
	}
	return contextEngine()
}

// contextEngine reads the files of docs.docker.com/engine/manage-resources/contexts: the context's name
// in config.json, its address and certificates in folders named by the name's SHA-256.
func contextEngine() (engineChoice, error) {
	folder := os.Getenv("DOCKER_CONFIG")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return engineChoice{}, nil //nolint:nilerr // who has no home has chosen nothing there
		}
		folder = filepath.Join(home, ".docker")
	}
	name, from := os.Getenv("DOCKER_CONTEXT"), "DOCKER_CONTEXT"
	if name == "" {
		from = filepath.Join(folder, "config.json")
		var config struct{ CurrentContext string }
		switch err := readJSON(from, &config); {
		case errors.Is(err, fs.ErrNotExist):
			return engineChoice{}, nil
		case err != nil:
			return engineChoice{}, text.Err("server.docker-config", text.Args{"File": from}, err)
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return engineChoice{}, nil
	}
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	var meta struct {
		Endpoints struct {
			Docker struct{ Host string } `json:"docker"`
		}
	}
	file := filepath.Join(folder, "contexts", "meta", id, "meta.json")
	switch err := readJSON(file, &meta); {
	case errors.Is(err, fs.ErrNotExist):
		return engineChoice{}, text.Err("server.docker-no-context", text.Args{"Context": name, "From": from}, nil)
	case err != nil:
		return engineChoice{}, text.Err("server.docker-config", text.Args{"File": file}, err)
	}
	choice := engineChoice{address: meta.Endpoints.Docker.Host}
	certificates := filepath.Join(folder, "contexts", "tls", id, "docker")
	for _, f := range []struct {
		name string
		into *string
	}{{"ca.pem", &choice.caFile}, {"cert.pem", &choice.certFile}, {"key.pem", &choice.keyFile}} {
		if path := filepath.Join(certificates, f.name); isFile(path) {
			*f.into = path
		}
	}
	return choice, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// options are those of a client of the engine.
func (c engineChoice) options() []client.Opt {
	options := []client.Opt{client.FromEnv, client.WithAPIVersionNegotiation()}
	if c.caFile+c.certFile+c.keyFile != "" {
		options = append(options, client.WithTLSClientConfig(c.caFile, c.certFile, c.keyFile))
	}
	if c.address != "" {
		options = append(options, client.WithHost(c.address))
	}
	return options
}

func readJSON(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
