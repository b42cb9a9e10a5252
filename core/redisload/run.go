package redisload

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"berth/core/text"
)

const (
	receiveBytes   = 256 << 10
	defaultSilence = 10 * time.Second
	tickEvery      = time.Second
)

// CleanUpTime bounds how long Run, once its ctx is done, may take to remove the
// keys of a job with Cleanup.
const CleanUpTime = 5 * time.Second

// A clock counts from the start of a job, so that a reading is one call and
// never 0.
type clock struct{ zero time.Time }

func newClock() clock { return clock{zero: time.Now().Add(-time.Second)} }

func (c clock) now() time.Duration { return time.Since(c.zero) }

// A part is one stretch of load: the warm-up, or what is measured. Every loop
// carries it out at once, over the same connections, until quota is used up
// and all replies are there, or until it is cut.
type part struct {
	quota   *quota
	start   time.Duration // of the clock
	silence time.Duration // without any reply, after which the part is cut
	stopped atomic.Bool
	stop    chan struct{} // closed when stopped
	once    sync.Once
	cut     error // why it was stopped
}

func newPart(q *quota, silence, start time.Duration) *part {
	return &part{quota: q, silence: silence, start: start, stop: make(chan struct{})}
}

// end cuts the part short, everywhere; the first reason counts.
func (p *part) end(why error) {
	p.once.Do(func() {
		p.cut = why
		p.stopped.Store(true)
		close(p.stop)
	})
}

// reason is why the part was cut short; nil if it was not.
func (p *part) reason() error {
	if !p.stopped.Load() {
		return nil
	}
	return p.cut
}

// An engine holds the connections of a job and carries its parts out.
type engine interface {
	// connect opens every connection; it returns what hindered one.
	connect(ctx context.Context) error
	// run carries a part out and returns each loop's tally. The tallies are
	// handed to watch before the first request is sent.
	run(p *part, watch func([]*tally))
	name() string
	close() // also of what is closed
}

// A session is one job under way.
type session struct {
	job      Job
	test     Test
	state    dataState
	clock    clock
	observer Observer
	engine   engine
}

// Run carries a job out: it connects, prepares the data state, warms up,
// measures and cleans up, telling o (which may be nil) what it does. An error
// is a sentence of the catalogue, and Kind names its case; what was measured until
// then comes with it. A job that was cut short after it had begun to
// measure, by ctx or by a server that stopped answering, is a Result with Cut.
func Run(ctx context.Context, job Job, o Observer) (Result, error) {
	if err := Check(job); err != nil {
		return Result{}, err
	}
	test, err := testOf(job)
	if err != nil {
		return Result{}, err
	}
	if o == nil {
		o = nobody{}
	}
	s := &session{job: job, test: test, clock: newClock(), observer: o}
	job.Threads = threadsOf(job)
	s.job = job
	result, err := s.run(ctx)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, cancelled(ctx, job.Target)
	}
	return result, dialError(job.Target, err)
}

// Idle opens a job's connections and holds them, idle, until ctx is done, as
// redis-benchmark -I does.
func Idle(ctx context.Context, job Job) error {
	if err := Check(job); err != nil {
		return err
	}
	test, err := testOf(job)
	if err != nil {
		return err
	}
	job.Threads = threadsOf(job)
	e := newEngine(job, test, newClock())
	defer e.close()
	if err := e.connect(ctx); err != nil && ctx.Err() == nil {
		return dialError(job.Target, err)
	}
	<-ctx.Done()
	return nil
}

func cancelled(ctx context.Context, t Target) error {
	return text.Err("redisload."+KindCancelled, text.Args{"Address": t.Address}, context.Cause(ctx))
}

type nobody struct{}

func (nobody) Phase(Phase) {}
func (nobody) Tick(Tick)   {}

// threadsOf is how many loops a job gets: never more than connections.
func threadsOf(job Job) int {
	n := job.Threads
	if n == 0 {
		n = AutoThreads(runtime.NumCPU())
	}
	return max(1, min(n, job.Clients))
}

