package oltp

import (
	"context"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"berth/core/text"
)

const (
	defaultInterval = time.Second
	defaultSilence  = time.Minute
	watchEvery      = 100 * time.Millisecond
	// A cancelled job's queries under way may end by themselves for so long;
	// then their connections are cut.
	grace = 500 * time.Millisecond
)

// A part is one stretch of load: the warm-up, or what is measured. All workers
// carry it out at once until its time or its transactions are used up, or
// until it is cut.
type part struct {
	start    time.Time
	took     time.Duration // once it is over
	duration time.Duration // 0: no end by time
	events   int64         // 0: no end by number
	taken    atomic.Int64
	arrivals *arrivals // nil: as fast as it goes
	stopped  atomic.Bool
	cut      atomic.Pointer[error]
}

func (p *part) elapsed() time.Duration { return time.Since(p.start) }

// end cuts the part short, everywhere; the first reason counts.
func (p *part) end(why error) {
	p.cut.CompareAndSwap(nil, &why)
	p.stopped.Store(true)
}

func (p *part) reason() error {
	if why := p.cut.Load(); why != nil {
		return *why
	}
	return nil
}

// over says that no further transaction begins.
func (p *part) over() bool {
	return p.stopped.Load() || p.duration > 0 && p.elapsed() >= p.duration
}

// next lets the caller begin a transaction, when it is due, or says that there
// are no more. due is of the part's clock.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L488
func (p *part) next() (due time.Duration, more bool) {
	if p.over() || p.events > 0 && p.taken.Add(1) > p.events {
		return 0, false
	}
	if p.arrivals == nil {
		return 0, true
	}
	due, full := p.arrivals.take(p.elapsed())
	if full {
		p.end(text.Err("oltp."+KindQueueFull, text.Args{"Most": longestQueue}, nil))
		return 0, false
	}
	for {
		wait := due - p.elapsed()
		if wait <= 0 {
			p.arrivals.began()
			return due, true
		}
		if p.over() {
			return 0, false
		}
		sleep(min(wait, watchEvery))
	}
}

func (p *part) finished() {
	if p.arrivals != nil {
		p.arrivals.ended()
	}
}

// A session is one job under way.
type session struct {
	job      Job
	observer Observer
	workers  []*worker
	seed     uint64
	engine   string
	facts    Facts
	telling  sync.Mutex // the observer
	last     Stretch    // to the last checkpoint, from the start
}

type nobody struct{}

func (nobody) Phase(Phase) {}
func (nobody) Tick(Tick)   {}

// Run carries a job out on tables that are there: it connects, prepares the
// statements, warms up and measures, telling o (which may be nil) what it does.
// An error is a sentence of the catalogue, and Kind names its case. A job
// that was cut short after transactions were measured, by ctx or by a server that
// failed, is a Result with Cut and no error.
//
// While it runs, the blocking engine changes two settings of the process: GOMAXPROCS and
// the collector's percentage.
func Run(ctx context.Context, job Job, o Observer) (Result, error) {
	if err := Check(job); err != nil {
		return Result{}, err
	}
	if o == nil {
		o = nobody{}
	}
	s := &session{job: job, observer: o, seed: job.Draw.Seed, engine: EnginePortable}
	if s.seed == 0 {
		s.seed = uint64(time.Now().UnixNano())
	}
	if canBlock && !job.ForcePortable && job.Target.TLS == nil {
		s.engine = EngineBlocking
		defer makeRoom(job.Threads)()
	}
	r, err := s.run(ctx)
	if err != nil {
		err = serverError(job.Target, err)
	}
	return r, err
}

// makeRoom lets a thread a connection wait in the system. What it returns undoes it.
//
// A thread that waits in a receive keeps its P, so each needs one. None is to spare: at every
// idle P the scheduler would wake a thread to look for work a hundred times a second a worker. What
// else the process does runs where a worker yields, 10 ms later at most. The collector
// stops all threads, each at its next answer, so it had better come seldom: not every 4 MB
// but every 64 MB, some seconds of load.
func makeRoom(threads int) (undo func()) {
	const collectorPercent, off = 1600, -1
	procs := runtime.GOMAXPROCS(threads)
	percent := debug.SetGCPercent(collectorPercent)
	if percent == off { // by whoever started this process
		debug.SetGCPercent(off)
	}
	return func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	}
}

