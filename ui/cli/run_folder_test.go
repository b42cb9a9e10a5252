package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
	"berth/core/text"
)

// duringRun is a core that does something while a run goes on.
type duringRun struct {
	*fakeCore
	do func()
}

func (c duringRun) Execute(ctx context.Context, o run.Options) (*result.Run, error) {
	c.do()
	return c.fakeCore.Execute(ctx, o)
}

func TestAFolderThatARunWritesToIsRefusedToAnother(t *testing.T) {
	out := t.TempDir()
	first := []string{"run", "--set", "rounds=1", "--out", out}
	if s := berth(t, newCore(t), first...); s.code != exitDone {
		t.Fatal(s.err)
	}
	var second said
	s := berth(t, duringRun{newCore(t), func() {
		second = berth(t, newCore(t), append(first, "--force")...)
	}}, append(first, "--force")...)
	if s.code != exitDone {
		t.Errorf("the first run: %s", s.err)
	}
	if second.code != exitUnusable || !strings.Contains(second.err, "is being written by another Berth") {
		t.Errorf("the second run into the same folder ended with %d: %s", second.code, second.err)
	}
	if s := berth(t, newCore(t), append(first, "--force")...); s.code != exitDone {
		t.Errorf("a run after it: %s", s.err)
	}
}

func TestAFolderRemovedDuringARunHasTheLogAgain(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	core := &removingCore{newCore(t), out}
	s := berth(t, core, "run", "--set", "rounds=1", "--out", out)
	if s.code != exitDone {
		t.Fatalf("exit code %d: %s", s.code, s.err)
	}
	r, err := result.Open(out)
	if err != nil || len(r.Samples) == 0 {
		t.Errorf("the folder has no log of the run: %v", err)
	}
}

// removingCore removes the run's folder at its end, as somebody may.
type removingCore struct {
	*fakeCore
	out string
}

func (c *removingCore) Execute(ctx context.Context, o run.Options) (*result.Run, error) {
	r, err := c.fakeCore.Execute(ctx, o)
	return r, errors.Join(err, os.RemoveAll(c.out))
}

func TestContinueWritesTheFilesOfARunThatWasKilled(t *testing.T) {
	core, out := newCore(t), t.TempDir()
	if s := berth(t, core, "run", "--set", "rounds=1", "--out", out); s.code != exitDone {
		t.Fatal(s.err)
	}
	os.Remove(filepath.Join(out, samplesFile))
	if s := berth(t, core, "run", "--continue", out, "--rounds", "1"); s.code != exitDone {
		t.Fatal(s.err)
	}
	if _, err := os.Stat(filepath.Join(out, samplesFile)); err != nil {
		t.Error(err)
	}
}

// endless is input without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '#'
	}
	return len(p), nil
}

func TestAPlanWithoutAnEndIsRefused(t *testing.T) {
	for _, file := range []string{"-", os.DevNull, t.TempDir()} {
		var errw bytes.Buffer
		term := &terminal{in: endless{}, out: &errw, err: &errw, words: text.For("en"), core: newCore(t)}
		code := term.main(context.Background(), []string{"run", "--plan", file, "--out", t.TempDir()})
		if code != exitUnusable || !strings.Contains(errw.String(), "name the right file") && !strings.Contains(errw.String(), "no file and no pipe") {
			t.Errorf("--plan %s: exit code %d: %s", file, code, errw.String())
		}
	}
}

// cancelling is a core that the user stops while it looks at Docker.
type cancelling struct {
	*fakeCore
	stop func()
}

func (c cancelling) Available(ctx context.Context, v plan.Variant) server.Availability {
	c.stop()
	why := text.Err("server.docker-failed", text.Args{"Host": "unix:///x"}, ctx.Err())
	return server.Availability{Reason: why.Error(), Err: why}
}

func TestAStopDuringTheChecksIsSaidAsOne(t *testing.T) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var errw bytes.Buffer
	term := &terminal{in: strings.NewReader(""), out: &errw, err: &errw, words: text.For("en"), core: cancelling{newCore(t), stop}}
	if code := term.main(ctx, []string{"run", "--out", t.TempDir()}); code != exitFailed || !strings.HasPrefix(errw.String(), "berth: stopped") {
		t.Errorf("exit code %d: %s", code, errw.String())
	}
}
