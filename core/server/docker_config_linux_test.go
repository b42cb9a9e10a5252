package server

import (
	"path/filepath"
	"testing"

	"berth/core/plan"
)

func TestFilesThatAreNotInTheContainerAreToldBeforeItStarts(t *testing.T) {
	l := newDockerLauncher(t)
	folder := writeFiles(t, map[string]string{"redis.conf": "loadmodule /opt/nowhere/m.so\n"})
	v := variant(plan.DockerHost)
	v.ConfigFile = filepath.Join(folder, "redis.conf")
	wants(t, Check(t.Context(), v).Err, "server.config-not-in-container")
	wants(t, l.Prepare(t.Context(), []plan.Variant{v}, nil), "server.config-not-in-container")
}
