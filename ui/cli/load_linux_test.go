package cli

import (
	"bytes"
	"context"
	"strings"
	"syscall"
	"testing"
)

// TestPrefilledKeysGoWhateverStopsTheLoad has the signals come as timeout and a
// closing terminal send them: to the whole group, twice at once, or as a hang-up.
func TestPrefilledKeysGoWhateverStopsTheLoad(t *testing.T) {
	r := startRedis(t)
	for name, signals := range map[string][]syscall.Signal{
		"TERM":                    {syscall.SIGTERM},
		"TERM twice":              {syscall.SIGTERM, syscall.SIGTERM},
		"HUP":                     {syscall.SIGHUP},
		"Ctrl-C and a hang-up":    {syscall.SIGINT, syscall.SIGHUP},
		"TERM, and HUP, and TERM": {syscall.SIGTERM, syscall.SIGHUP, syscall.SIGTERM},
	} {
		r.do(t, "CONFIG", "RESETSTAT")
		cmd := process(t, asBerth, "load", "-p", r.port, "--prefill", "-q", "-n", "1000000000", "-r", "2000", "-t", "get")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var errw bytes.Buffer
		cmd.Stderr = &errw
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.until(t, name, func() bool { return r.calls(t, "get") > 5000 })
		for _, s := range signals {
			if err := syscall.Kill(-cmd.Process.Pid, s); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait() // its exit code is looked at
		if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(errw.String(), "GET was cut short: stopped before the end") {
			t.Errorf("%s: exit code %d: %s", name, code, errw.String())
		}
		if n := r.control.DBSize(context.Background()).Val(); n != 0 {
			t.Errorf("%s: %d keys are left", name, n)
		}
	}
}
