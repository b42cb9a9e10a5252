package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/need"
	"berth/core/plan"
)

func TestServerThatWillNeverLetBerthInIsToldAtOnce(t *testing.T) {
	need.Redis(t)
	for config, reply := range map[string]string{
		`rename-command PING ""` + "\n": "unknown command",
		`rename-command AUTH ""` + "\n": "unknown command",
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

// The password that Berth starts a server with is of the user default.
func TestTheUserDefaultIsOverriddenEverywhere(t *testing.T) {
	need.Redis(t)
	for config, acl := range map[string]string{
		"user default on >abcdefg ~* +@all\n": "",
		"user default off\n":                  "",
		"user default on nopass ~* -ping\n":   "",
		"aclfile users.acl\n":                 "user default off\nuser alice on >secret ~* +@all\n",
	} {
		v := variant(plan.Native)
		files := map[string]string{"redis.conf": config}
		if acl != "" {
			files["users.acl"] = acl
		}
		v.ConfigFile = filepath.Join(writeFiles(t, files), "redis.conf")
		s := start(t, newLauncher(t), v)
		if got := s.Facts["redis.config_overridden"]; !strings.HasSuffix(got, defaultUser) {
			t.Errorf("%q: overridden is %q", config, got)
		}
		answersNowhereElse(t, s)
	}
}

func TestWhatWouldLeaveThePlacementIsOverridden(t *testing.T) {
	need.Linux(t)
	need.Redis(t)
	v := variant(plan.Pinned)
	v.ConfigFile = filepath.Join(writeFiles(t, map[string]string{"redis.conf": "\ufeffmaxmemory 50mb\nserver_cpulist 1\nbio_cpulist 1\ncluster-enabled yes\n"}), "redis.conf")
	s := start(t, newLauncher(t), v)
	if got, want := s.Facts["redis.config_overridden"], "server_cpulist bio_cpulist cluster-enabled"; got != want {
		t.Errorf("overridden: %q, want %q", got, want)
	}
	if cpus := host.CPUsOf(s.PIDs[0]); !slices.Equal(cpus, []int{0}) {
		t.Errorf("it runs on %v, not on CPU 0", cpus)
	}
	if s.Facts["redis.maxmemory"] != "52428800" || s.Facts["redis.mode"] != "standalone" {
		t.Errorf("maxmemory %q, mode %q", s.Facts["redis.maxmemory"], s.Facts["redis.mode"])
	}
}

func TestTheCommandByHandMakesNoReplica(t *testing.T) {
	need.Redis(t)
	folder := writeFiles(t, map[string]string{"redis.conf": "include more.conf\nmaxmemory 50mb\n", "more.conf": "  REPLICAOF 127.0.0.1 1\nport 1\n"})
	v := variant(plan.Native)
	v.ConfigFile = filepath.Join(folder, "redis.conf")
	s := start(t, newLauncher(t), v)
	script := strings.Join(s.Commands[:2], "\n")
	if !strings.HasPrefix(script, "sed ") {
		t.Fatalf("by hand: %s", script)
	}
	copied := exec.Command("sh", "-c", s.Commands[0])
	copied.Dir = t.TempDir()
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	raw, err := os.ReadFile(filepath.Join(copied.Dir, configCopy))
	if err != nil || strings.Join(effective(string(raw)), "; ") != "maxmemory 50mb; port 1" {
		t.Errorf("the copy: %v\n%s", err, raw)
	}
	if !strings.Contains(s.Commands[1], " "+configCopy+" --bind") {
		t.Errorf("by hand: %s", s.Commands[1])
	}
}