func (s *session) run(ctx context.Context) (Result, error) {
	s.observer.Phase(Connecting)
	facts, err := examine(ctx, s.job)
	if err != nil {
		return Result{}, err
	}
	s.facts = facts
	if err := s.open(); err != nil {
		return Result{}, err
	}
	defer s.close()
	defer s.guard(ctx)()
	if err := s.each(func(w *worker) error { return w.connect(ctx) }); err != nil {
		return Result{}, err
	}
	s.observer.Phase(Preparing)
	if err := s.each((*worker).prepare); err != nil {
		return Result{}, err
	}
	var warm WarmUp
	if s.job.WarmUp > 0 {
		s.observer.Phase(WarmingUp)
		p := s.part(s.job.WarmUp, 0)
		warm.Flat = s.drive(ctx, p, s.untilFlat)
		warm.Took = p.took
		if why := p.reason(); why != nil {
			return Result{WarmUp: warm, Server: facts}, why
		}
	}
	return s.measure(ctx, warm)
}

// open makes the workers, unconnected.
func (s *session) open() error {
	unique := newUniqueSequence(uint32(s.seed), uint32(s.seed>>32))
	dial := plainDialer
	if s.engine == EngineBlocking {
		dial = blockingDialer
	}
	for i := range s.job.Threads {
		l := &line{}
		connector, err := connectorTo(s.job.Target, l.wrap(dial))
		if err != nil {
			return err
		}
		s.workers = append(s.workers, &worker{
			job: &s.job, script: scriptOf(s.job), tableSize: max(1, s.job.Schema.TableSize),
			random: newRandom(s.job.Draw, s.seed, uint64(i)), unique: unique,
			connector: connector, line: l, c: make([]byte, cBytes), pad: make([]byte, padBytes),
		})
	}
	return nil
}

func (s *session) close() {
	for _, w := range s.workers {
		w.closeAll()
	}
}

// guard cuts the connections of a job that is cancelled, when their queries
// have had time to end. What it returns ends it.
func (s *session) guard(ctx context.Context) (end func()) {
	done := make(chan struct{})
	var guarding sync.WaitGroup
	guarding.Go(func() {
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		patience := time.NewTimer(grace)
		defer patience.Stop()
		select {
		case <-done:
		case <-patience.C:
			s.sever()
		}
	})
	return func() {
		close(done)
		guarding.Wait()
	}
}

func (s *session) sever() {
	for _, w := range s.workers {
		w.line.sever()
	}
}

// each does f for every worker at once; the first error counts.
func (s *session) each(f func(*worker) error) error {
	var all sync.WaitGroup
	var first atomic.Pointer[error]
	for _, w := range s.workers {
		all.Go(func() {
			if err := f(w); err != nil {
				first.CompareAndSwap(nil, &err)
			}
		})
	}
	all.Wait()
	if err := first.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *session) part(duration time.Duration, events int64) *part {
	p := &part{duration: duration, events: events}
	if s.job.Rate > 0 {
		p.arrivals = newArrivals(s.job.Rate, newRandom(s.job.Draw, s.seed, uint64(len(s.workers))))
	}
	return p
}

// drive runs a part to its end, or until ctx is done or the server is silent
// for too long. watch, if any, is called until the part is over, from another
// goroutine; drive returns what it returned.
func (s *session) drive(ctx context.Context, p *part, watch func(p *part, done <-chan struct{}) bool) (watched bool) {
	unhook := context.AfterFunc(ctx, func() {
		p.end(text.Err("oltp."+KindCancelled, text.Args{"Address": s.job.Target.Address}, context.Cause(ctx)))
	})
	defer unhook()
	for _, w := range s.workers {
		w.tally = newTally()
	}
	done := make(chan struct{})
	var watching, working sync.WaitGroup
	ready := make(chan struct{})
	for _, w := range s.workers {
		working.Go(func() {
			<-ready
			w.repeat(ctx, p)
		})
	}
	p.start = time.Now()
	close(ready)
	watching.Go(func() { watched = watch(p, done) })
	watching.Go(func() { s.watchSilence(p, done) })
	working.Wait()
	p.took = p.elapsed()
	close(done)
	watching.Wait()
	return watched
}

func (s *session) counts() (all Counts) {
	for _, w := range s.workers {
		all = all.plus(w.tally.counts())
	}
	return all
}

// watchSilence cuts a part in which no query is answered for too long.
func (s *session) watchSilence(p *part, done <-chan struct{}) {
	limit := s.job.Silence
	if limit == 0 {
		limit = defaultSilence
	}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	last, since := Counts{}, time.Now()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		idle := false
		if p.arrivals != nil {
			_, running := p.arrivals.state(p.elapsed())
			idle = running == 0
		}
		if now := s.counts(); now != last || idle {
			last, since = now, time.Now()
		}
		if time.Since(since) > limit {
			p.end(text.Err("oltp."+KindNoAnswer, text.Args{"Address": s.job.Target.Address, "Limit": limit.String()}, nil))
			s.sever()
			return
		}
	}
}

// untilFlat ends a warm-up when its throughput is flat; it says whether it did.
func (s *session) untilFlat(p *part, done <-chan struct{}) bool {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	var perSecond []float64
	last := int64(0)
	for {
		select {
		case <-done:
			return false
		case <-ticker.C:
		}
		events := s.counts().Events
		perSecond = append(perSecond, float64(events-last))
		last = events
		if s.job.UntilFlat && flat(perSecond) {
			p.stopped.Store(true)
			return true
		}
	}
}

