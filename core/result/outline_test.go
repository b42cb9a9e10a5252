package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnOutlineHasTheLastTitleAndCountsSamples(t *testing.T) {
	write := func(lines ...string) string {
		path := filepath.Join(t.TempDir(), LogName)
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := `{"type":"run","at":"2026-11-30T20:25:51Z","run":{"schema":1,"id":"20261130-202551-quick-1f3a","berth":"0.1.0","plan":{"name":"quick","title":"Planned"}}}`
	sample := `{"type":"sample","at":"2026-11-30T20:25:52Z","sample":{"round":1}}`
	notice := `{"type":"notice","at":"2026-11-30T20:25:52Z","notice":{"text":"says \"type\":\"sample\" and \"type\":\"edit\""}}`
	edit := func(key, value string) string {
		return `{"type":"edit","at":"2026-11-30T20:25:53Z","edit":{"key":"` + key + `","value":"` + value + `"}}`
	}
	for _, c := range []struct {
		lines   []string
		title   string
		samples int
	}{
		{[]string{run}, "Planned", 0},
		{[]string{run, sample, notice, sample, ""}, "Planned", 2},
		{[]string{run, sample, edit("title", "First"), edit("note", "x"), edit("title", "Second")}, "Second", 1},
		{[]string{run, edit("title", "First"), edit("title", ""), sample, `{"type":"edit","at":"torn`}, "Planned", 1},
	} {
		o, err := OpenOutline(write(c.lines...))
		if err != nil || o.Title != c.title || o.Samples != c.samples || o.ID != "20261130-202551-quick-1f3a" || o.Plan.Name != "quick" {
			t.Errorf("%+v, %v; want %q and %d samples", o, err, c.title, c.samples)
		}
	}
	if _, err := OpenOutline(write("somebody's notes")); err == nil {
		t.Error("what is no log has an outline")
	}
}
