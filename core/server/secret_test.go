package server

import (
	"path/filepath"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/plan"
)

func TestNoPasswordIsInWhatIsQuotedOfALog(t *testing.T) {
	need.Redis(t)
	folder := writeFiles(t, map[string]string{
		"extra.conf":  "masterauth mysecret99 extra\n",
		"quoted.conf": "requirepass \"two \\x77ords\"\nmasterauth \"my secret99\" mysecret99\n",
		"user.conf":   "user alice on >mysecret99 <other77 nonsense\n",
		"lines.conf":  "masterauth mysecret99\nuser bob on >otherword7 ~*\nrename-command CONFIG mysecret99x\ntls-key-file-pass mysecret99\n",
	})
	for _, c := range []struct{ file, program string }{
		{"extra.conf", ""}, {"quoted.conf", ""}, {"user.conf", ""}, {"lines.conf", "/bin/cat"},
	} {
		v := variant(plan.Native)
		v.ConfigFile, v.Program = filepath.Join(folder, c.file), c.program
		_, err := newLauncher(t).Start(t.Context(), v)
		if err == nil {
			t.Fatalf("%s starts", c.file)
		}
		for _, secret := range []string{"secret99", "other77", "otherword7", "two \\x77ords", "two words"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v holds %s", c.file, err, secret)
			}
		}
		if !strings.Contains(err.Error(), hidden) {
			t.Errorf("%s: %v, want it to quote a log with a password hidden", c.file, err)
		}
		// Berth's own is 32 digits long.
		if c.program != "" && !strings.Contains(err.Error(), "requirepass "+hidden) {
			t.Errorf("%v holds Berth's own password, or no longer quotes its line", err)
		}
	}
}

func TestShortSecretsAreHiddenAsWholeWords(t *testing.T) {
	if got, want := redact("a at a, data", []string{"a", ""}), hidden+" at "+hidden+", data"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