// flat says whether the last three of some throughputs lie within a
// twentieth of the greatest of them.
func flat(throughputs []float64) bool {
	const window, within = 3, 0.05
	if len(throughputs) < window {
		return false
	}
	last := throughputs[len(throughputs)-window:]
	low, high := last[0], last[0]
	for _, t := range last {
		low, high = min(low, t), max(high, t)
	}
	return low > 0 && high-low <= within*high
}

func (s *session) measure(ctx context.Context, warm WarmUp) (Result, error) {
	p := s.part(s.job.Duration, s.job.Events)
	s.observer.Phase(Measuring)
	s.drive(ctx, p, s.watch)
	s.observer.Phase(Measured)

	r := Result{Elapsed: p.took, Latency: newHistogram(), FirstErrors: map[string]string{}, WarmUp: warm, Server: s.facts, Engine: s.engine, Counts: s.counts(), Buckets: s.buckets()}
	r.Rest = s.sinceCheckpoint(p.took)
	for _, w := range s.workers {
		r.Latency.Merge(w.tally.latency)
		r.Threads = append(r.Threads, w.tally.thread)
		for number, message := range w.tally.firstErrors {
			if _, known := r.FirstErrors[number]; !known {
				r.FirstErrors[number] = message
			}
		}
	}
	why := p.reason()
	if why == nil && r.Events == 0 && r.Errors > 0 {
		why = text.Err("oltp."+KindOnlyErrors, text.Args{"Address": s.job.Target.Address, "Errors": r.Errors, "Message": r.FirstErrors[slices.Min(slices.Collect(maps.Keys(r.FirstErrors)))]}, nil)
	}
	if why == nil {
		return r, nil
	}
	why = serverError(s.job.Target, why)
	r.Cut = why.Error()
	if r.Events == 0 && ctx.Err() == nil {
		return r, why
	}
	return r, nil
}

func (s *session) buckets() (all Buckets) {
	for _, w := range s.workers {
		for i := range all {
			all[i] += w.tally.buckets[i].Load()
		}
	}
	return all
}

// watch tells the observer of intervals and checkpoints.
func (s *session) watch(p *part, done <-chan struct{}) bool {
	var all sync.WaitGroup
	defer all.Wait()
	if to, ok := s.observer.(Checkpointer); ok {
		all.Go(func() { s.checkpoints(p, done, to) })
	}
	return s.tick(p, done)
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/sysbench.c#L933
func (s *session) checkpoints(p *part, done <-chan struct{}, to Checkpointer) {
	for _, at := range s.job.Checkpoints {
		timer := time.NewTimer(at - p.elapsed())
		select {
		case <-done:
			timer.Stop()
			return
		case <-timer.C:
		}
		s.telling.Lock()
		to.Checkpoint(s.sinceCheckpoint(p.elapsed()))
		s.telling.Unlock()
	}
}

// sinceCheckpoint is what happened since the last checkpoint, and makes now, of the part's clock, the last.
func (s *session) sinceCheckpoint(now time.Duration) Stretch {
	c := Stretch{Elapsed: now, Interval: now - s.last.Elapsed, Counts: s.counts(), Buckets: s.buckets()}
	before := s.last
	s.last = c
	c.Counts = c.minus(before.Counts)
	for i := range c.Buckets {
		c.Buckets[i] -= before.Buckets[i]
	}
	for _, w := range s.workers {
		c.Threads = append(c.Threads, w.tally.takeRecent())
	}
	return c
}

// tick tells the observer, at the end of every whole interval, what happened in it.
func (s *session) tick(p *part, done <-chan struct{}) bool {
	every := s.job.Interval
	if every == 0 {
		every = defaultInterval
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var total Counts
	var buckets Buckets
	var last time.Duration
	tell := func(now time.Duration) {
		counts, all := s.counts(), s.buckets()
		t := Tick{Elapsed: now, Interval: now - last, Threads: len(s.workers), Counts: counts.minus(total), Total: counts}
		interval := all
		for i := range interval {
			interval[i] -= buckets[i]
		}
		t.Latency = interval.percentiles(s.job.Percentiles)
		if p.arrivals != nil {
			t.Queue, t.Concurrency = p.arrivals.state(now)
		}
		s.telling.Lock()
		s.observer.Tick(t)
		s.telling.Unlock()
		last, total, buckets = now, counts, all
	}
	for ticks := time.Duration(1); ; ticks++ {
		select {
		case <-ticker.C:
			tell(p.elapsed())
		case <-done:
			// The last interval ends with the part.
			if p.took >= ticks*every {
				tell(p.took)
			}
			return false
		}
	}
}
