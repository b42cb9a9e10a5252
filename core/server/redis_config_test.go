package server

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/plan"
)

// writeFiles writes files into a folder of the test's own, by name, and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// effective are the lines of a configuration that are no comments.
func effective(config string) []string {
	var lines []string
	for line := range strings.Lines(config) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestIncludedFilesAreReadInPlaceAndLoseWhatReachesOut(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"redis.conf":   "maxmemory 1mb\ninclude sub.conf\nhz 11\nINCLUDE \"parts/*.conf\"\n",
		"sub.conf":     "UnixSocket /run/live.sock\npidfile /run/live.pid\n\"logfile\" \"/var/log/live.log\"\n'DIR' deeper\ninclude last.conf\n",
		"last.conf":    "never found: dir has changed\n",
		"deeper/x":     "",
		"parts/b.conf": "hz 13\n",
		"parts/a.conf": "hz 12\n\"log\\x66ile\" /var/log/live.log\nreplicaof 10.1.2.3 6379\n",
		"parts/.c":     "hz 14\n",
	})
	if err := os.Rename(filepath.Join(folder, "last.conf"), filepath.Join(folder, "deeper", "last.conf")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "deeper", "last.conf"), []byte("hz 9\nsyslog-enabled yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := readUserConfig(filepath.Join(folder, "redis.conf"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := effective(c.text), []string{"maxmemory 1mb", "hz 9", "hz 11", "hz 12", "hz 13"}; !slices.Equal(got, want) {
		t.Errorf("effective: %q, want %q", got, want)
	}
	if want := []string{"unixsocket", "pidfile", "logfile", "dir", "syslog-enabled", "replicaof"}; !slices.Equal(c.overridden, want) {
		t.Errorf("overridden: %q, want %q", c.overridden, want)
	}
}

func TestIncludesThatNeverEndAreRefused(t *testing.T) {
	folder := writeFiles(t, map[string]string{"a.conf": "include b.conf\n", "b.conf": "include a.conf\n",
		"glob/x.conf": "include *.conf\n", "lost.conf": "include nowhere.conf\n"})
	for name, id := range map[string]string{"a.conf": "server.config-cycle", "glob/x.conf": "server.config-cycle",
		"lost.conf": "server.config-unreadable", "none.conf": "server.config-unreadable", "glob": "server.config-unreadable"} {
		_, err := readUserConfig(filepath.Join(folder, name))
		wants(t, err, id)
	}
}

func TestFilesThatTheServerReadsAreFoundFromTheLastDir(t *testing.T) {
	folder := writeFiles(t, map[string]string{
		"redis.conf": "loadmodule ./m.so arg\naclfile users.acl\ntls-cert-file /etc/cert.pem\ntls-replication yes\ndir data\n",
		"data/m.so":  "", "data/users.acl": "user default on >geheim0 ~* +@all\nuser alice on >geheim1 ~* +@all\n",
	})
	c, err := readUserConfig(filepath.Join(folder, "redis.conf"))
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(folder, "data", "m.so")
	if want := []string{module, "/etc/cert.pem"}; !slices.Equal(c.needs, want) {
		t.Errorf("needs %q, want %q", c.needs, want)
	}
	if !c.hasACL || c.acl != "user alice on >geheim1 ~* +@all\n" || !slices.Contains(c.secrets, "geheim1") || !slices.Contains(c.secrets, "geheim0") {
		t.Errorf("ACL file %q, secrets %q", c.acl, c.secrets)
	}
	if got := effective(c.text); got[0] != quoteWords([]string{"loadmodule", module, "arg"}) {
		t.Errorf("effective: %q", got)
	}
}

func TestWordsAreReadAsRedisReadsThem(t *testing.T) {
	for line, want := range map[string][]string{
		`a  b`:                    {"a", "b"},
		`"log\x66ile" ""`:         {"logfile", ""},
		`'it\'s' "\n\"\\"`:        {"it's", "\n\"\\"},
		"\vdir\t/x":               {"dir", "/x"},
		`a"b"`:                    {"ab"},
		`requirepass "two words"`: {"requirepass", "two words"},
	} {
		if got, ok := splitWords(line); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", line, got, ok, want)
		}
	}
	for _, line := range []string{`"open`, `'open`, `"a"b`} {
		if got, ok := splitWords(line); ok {
			t.Errorf("%s: %q, want refused", line, got)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`dir "a\x41" 'b'`)
	f.Fuzz(func(t *testing.T, line string) {
		words, ok := splitWords(line)
		if !ok {
			return
		}
		if again, ok := splitWords(quoteWords(words)); !ok || !slices.Equal(again, words) {
			t.Errorf("%q is %q when quoted and read again", words, again)
		}
	})
}

// A live server's own configuration is given to Berth: the live server must not feel it.
func TestUsersLiveServerIsNotTouchedByItsOwnConfiguration(t *testing.T) {
	need.Redis(t)
	for _, placement := range []string{plan.Native, plan.DockerHost, plan.DockerNAT} {
		t.Run(placement, func(t *testing.T) {
			if placement != plan.Native {
				need.Docker(t)
			}
			folder := writeFiles(t, map[string]string{"redis.conf": "include sub.conf\n", "live.pid": "1\n", "live.log": "untouched\n"})
			socket := filepath.Join(folder, "live.sock")
			live, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer live.Close()
			before, err := os.Stat(socket)
			if err != nil {
				t.Fatal(err)
			}
			sub := "UNIXSOCKET " + socket + "\n'pidfile' " + folder + "/live.pid\n\"logfile\" \"" + folder + "/live.log\"\ndir " + folder + "\nsave 1 1\n"
			if err := os.WriteFile(filepath.Join(folder, "sub.conf"), []byte(sub), 0o600); err != nil {
				t.Fatal(err)
			}
			v := variant(placement)
			v.ConfigFile = filepath.Join(folder, "redis.conf")
			l := newLauncher(t)
			s := start(t, l, v)
			if got, want := s.Facts["redis.config_overridden"], "unixsocket pidfile logfile dir"; got != want {
				t.Errorf("overridden: %q, want %q", got, want)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if after, err := os.Stat(socket); err != nil || !os.SameFile(before, after) {
				t.Errorf("the live socket was replaced (%v)", err)
			}
			for name, want := range map[string]string{"live.pid": "1\n", "live.log": "untouched\n"} {
				if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
					t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
				}
			}
			if entries, _ := os.ReadDir(folder); len(entries) != 5 {
				t.Errorf("the user's folder holds %v", entries)
			}
		})
	}
}

func TestUsersACLFileCountsAndIsCopied(t *testing.T) {
	need.Redis(t)
	folder := writeFiles(t, map[string]string{"redis.conf": "aclfile users.acl\n", "users.acl": "user alice on >abcdef ~* +@all\n"})
	v := variant(plan.Native)
	v.ConfigFile = filepath.Join(folder, "redis.conf")
	s := start(t, newLauncher(t), v)
	e := s.Endpoint
	e.User, e.Password = "alice", "abcdef"
	if err := (redisService{}).ask(t.Context(), e); err != nil {
		t.Error(err)
	}
	c := control(s.Endpoint)
	defer c.Close()
	if err := c.Do(t.Context(), "ACL", "SAVE").Err(); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(folder, "users.acl")); string(got) != "user alice on >abcdef ~* +@all\n" {
		t.Errorf("the user's own ACL file is now %q", got)
	}
}
