package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"berth/core/redisload"
	"berth/core/result"
	"berth/core/text"
)

// Exit codes of an agent process.
const (
	exitDone   = 0
	exitFailed = 1 // an Error was written, or nothing could be
	exitJob    = 2 // the job is none
)

// stopGrace is how long a job may take to end once standard input has ended. The
// parent, if it lives, waits longer; if not, nobody is left to wait.
const stopGrace = 800 * time.Millisecond

// A load carries a job out; redisload.Run is one.
type load func(context.Context, redisload.Job, redisload.Observer) (redisload.Result, error)

// Main is what an agent process does: it reads one Job from in, carries it out until
// it is done or in ends, writes Events to out, and returns the exit code. It
// is bound to the job's CPUs already: Run starts it so.
func Main(in io.Reader, out io.Writer) int {
	// Ctrl-C and the end of the terminal reach every process on it, and timeout's
	// signal every process of its group. What they mean is the parent's to say;
	// the agent would lose what it has measured, and leave its keys behind.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return serve(in, out, redisload.Run)
}

func serve(in io.Reader, out io.Writer, run load) int {
	w := &writer{encoder: json.NewEncoder(out)}
	var job Job
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		w.fail(text.Err("agent.job", nil, err))
		return exitJob
	}
	if job.Redis == nil && job.OLTP == nil && job.Tables == nil {
		w.fail(text.Err("agent.no-load", nil, nil))
		return exitJob
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan struct{})
	go func() { // ends with in, at the latest with the process: a read cannot be called off
		_, _ = io.Copy(io.Discard, in)
		close(ended)
	}()
	code := make(chan int, 1)
	go func() { code <- carryOut(ctx, job, w, run) }()
	select {
	case c := <-code:
		return c
	case <-ended:
	}
	stop()
	select {
	case c := <-code:
		return c
	case <-time.After(stopGrace + tidyTime(job)):
		return exitFailed
	}
}

// tidyTime is what a job may take beyond the usual to remove its keys.
func tidyTime(job Job) time.Duration {
	if job.Redis != nil && job.Redis.Cleanup {
		return redisload.CleanUpTime
	}
	return 0
}

func carryOut(ctx context.Context, job Job, w *writer, run load) int {
	o := &observer{self: os.Getpid(), watch: job.Watch, w: w}
	var r *Result
	var err error
	switch {
	case job.Redis != nil:
		r, err = loadRedis(ctx, *job.Redis, o, run)
	case job.OLTP != nil:
		r, err = loadMySQL(ctx, *job.OLTP, o)
	default:
		r, err = makeTables(ctx, *job.Tables, w)
	}
	if r != nil {
		w.write(Event{Result: r})
	}
	if err != nil {
		w.fail(err)
		return exitFailed
	}
	return exitDone
}

// loadRedis gives the result of what was measured also beside an error.
func loadRedis(ctx context.Context, job redisload.Job, o *observer, run load) (*Result, error) {
	measured, err := run(ctx, job, o)
	if measured.Latency == nil || err != nil && measured.Requests == 0 {
		return nil, err
	}
	r, encodeErr := newResult(measured, o.cpu(measured.ThreadCPU))
	return r, errors.Join(encodeErr, err)
}

// newResult makes r fit for a line of JSON.
func newResult(r redisload.Result, cpu CPU) (*Result, error) {
	latency, err := result.EncodeHistogram(r.Latency)
	if err != nil {
		return nil, err
	}
	service, err := result.EncodeHistogram(r.Service)
	if err != nil {
		return nil, err
	}
	return &Result{
		Requests: r.Requests, Errors: r.Errors, Misses: r.Misses, Short: r.Short, FirstShort: r.FirstShort, Reconnects: r.Reconnects, Outage: r.Outage,
		Elapsed: r.Elapsed, Latency: latency, Service: service, FirstErrors: r.FirstErrors,
		Engine: r.Engine, Threads: r.Threads, State: r.State, Unsettled: r.Unsettled, Cut: r.Cut, CPU: cpu,
	}, nil
}

// An observer reads the meters where the measured part begins and ends, and
// passes the rest on.
type observer struct {
	self          int
	watch         Watch
	w             *writer
	before, after *reading
}

// Phase is called on the goroutine that runs the job.
func (o *observer) Phase(p redisload.Phase) {
	switch p {
	case redisload.Measuring:
		o.w.write(Event{Phase: p})
		holdCollector()
		r := readMeters(o.self, o.watch)
		o.before = &r
	case redisload.Measured:
		r := readMeters(o.self, o.watch)
		o.after = &r
		releaseCollector()
		o.w.write(Event{Phase: p})
	default:
		o.w.write(Event{Phase: p})
	}
}

func (o *observer) Tick(t redisload.Tick) { o.w.write(Event{Tick: &Tick{Tick: t}}) }

// cpu is what was used between the two readings, and by each event loop as it
// found itself. Without both readings it is unknown.
func (o *observer) cpu(threads []time.Duration) CPU {
	if o.before == nil || o.after == nil {
		return CPU{}
	}
	cpu := used(*o.before, *o.after)
	cpu.Threads = threads
	return cpu
}

// collectorRoom is what may be allocated while measuring before garbage is
// collected after all. The engines stay far below: a second of 50 clients allocated
// 150 KB (epoll) and 1.2 MB (portable), nothing of it by the request.
const collectorRoom = 32 << 20

// holdCollector collects garbage now, and then not while measuring: neither
// by the heap's growth nor, as Go does otherwise, every two minutes.
func holdCollector() {
	runtime.GC()
	debug.SetGCPercent(-1)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + collectorRoom)
}

func releaseCollector() { debug.SetGCPercent(100) }

// A writer writes events, from any goroutine.
type writer struct {
	mutex   sync.Mutex
	encoder *json.Encoder
}

// write has nobody to tell of an error: a parent that does not read any more is
// gone, and then standard input ends too.
func (w *writer) write(e Event) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	_ = w.encoder.Encode(e)
}

func (w *writer) fail(err error) { w.write(Event{Error: newError(err)}) }
