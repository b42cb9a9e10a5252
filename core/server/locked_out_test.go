package server

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
)

func TestServerThatWillNeverLetBerthInIsToldAtOnce(t *testing.T) {
	need.Redis(t)
	for config, reply := range map[string]string{
		"user default on >abcdefg ~* +@all\n": "WRONGPASS",
		"user default off\n":                  "WRONGPASS",
		"user default on nopass ~* -ping\n":   "NOPERM",
		`rename-command PING ""` + "\n":       "unknown command",
		`rename-command AUTH ""` + "\n":       "unknown command",
	} {
		v := variant(plan.Native)
		v.ConfigFile = filepath.Join(writeFiles(t, map[string]string{"redis.conf": config}), "redis.conf")
		began := time.Now()
		_, err := newLauncher(t).Start(t.Context(), v)
		if err == nil {
			t.Errorf("%q starts", config)
			continue
		}
		wants(t, err, "server.locked-out")
		if !strings.Contains(err.Error(), reply) || !strings.Contains(err.Error(), v.ConfigFile) {
			t.Errorf("%q: %v, want %s and the file in it", config, err, reply)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%q: it took %v", config, took)
		}
	}
}
