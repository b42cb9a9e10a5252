package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/host"
	"berth/core/need"
	"berth/core/redisload"
	"berth/core/text"
)

// pretend makes the agents of this test do the load of that name.
func pretend(t *testing.T, name string) {
	t.Helper()
	if loads[name] == nil {
		t.Fatalf("no load %q", name)
	}
	t.Setenv(loadVariable, name)
}

// pidFile is where the agents of this test write their pid.
func pidFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pid")
	t.Setenv(pidVariable, path)
	return path
}

func readPID(path string) (int, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(raw))
}

// eventually waits until done, which is a failure after five seconds.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in 5 s: %s", what)
		}
	}
}

func isSentence(t *testing.T, err error, id string) {
	t.Helper()
	var sentence *text.Error
	if !errors.As(err, &sentence) || sentence.ID != id {
		t.Fatalf("error %v, want the sentence %s", err, id)
	}
}

func TestAgentKilledIsAnError(t *testing.T) {
	pretend(t, "hang")
	path := pidFile(t)
	_, err := Run(t.Context(), anyJob(), func(Event) {
		pid, err := readPID(path)
		if err != nil {
			t.Fatal(err)
		}
		process, err := os.FindProcess(pid)
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	isSentence(t, err, "agent.died")
}

func TestAgentThatPanicsSaysWhatItWrote(t *testing.T) {
	pretend(t, "panic")
	_, err := Run(t.Context(), anyJob(), nil)
	isSentence(t, err, "agent.died")
	if !strings.Contains(err.Error(), "the loop lost its way") {
		t.Errorf("no end of its log in: %v", err)
	}
}

func TestAgentThatEndsWithoutAWordIsAnError(t *testing.T) {
	pretend(t, "exit")
	_, err := Run(t.Context(), anyJob(), nil)
	isSentence(t, err, "agent.died")
}

func TestWhatIsNoEventIsAnError(t *testing.T) {
	pretend(t, "garble")
	_, err := Run(t.Context(), anyJob(), nil)
	isSentence(t, err, "agent.garbled")
}

func TestCancelledAgentStillSaysWhatItMeasured(t *testing.T) {
	pretend(t, "cut")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, anyJob(), func(e Event) {
		if e.Phase == redisload.Measuring {
			cancel()
		}
	})
	if err != nil || r == nil || r.Cut != "cancelled" || r.Requests != 1 {
		t.Errorf("result %+v, error %v", r, err)
	}
}

func TestAgentThatDoesNotStopIsKilled(t *testing.T) {
	pretend(t, "hang")
	path := pidFile(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stopped time.Time
	r, err := Run(ctx, anyJob(), func(Event) { stopped = time.Now(); cancel() })
	if r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", r, err)
	}
	if took := time.Since(stopped); took > killGrace+500*time.Millisecond {
		t.Errorf("took %v", took)
	}
	pid, err := readPID(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.ProcessCPU(pid); err == nil {
		t.Errorf("agent %d is still there", pid)
	}
}

func TestRunOfACancelledContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, anyJob(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAgentRunsOnItsCPUsAlone(t *testing.T) {
	need.Linux(t)
	pretend(t, "cpus")
	for _, cpu := range host.CPUs() {
		job := anyJob()
		job.CPUs = []int{cpu}
		r, err := Run(t.Context(), job, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.State != strconv.Itoa(cpu) {
			t.Errorf("bound to %d, it could run on %s", cpu, r.State)
		}
	}
}

func TestGarbageIsNotCollectedWhileMeasuring(t *testing.T) {
	pretend(t, "allocate")
	r, err := Run(t.Context(), anyJob(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.State != "0" {
		t.Errorf("%s collections", r.State)
	}
}

func TestErrorsCrossTheProcessAsSentences(t *testing.T) {
	pretend(t, "refused")
	_, err := Run(t.Context(), anyJob(), nil)
	var e *Error
	if !errors.As(err, &e) || e.Kind != redisload.Kind(refused()) || e.Text != refused().Error() {
		t.Fatalf("%+v is not what was raised: %v", err, refused())
	}
	for _, lang := range text.Languages {
		want := text.For(lang).Error(refused())
		if got := text.For(lang).Error(err); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	var sentence *text.Error
	if !errors.As(err, &sentence) {
		t.Fatal("no sentence in it")
	}
	for key, want := range map[string]string{"Port": "16777216", "After": "1s", "Address": "127.0.0.1:6379"} {
		if got := sentence.Args[key]; want != toText(got) {
			t.Errorf("%s is %v, want %s", key, got, want)
		}
	}
}

func toText(v any) string {
	if s, ok := v.(interface{ String() string }); ok {
		return s.String()
	}
	s, _ := v.(string)
	return s
}

func TestGarbageJobIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ job, id string }{
		"not JSON":    {"hello", "agent.job"},
		"nothing":     {"", "agent.job"},
		"cut off":     {`{"redis": {`, "agent.job"},
		"wrong type":  {`{"cpus": "all"}`, "agent.job"},
		"no service":  {`{}`, "agent.no-load"},
		"null values": {`{"redis": null}`, "agent.no-load"},
	} {
		var out bytes.Buffer
		code := serve(strings.NewReader(c.job), &out, loads["panic"])
		var e Event
		if err := json.Unmarshal(out.Bytes(), &e); err != nil || e.Error == nil {
			t.Fatalf("%s: %q, %v", name, out.String(), err)
		}
		if code != exitJob || e.Error.ID != c.id {
			t.Errorf("%s: code %d, %+v", name, code, e.Error)
		}
	}
}
