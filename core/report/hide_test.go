package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"berth/core/host"
	"berth/core/internal/simulated"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// secrets must not be in anything that is handed on with names hidden.
var secrets = []string{"alices-laptop", "alice", "Alice Liddell", "/home", "My Runs", "/opt/redis", "/srv", "/var", ".cache", "10.1.2.3", "127.0.0.1",
	"fd00::7", "db.corp.example", "registry.corp.example", "tenant", "redis.sock", "redis.conf", `C:\Users`}

var alice = Names{Hosts: []string{"alices-laptop.local"}, Users: []string{"alice", "Alice Liddell"}, Folders: []string{"/home/alice", "/home/alice/My Runs"}}

// telling is a run that names its machine wherever a run can.
func telling() *result.Run {
	r := simulated.Run(simulated.Options{Seed: 1, Rounds: 3, Histograms: true, Variants: []simulated.Variant{
		{Label: "native", Placement: plan.Native, Facts: host.Facts{"program.path": "/opt/redis 7/bin/redis-server", "redis.version": "7.0.15", "redis.persistence": "none",
			"note": "data in /var/lib/redis, replica of [fd00::7]:6379"}},
		{Label: "at 10.1.2.3", Placement: plan.Existing}, {Label: "at 10.1.2.4", Placement: plan.Existing, Speed: map[string]float64{"": 0.5}},
	}})
	r.Path = "/home/alice/My Runs/run.jsonl"
	v := r.Plan.Variants
	v[0].Program, v[0].ConfigFile, v[0].Image = "/opt/redis 7/bin/redis-server", "conf d/redis.conf", "registry.corp.example/alice/redis:7"
	v[1].Host, v[1].User, v[1].Socket = "db.corp.example", "tenant", "/srv/redis.sock"
	out := &result.Run{Path: r.Path}
	for _, e := range r.Events {
		switch {
		case e.Run != nil:
			e.Run.Plan = r.Plan
			e.Run.Plan.Title = "Measured by Alice Liddell on alices-laptop"
		case e.Session != nil:
			e.Session.Facts["data.folder"] = "/home/alice/.cache/berth"
			e.Session.Facts["windows"] = `C:\Users\alice\redis`
		case e.Server != nil:
			e.Server.Address = "db.corp.example:6379"
			e.Server.Commands = []string{"/usr/bin/redis-server '/home/alice/My Runs/x' conf d/redis.conf --bind 127.0.0.1 --dir=/srv/alice",
				`docker run -v /usr:/usr:ro -v "$PWD/data":/data -p 127.0.0.1::6379 registry.corp.example/alice/redis:7`}
		}
		out.Add(e)
	}
	for key, value := range map[string]string{"caption": "See /home/alice/notes.txt", "note": "ssh alice@10.1.2.3", "name:at 10.1.2.3": "alice's", "order": "at 10.1.2.4\nnative", "name:native": "=cmd"} {
		out.Add(result.Event{Type: result.TypeEdit, Edit: &result.EditEvent{Key: key, Value: value}})
	}
	out.Add(result.Event{Type: result.TypeFailure, Failure: &result.FailureEvent{Round: 1, Variant: "at 10.1.2.3",
		Text: "dial tcp 10.1.2.3:6379: refused；/home/alice/log"}})
	return out
}

func TestNoExportWithHiddenNamesNamesTheMachine(t *testing.T) {
	r := telling()
	dir := t.TempDir()
	hidden := HideNames(r, alice)
	for _, lang := range text.Languages {
		if _, err := Folder(dir, hidden, text.For(lang), true); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{"environment": Environment(hidden, text.For(lang)), "method": Method(hidden, text.For(lang))}
		for _, name := range names(t, dir) {
			raw, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(raw)
		}
		raw, err := json.Marshal(hidden)
		if err != nil {
			t.Fatal(err)
		}
		files["all of the run"] = string(raw)
		for name, content := range files {
			for _, secret := range secrets {
				if i := strings.Index(content, secret); i >= 0 {
					t.Errorf("%s has %s: …%s…", name, secret, content[max(0, i-60):min(len(content), i+60)])
				}
			}
		}
	}
	// The secrets are there to be hidden.
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		escaped, _ := json.Marshal(secret)
		if !bytes.Contains(raw, bytes.Trim(escaped, `"`)) {
			t.Errorf("the run never had %s", secret)
		}
	}
}

