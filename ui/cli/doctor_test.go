package cli

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/server"
	"berth/core/text"
)

func TestDoctorSaysWhatEachMissingPartWouldEnable(t *testing.T) {
	word := text.For("en")
	x := examination{
		version: "0.1.0",
		machine: []part{
			{name: "CPUs", found: "0-7 (Some Processor)"},
			{name: "display", why: word.T("cli.doctor-no-display", text.Args{"Why": word.T("cli.doctor-display-unset")}), enables: word.T("cli.enables-display")},
		},
		programs: []part{
			{name: "redis-server", found: "7.0.15 (/usr/bin/redis-server)"},
			{name: "taskset", why: word.T("cli.doctor-no-program"), enables: word.T("cli.enables-taskset")},
		},
		modes: []mode{
			{plan.Native, server.Availability{OK: true}},
			{plan.DockerNAT, newCore(t).withoutDocker().missing[plan.DockerNAT]},
			{plan.DockerDirect, newCore(t).withoutDocker().missing[plan.DockerDirect]},
			{plan.DockerHost, server.Availability{Err: errors.New("the engine runs in a virtual machine")}},
		},
		runs: "/home/user/.local/share/berth/runs",
	}
	for _, lang := range text.Languages {
		var out bytes.Buffer
		term := &terminal{out: &out, words: text.For(lang)}
		term.printExamination(x)
		golden(t, "doctor."+lang+".out", out.String())
	}
}

func TestDoctorExaminesThisMachine(t *testing.T) {
	programs := t.TempDir()
	t.Setenv("PATH", programs)
	if err := os.WriteFile(filepath.Join(programs, "redis-server"), []byte("#!/bin/sh\necho Redis server v=7.9.1 sha=00000000:0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := berth(t, newCore(t), "doctor")
	if s.code != exitDone || s.err != "" {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	for word, want := range map[string]string{"  redis-server": "7.9.1 (" + programs, "  redis-benchmark": "not installed", "  docker-nat": "ready", "Runs are": "kept in "} {
		if line := lineWith(s.out, word); !strings.Contains(line, want) {
			t.Errorf("the line of %s is %q, without %q", word, line, want)
		}
	}
}

func TestADisplayThatDoesNotAnswerIsNoDisplay(t *testing.T) {
	need.Linux(t)
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if display, why := findDisplay(); display != "" || why != "" {
		t.Errorf("without a name there is %q, %q", display, why)
	}
	t.Setenv("WAYLAND_DISPLAY", "wayland-7")
	if display, why := findDisplay(); display != "" || !strings.Contains(why, "wayland-7") {
		t.Errorf("a socket that is not there is %q, %q", display, why)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "wayland-7"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if display, why := findDisplay(); display == "" {
		t.Errorf("a display that answers is missing: %s", why)
	}
}

func TestAChineseFontIsFoundByItsFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "deep", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "DejaVuSans.ttf"), "")
	if found := findFont([]string{filepath.Join(dir, "nowhere"), dir}); found != "" {
		t.Errorf("%s has no Chinese", found)
	}
	want := filepath.Join(dir, "deep", "er", "NotoSansCJK-Regular.ttc")
	write(t, want, "")
	if found := findFont([]string{filepath.Join(dir, "nowhere"), dir}); found != want {
		t.Errorf("found %q, want %q", found, want)
	}
}

func lineWith(s, word string) string {
	for line := range strings.Lines(s) {
		if strings.Contains(line, word) {
			return line
		}
	}
	return ""
}