func (s *session) run(ctx context.Context) (result Result, err error) {
	s.observer.Phase(Connecting)
	if err := s.connect(ctx); err != nil {
		return Result{}, err
	}
	defer func() { s.engine.close() }()
	if s.job.Cleanup {
		defer func() {
			s.observer.Phase(CleaningUp)
			failed := s.cleanUp()
			switch {
			case failed == nil:
			case err != nil: // that is what there is to say, and not that the same hinders tidying
			case result.Cut != "":
				result.Cut += "; " + text.Err("redisload.left-behind", text.Args{"Address": s.job.Target.Address, "Test": s.test.Title}, failed).Error()
			default:
				err = failed
			}
		}()
	}
	fresh := false // the data state is that of the measured part
	if s.job.WarmUp > 0 {
		if err := s.warmUp(ctx); err != nil {
			return Result{}, err
		}
		fresh = s.test.keeps()
	}
	if s.job.Prepare && !fresh {
		if err := s.prepare(ctx, s.job); err != nil {
			return Result{}, err
		}
	}
	return s.measure(ctx, s.engine)
}

// noticeTime is how long a server may take to notice that the connections of the test before,
// one for each batch, are closed, the last of which it may not even have accepted.
const noticeTime = time.Second

// connect opens the connections that carry the load.
func (s *session) connect(ctx context.Context) error {
	for until := s.clock.now() + noticeTime; ; {
		s.engine = newEngine(s.job, s.test, s.clock)
		err := s.engine.connect(ctx)
		if err == nil {
			return nil
		}
		s.engine.close()
		err = dialError(s.job.Target, err)
		if !s.job.Reconnect || Kind(err) != KindMaxClients || s.clock.now() > until || !sleep(retryEvery, ctx.Done()) {
			return err
		}
	}
}

// warmUp runs the load for as long as the job says, from a data state that
// suffices for that.
func (s *session) warmUp(ctx context.Context) error {
	short := s.job
	short.Requests, short.Duration = 0, s.job.WarmUp
	if s.job.Prepare {
		if err := s.prepare(ctx, short); err != nil {
			return err
		}
	}
	s.observer.Phase(WarmingUp)
	p := s.part(newQuota(s.job.Rate, s.state.limit, s.job.WarmUp))
	s.drive(ctx, s.engine, p, nil)
	return p.reason()
}

// prepare loads the data state, into each server that is loaded, on a connection of its
// own, which is closed again before load runs. A server that has no place left for it gets the places of
// the load's connections back meanwhile.
func (s *session) prepare(ctx context.Context, job Job) error {
	s.observer.Phase(Preparing)
	s.state = stateOf(job, s.test)
	load := func(c *control, job Job, test Test) error { return prepare(ctx, c, job, test, s.state) }
	err := onEach(ctx, job, load)
	if Kind(err) != KindMaxClients {
		return err
	}
	s.engine.close()
	err = s.withPlace(ctx, job, load)
	if again := s.connect(ctx); err == nil {
		err = again
	}
	return err
}

// withPlace is onEach as soon as the servers have noticed that the load's
// connections are closed.
func (s *session) withPlace(ctx context.Context, job Job, do func(*control, Job, Test) error) error {
	for until := s.clock.now() + connectTime; ; {
		err := onEach(ctx, job, do)
		if Kind(err) != KindMaxClients || s.clock.now() > until || !sleep(retryEvery, ctx.Done()) {
			return err
		}
	}
}

// onEach opens a control connection to each server that a job loads, one after the other, for
// do, which is given the job as that of the one server.
func onEach(ctx context.Context, job Job, do func(*control, Job, Test) error) error {
	for _, n := range job.nodes() {
		test, err := testOf(n)
		if err != nil {
			return err
		}
		if err := withControl(ctx, n, func(c *control) error { return do(c, n, test) }); err != nil {
			return err
		}
	}
	return nil
}

