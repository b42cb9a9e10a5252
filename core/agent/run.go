package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"berth/core/host"
	"berth/core/redisload"
	"berth/core/text"
)

// killGrace is how long an agent that was told to stop may take before it is killed.
const killGrace = time.Second

// Run starts an agent, bound to job.CPUs, and waits until it has done job. observe, if
// not nil, is called with every event, in order, on the caller's goroutine.
//
// Cancelling ctx tells the agent to stop, kills it if it has not a second
// later, and still returns the result of what was measured until then (its Cut
// says why it ended); with nothing measured, the error is ctx's. An error beside a
// result means that the job failed after that was measured. An agent that
// ends without a word is an error with the end of its standard error.
func Run(ctx context.Context, job Job, observe func(Event)) (*Result, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, text.Err("agent.start", nil, err)
	}
	order, err := json.Marshal(job)
	if err != nil {
		return nil, text.Err("agent.start", nil, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, Command)
	stderr := &tail{}
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, text.Err("agent.start", nil, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, text.Err("agent.start", nil, err)
	}
	cmd.Cancel = in.Close
	cmd.WaitDelay = killGrace + tidyTime(job)
	if err := host.Bound(job.CPUs, cmd.Start); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, text.Err("agent.start", nil, err)
	}
	said := answer{observe: observe}
	_, _ = in.Write(order) // an agent that does not read its job has ended, and its end says why
	err = said.read(out)
	stopped := ctx.Err()
	if err != nil {
		cancel()
		_, _ = io.Copy(io.Discard, out) // until the agent has ended: Wait must come after the last read
	}
	ended := cmd.Wait()
	if stopped != nil && said.failure != nil && said.failure.Kind == redisload.KindCancelled {
		said.failure = nil // it was told to
	}
	switch {
	case said.failure != nil:
		return said.result, said.failure
	case said.result != nil && (said.result.Requests > 0 || stopped == nil):
		return said.result, nil
	case stopped != nil:
		return nil, stopped
	case err != nil:
		return nil, text.Err("agent.garbled", text.Args{"Log": stderr.String()}, err)
	case ended == nil:
		ended = errors.New("exit status 0")
	}
	return nil, text.Err("agent.died", text.Args{"Log": stderr.String()}, ended)
}

// An answer is what an agent said.
type answer struct {
	observe func(Event)
	result  *Result
	failure *Error
}

// read takes events until the agent closes its end.
func (a *answer) read(out io.Reader) error {
	decoder := json.NewDecoder(out)
	// Arguments of sentences keep their digits: 6379, not 6.379e+03.
	decoder.UseNumber()
	for {
		var e Event
		switch err := decoder.Decode(&e); {
		case err == io.EOF || errors.Is(err, os.ErrClosed):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF): // killed in mid-line
			return nil
		case err != nil:
			return err
		}
		if e.Result != nil {
			a.result = e.Result
		}
		if e.Error != nil {
			a.failure = e.Error
		}
		if a.observe != nil {
			a.observe(e)
		}
	}
}

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// tailBytes is enough for a panic with its stack.
const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.kept)) }