func TestHidingNamesChangesNoFigure(t *testing.T) {
	r := telling()
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	hidden := HideNames(r, alice)
	if after, err := json.Marshal(r); err != nil || !bytes.Equal(before, after) {
		t.Error("hiding changed the run itself")
	}
	shown, same := newFinder(r, "").comparisons, newFinder(hidden, "").comparisons
	if len(shown) != len(same) {
		t.Fatalf("%d comparisons became %d", len(shown), len(same))
	}
	for i := range shown {
		if *shown[i].Ratio != *same[i].Ratio || shown[i].Verdict != same[i].Verdict {
			t.Errorf("comparison %d was %v and is %v", i, shown[i], same[i])
		}
	}
	var labels []string
	for _, v := range hidden.Plan.Variants {
		labels = append(labels, v.Label)
	}
	if want := []string{"native", "at ADDRESS 2", "at ADDRESS"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
	if got, want := result.Order(hidden), []string{"at ADDRESS", "native", "at ADDRESS 2"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
	if got := hidden.Samples[0].Placement; got == "" || hidden.Edits["name:at ADDRESS 2"] == "" {
		t.Errorf("placement %q, edits %q", got, hidden.Edits)
	}
}

func TestWhatTellsNothingIsNotHidden(t *testing.T) {
	h := hider{}
	h.hide("pi", hiddenUser)
	for _, s := range []string{"121,304 requests/s", "redis 7.0.15", "Linux 6.18.44-fc-v669 x86_64", "20:25:51", "/usr/bin/redis-server --port 6379",
		`-v "$PWD/data":/data`, "sha256:1b26f55f377b0236", "http", "pipeline 16", "1/2", "-v /usr:/usr:ro", "0-1", "a: b"} {
		if got := h.text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for s, want := range map[string]string{"pi@pi-4": "USER@USER-4", "[::1]:6379": "ADDRESS:6379", "::1": "ADDRESS", "10.0.0.1:80": "ADDRESS",
		"fe80::1%eth0": "ADDRESS", "~/x y": "PATH y", "/usr/bin/../../home/x": "PATH"} {
		if got := h.text(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}

func TestMachineNamesAreThisMachines(t *testing.T) {
	want, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if n := MachineNames(); !slices.Contains(n.Hosts, want) || len(n.Folders) == 0 {
		t.Errorf("names %+v", n)
	}
}

func TestNamesThatTwoModesWouldShareStayOutOfTables(t *testing.T) {
	r := two(3, "b", plan.DockerHost, nil, "SET")
	r.Edits = map[string]string{"name:native": "b", "name:b": "Bee"}
	named := Named(r)
	if got, want := result.Order(named), []string{"native", "Bee"}; !slices.Equal(got, want) {
		t.Errorf("labels %q, want %q", got, want)
	}
	if named.Samples[0].Placement != r.Samples[0].Placement || r.Plan.Variants[1].Label != "b" {
		t.Error("more than the labels of the copy was changed")
	}
}

// A run's ID has the letters and digits of its plan's name, in which no name is a word any more.
func TestAHiddenPlansNameIsNotInTheID(t *testing.T) {
	r := &result.Run{RunEvent: result.RunEvent{ID: "20261130-202551-nightly-on-box7examplecom-1f3a"}}
	r.Plan.Name = "Nightly-on-BOX7.example.com"
	if got := HideNames(r, Names{Hosts: []string{"BOX7.example.com"}}).ID; got != "20261130-202551-plan-1f3a" {
		t.Errorf("the ID is %q", got)
	}
	r.Plan.Name = "nightly"
	if got := HideNames(r, Names{Hosts: []string{"BOX7.example.com"}}).ID; got != r.ID {
		t.Errorf("the ID became %q", got)
	}
}