// withControl opens a control connection for do, and closes it.
func withControl(ctx context.Context, job Job, do func(*control) error) error {
	c, err := openControl(ctx, job, false)
	if err != nil {
		return err
	}
	defer c.close()
	unhook := context.AfterFunc(ctx, c.interrupt)
	defer unhook()
	return do(c)
}

// cleanUp removes the test's keys, on a connection of its own, since the job
// may have ended because of the others.
func (s *session) cleanUp() error {
	ctx, cancel := context.WithTimeout(context.Background(), CleanUpTime)
	defer cancel()
	s.engine.close()
	return s.withPlace(ctx, s.job, func(c *control, job Job, test Test) error { return removeKeys(ctx, c, job, test) })
}

func (s *session) part(q *quota) *part {
	silence := s.job.Deadline
	if silence == 0 {
		silence = defaultSilence
	}
	return newPart(q, silence, s.clock.now())
}

// drive runs a part to its end, or until ctx is done.
func (s *session) drive(ctx context.Context, e engine, p *part, watch func([]*tally)) {
	unhook := context.AfterFunc(ctx, func() { p.end(cancelled(ctx, s.job.Target)) })
	defer unhook()
	e.run(p, watch)
}

func (s *session) measure(ctx context.Context, e engine) (Result, error) {
	limit := s.job.Requests
	if s.job.Prepare && s.state.limit > 0 && (limit == 0 || limit > s.state.limit) {
		limit = s.state.limit
	}
	q := newQuota(s.job.Rate, limit, s.job.Duration)
	s.observer.Phase(Measuring)
	p := s.part(q)
	var tallies []*tally
	var seen watch
	done := make(chan struct{})
	var ticking sync.WaitGroup
	s.drive(ctx, e, p, func(all []*tally) {
		tallies = all
		ticking.Go(func() { s.tick(p, all, &seen, done) })
	})
	close(done)
	ticking.Wait()
	s.observer.Phase(Measured)

	sum := newTally(s.job.Rate > 0)
	result := Result{Engine: e.name(), Threads: s.job.Threads}
	for _, t := range tallies {
		sum.merge(t)
		if t.cpu > 0 {
			result.ThreadCPU = append(result.ThreadCPU, t.cpu)
		}
	}
	result.Requests, result.Errors, result.Misses, result.Reconnects = sum.requests, sum.errors, sum.misses, sum.reconnects
	result.Short, result.FirstShort = sum.short, sum.firstShort
	result.Outage = sum.outage
	result.Latency, result.Service, result.FirstErrors = sum.latency, sum.service, sum.firstErrors
	if sum.requests > 0 {
		result.Elapsed = sum.ended - sum.began
	}
	result.Unsettled = s.job.Rate == 0 && seen.unsettled(result.Elapsed, result.Requests)
	if s.job.Prepare {
		result.State = s.state.describe(s.job, s.test)
	}
	why := p.reason()
	if why == nil && sum.requests == 0 {
		why = silent(s.job.Target)
	}
	if Kind(why) == KindNoAnswer && len(s.job.Args) > 0 {
		why = text.Err("redisload."+KindNoReply, text.Args{"Address": s.job.Target.Address, "Silence": p.silence.Seconds()}, nil)
	}
	if why != nil {
		result.Cut = why.Error()
	}
	if why != nil && sum.requests == 0 && ctx.Err() == nil {
		return result, why
	}
	return result, nil
}

// tick tells the observer about once a second how far the part is, and watches it closer
// itself.
func (s *session) tick(p *part, tallies []*tally, seen *watch, done <-chan struct{}) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	told := time.Duration(0)
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			t := Tick{Elapsed: s.clock.now() - p.start}
			for _, one := range tallies {
				t.Requests += one.shownRequests.Load()
				t.Errors += one.shownErrors.Load()
			}
			seen.add(t)
			if t.Elapsed-told >= tickEvery-watchEvery/2 {
				told = t.Elapsed
				s.observer.Tick(t)
			}
		}
	}
}
