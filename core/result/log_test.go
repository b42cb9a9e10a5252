package result

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
)

// events is a short run with n samples.
func events(n int) []Event {
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	all := []Event{
		{Type: TypeRun, At: at, Run: &RunEvent{Schema: Schema, ID: "20261130-200000-quick-0001", Berth: "0.1.0", Plan: plan.Plan{Name: "quick", Rounds: 4}}},
		{Type: TypeSession, At: at, Session: &SessionEvent{Berth: "0.1.0", Rounds: 4}},
	}
	for i := range n {
		all = append(all, Event{Type: TypeSample, At: at, Sample: &Sample{Round: i + 1, Variant: "native", Requests: 1000, Elapsed: time.Second}})
	}
	return all
}

func write(t *testing.T, path string, all []Event) {
	t.Helper()
	l, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestLogCutAnywhereOpensWithEveryFinishedSample(t *testing.T) {
	whole := filepath.Join(t.TempDir(), LogName)
	write(t, whole, events(3))
	raw, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(raw), '\n')
	for cut := first; cut <= len(raw); cut++ {
		path := filepath.Join(t.TempDir(), LogName)
		if err := os.WriteFile(path, raw[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		// A line is finished when its JSON is, with or without its end of line.
		finished := 0
		for i, line := range strings.SplitAfter(string(raw), "\n") {
			end := len(strings.Join(strings.SplitAfter(string(raw), "\n")[:i+1], "")) - 1
			if strings.Contains(line, `"type":"sample"`) && end <= cut {
				finished++
			}
		}
		r, err := Open(path)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if len(r.Samples) != finished {
			t.Fatalf("cut at %d: %d samples, want %d", cut, len(r.Samples), finished)
		}
		l, resumed, err := Resume(path)
		if err != nil {
			t.Fatalf("cut at %d: resume: %v", cut, err)
		}
		if len(resumed.Samples) != finished {
			t.Fatalf("cut at %d: resumed with %d samples, want %d", cut, len(resumed.Samples), finished)
		}
		if err := l.Append(events(1)[2]); err != nil {
			t.Fatal(err)
		}
		l.Close()
		if r, err = Open(path); err != nil || len(r.Samples) != finished+1 {
			t.Fatalf("cut at %d, then continued: %v, %d samples, want %d", cut, err, len(r.Samples), finished+1)
		}
	}
}

func TestUnknownEventsStayInTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), LogName)
	write(t, path, events(1))
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"type":"from-the-future","at":"2030-01-01T00:00:00Z","future":{"x":1}}`)
	f.Close()
	l, r, err := Resume(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Samples) != 1 {
		t.Errorf("%d samples, want 1", len(r.Samples))
	}
	l.Append(events(1)[2])
	l.Close()
	raw, _ := os.ReadFile(path)
	if !strings.Contains(string(raw), "from-the-future") {
		t.Error("continuing the run lost an event that it did not know")
	}
}

func TestWhatIsNotALogIsSaidSo(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "text": "hello\nworld\n", "json": "{}\n", "other events": `{"type":"sample","sample":{}}` + "\n",
		"newer": `{"type":"run","run":{"schema":99,"id":"x","berth":"9.0"}}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "f")
		os.WriteFile(path, []byte(content), 0o600)
		if _, err := Open(path); err == nil {
			t.Errorf("%s: opened", name)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the sentence does not name the file: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), LogName)
	write(t, path, events(2))
	raw, _ := os.ReadFile(path)
	lines := strings.SplitAfter(string(raw), "\n")
	os.WriteFile(path, []byte(lines[0]+"garbage\n"+lines[2]), 0o600)
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("damage in line 2 is told as %v", err)
	}
}

func TestALogIsNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a", LogName), filepath.Join(dir, "b", LogName)
	write(t, second, events(1))
	if _, err := Create(first, second); err == nil {
		t.Fatal("wrote over a log")
	}
	if _, err := os.Stat(first); !os.IsNotExist(err) {
		t.Error("a log that could not be begun in all its places was left in one")
	}
}

func TestALogHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), LogName)
	l, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events(1) {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(path); err != nil {
		t.Errorf("a log cannot be read while it is written: %v", err)
	}
	if second, _, err := Resume(path); err == nil {
		second.Close()
		t.Fatal("a log that is being written was opened for writing again")
	}
	l.Close()
	if l, _, err = Resume(path); err != nil {
		t.Fatal(err)
	}
	l.Close()
}
