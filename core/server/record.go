package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"berth/core/text"
)

// An entry is one line of a record: what a Launcher has started or ended. Exactly one field is set (Engine goes with Docker).
type entry struct {
	Launch  *launch   `json:"launch,omitempty"`  // the first line
	Started *identity `json:"started,omitempty"` // a process that must not stay
	Ended   *identity `json:"ended,omitempty"`   // a process that has ended
	// Docker says that from now on containers, networks and images with the
	// launch's label may exist at an engine, at the address Engine.
	Docker bool   `json:"docker,omitempty"`
	Engine string `json:"engine,omitempty"`
	// Borrowed is an existing server that keys will be written to; Returned,
	// one that has none of them any more.
	Borrowed *borrowed `json:"borrowed,omitempty"`
	Returned *borrowed `json:"returned,omitempty"`
	Done     bool      `json:"done,omitempty"` // nothing of the launch is left but its folder
}

// A launch is one Launcher as its guard and later Berths know it.
type launch struct {
	ID     string `json:"id"` // unique; the label of what it makes
	Run    string `json:"run"`
	Owner  owner  `json:"owner"`
	Folder string `json:"folder"`
}

// A record is what a Launcher has told: to a file, for the next start, and to its guard.
type record struct {
	mu    sync.Mutex
	lines []byte // everything told so far, for a guard that must be started again
	file  *os.File
	guard *exec.Cmd
	pipe  io.WriteCloser
}

// newRecord starts the guard and tells it and the file what is launched.
func newRecord(path string, l launch) (*record, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r := &record{file: file}
	if err = r.startGuard(); err == nil {
		err = r.tell(entry{Launch: &l})
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// startGuard starts this program again as a guard, in a session of its own, and tells it what was told before.
func (r *record) startGuard() error {
	program, err := os.Executable()
	if err != nil {
		return text.Err("server.no-guard", nil, err)
	}
	guard := exec.Command(program, GuardCommand)
	guard.Dir = filepath.VolumeName(program) + string(filepath.Separator) // always there, and keeps no folder from being removed
	guard.SysProcAttr = ownSession()
	pipe, err := guard.StdinPipe()
	if err != nil {
		return text.Err("server.no-guard", nil, err)
	}
	if err := guard.Start(); err != nil {
		return text.Err("server.no-guard", nil, err)
	}
	r.guard, r.pipe = guard, pipe
	if len(r.lines) == 0 {
		return nil
	}
	if _, err = pipe.Write(r.lines); err != nil {
		return text.Err("server.no-guard", nil, err)
	}
	return nil
}

// tell returns when e is in the file and in the guard's pipe, where it stays though
// this process dies. A guard that has died is replaced.
func (r *record) tell(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	filed, err := json.Marshal(e.withoutPassword())
	if err != nil {
		return err
	}
	line, filed = append(line, '\n'), append(filed, '\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line...)
	if _, err := r.file.Write(filed); err != nil {
		return text.Err("server.no-record", text.Args{"File": r.file.Name()}, err)
	}
	if _, err := r.pipe.Write(line); err == nil {
		return nil
	}
	r.pipe.Close()
	r.guard.Wait()
	return r.startGuard()
}

// withoutPassword is e as a file may have it.
func (e entry) withoutPassword() entry {
	for _, b := range []**borrowed{&e.Borrowed, &e.Returned} {
		if *b != nil {
			without := **b
			without.Password = ""
			*b = &without
		}
	}
	return e
}

// close ends the pipe and waits for the guard, which ends what was not told to
// have ended. A guard that waits for an engine to come back outlives this process, as it would its death.
func (r *record) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.file.Close()
	if r.guard == nil {
		return
	}
	r.pipe.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.guard.Wait()
	}()
	within(ended, guardWait)
}

// guardWait is how long a Launcher that closes waits for its guard.
const guardWait = 5 * time.Second

// leftovers are what a record says was started and did not end.
type leftovers struct {
	launch    launch
	processes []identity
	borrowed  []borrowed
	docker    bool
	engine    string // its address
	done      bool
}

// replay reads a record to its end. A torn last line is one that was never told.
func replay(in io.Reader) leftovers {
	var left leftovers
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return left
		}
		var e entry
		if json.Unmarshal(bytes.TrimSpace(line), &e) != nil {
			continue
		}
		switch {
		case e.Launch != nil:
			left.launch = *e.Launch
		case e.Started != nil:
			left.processes = append(left.processes, *e.Started)
		case e.Ended != nil:
			left.processes = without(left.processes, *e.Ended)
		case e.Borrowed != nil:
			left.borrowed = append(left.borrowed, *e.Borrowed)
		case e.Returned != nil:
			left.borrowed = slices.DeleteFunc(left.borrowed, e.Returned.same)
		case e.Docker:
			left.docker, left.engine = true, e.Engine
		case e.Done:
			left.done = true
		}
	}
}

func without(all []identity, one identity) []identity {
	var kept []identity
	for _, i := range all {
		if i != one {
			kept = append(kept, i)
		}
	}
	return kept
}
