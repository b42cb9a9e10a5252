package server

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// How long a server has to end after it was asked to, and where the run was cancelled.
const (
	grace          = 2 * time.Second
	graceCancelled = 300 * time.Millisecond
)

// An Endpoint is how a server is reached.
type Endpoint struct {
	Network  string // "tcp" or "unix"
	Address  string // host:port, or the socket's path
	User     string
	Password string
	Database int    // of Redis
	Schema   string // of MySQL: the database's name
	TLS      bool
}

// A Server is one started variant.
type Server struct {
	Variant   plan.Variant
	Endpoint  Endpoint
	PIDs      []int // the server's processes on this machine, if it can be known
	ProxyPIDs []int // docker-proxy's
	Ready     time.Duration
	Facts     host.Facts
	Commands  []string // that would start the same by hand
	Flags     []string // of package result

	running  running // nil for a server that Berth did not start
	launcher *Launcher
	tunnel   *tunnel
	folder   string // private; "" if it has none
	secrets  *secrets
	stopping atomic.Bool
	ended    chan struct{} // closed when it has ended, however
	exited   chan struct{} // closed when it has ended by itself
	failure  error         // set before exited is closed

	stop    sync.Once
	stopErr error
}

// running is a server's process or container.
type running interface {
	// wait returns when it has ended, and how; lost where that cannot be known any more.
	wait() (how, lost error)
	terminate() error // asks it to end
	kill() error      // ends it
	// remove removes what is left of it once it has ended.
	remove(ctx context.Context) error
	// facts are what its surroundings are for it, once it runs.
	facts(ctx context.Context) host.Facts
	// log is what it wrote, or the end of it.
	log() string
}

// watch follows a running server in a goroutine that Stop waits for.
func (s *Server) watch() {
	go func() {
		defer close(s.ended)
		how, lost := s.running.wait()
		if s.stopping.Load() {
			return
		}
		if lost != nil {
			s.failure = text.Err("server.docker-lost", text.Args{"Label": s.Variant.Label}, lost)
		} else {
			s.failure = text.Err("server.ended", text.Args{"Label": s.Variant.Label, "How": how, "Log": s.log()}, nil)
		}
		close(s.exited)
	}()
}

// EngineLost reports whether err is that a server went with its Docker engine: no other can be started there.
func EngineLost(err error) bool {
	var told *text.Error
	return errors.As(err, &told) && told.ID == "server.docker-lost"
}

// Exited is closed when the server has ended by itself; Failure then says why, with
// the end of its own log. It stays open when the server is stopped, and when only its docker-proxy ends.
func (s *Server) Exited() <-chan struct{} { return s.exited }

// Failure is why the server ended by itself, or why it cannot be reached any more though
// it runs: its docker-proxy has ended. It is nil while neither is so.
func (s *Server) Failure() error {
	select {
	case <-s.exited:
		return s.failure
	default:
	}
	if s.tunnel != nil && !s.stopping.Load() {
		if err := s.tunnel.gone(s.Variant); err != nil {
			return err
		}
	}
	for _, pid := range s.ProxyPIDs {
		if _, err := startTime(pid); err != nil && !s.stopping.Load() {
			return text.Err("server.proxy-gone", text.Args{"Label": s.Variant.Label, "Address": s.Endpoint.Address, "PID": pid}, nil)
		}
	}
	return nil
}

// Stop ends the server and removes what it left, also when ctx is done. An
// existing server goes on; only the run's keys are removed from it. Stopping twice is stopping once.
func (s *Server) Stop(ctx context.Context) error {
	s.stop.Do(func() { s.stopErr = s.end(ctx) })
	return s.stopErr
}

func (s *Server) end(ctx context.Context) error {
	if s.running == nil {
		return s.giveBack(ctx)
	}
	s.stopping.Store(true)
	wait := grace
	if ctx.Err() != nil {
		wait = graceCancelled
	}
	err := s.running.terminate()
	s.untilClean()
	if !within(s.ended, wait) {
		err = s.running.kill()
	}
	if !within(s.ended, grace) {
		return text.Err("server.not-stopped", text.Args{"Label": s.Variant.Label}, err)
	}
	removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer cancel()
	if s.tunnel != nil {
		if err := s.tunnel.close(removing); err != nil {
			return text.Err("server.not-removed", text.Args{"Label": s.Variant.Label}, err)
		}
	}
	if err := s.running.remove(removing); err != nil {
		return text.Err("server.not-removed", text.Args{"Label": s.Variant.Label}, err)
	}
	if err := s.launcher.removeFolder(s.folder); err != nil {
		return text.Err("server.not-removed", text.Args{"Label": s.Variant.Label}, err)
	}
	s.launcher.forget(s)
	return nil
}

// giveBack leaves an existing server as it was, but for its counters: the keys
// that a sample cut short left there are removed by name.
func (s *Server) giveBack(ctx context.Context) error {
	if s.Variant.Service != plan.Redis || len(s.launcher.options.Keys) == 0 { // it has no keys
		s.launcher.forget(s)
		return nil
	}
	b := borrow(s.Endpoint, s.launcher.options.Keys)
	if _, err := removeKeys(ctx, s.Endpoint, b.Keys); err != nil {
		return b.keysLeft(s.launcher.launch.Folder, err)
	}
	s.launcher.forget(s)
	return s.launcher.record.tell(entry{Returned: b})
}

// within reports whether done is closed before d has passed.
func within(done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// log is the end of what the server wrote, a few lines with no password in them.
func (s *Server) log() string { return lastLines(redact(s.running.log(), s.secrets.all)) }

// lastLines is the end of a server's log, short enough to stand in a message.
func lastLines(log string) string {
	const most, longest = 6, 200
	lines := strings.Split(strings.TrimSpace(log), "\n")
	kept := lines[:0]
	for _, line := range lines {
		// Redis draws a picture and blank lines when it starts.
		if line = strings.TrimRight(line, " \r\t"); line != "" {
			kept = append(kept, text.Line(line, longest))
		}
	}
	return strings.Join(kept[max(0, len(kept)-most):], "\n")
}
