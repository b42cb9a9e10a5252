package redisload

import (
	"context"
	"errors"
	"math"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	portableReceiveBytes = 16 << 10
	// portableChunkBytes is what one connection keeps of its requests, and
	// what is safe to write before reading: less than any system's buffers.
	portableChunkBytes = 8 << 10
	portableTallies    = 8
)

// A portableEngine gives each connection a goroutine and uses Go's own network
// calls: for systems without epoll, and for TLS. It costs more CPU a request.
type portableEngine struct {
	job      Job
	clock    clock
	elements int64
	conns    []*portableConn
}

// A portableConn is one of its connections.
type portableConn struct {
	engine   *portableEngine
	target   Target
	template template
	source   source
	skipper  skipper
	buffer   []byte

	mu   sync.Mutex // held to replace conn
	conn net.Conn   // nil: to be opened

	answered bool          // a request has been, on this connection
	lostAt   time.Duration // when it was lost; 0: it was not
}

// A portableTally is shared by some connections.
type portableTally struct {
	mu sync.Mutex
	*tally
	absence *outage
}

// An outage is what the connections of a part know of the server's absence.
type outage struct {
	heard   atomic.Int64           // when a reply came last
	failure atomic.Pointer[absent] // why the last connection could not be opened, until one could
	bears   atomic.Bool            // barren has losses
	mu      sync.Mutex             // held for barren
	barren  barren
}

// bore counts a connection that was lost before it bore a reply; reply ends the row of those.
func (o *outage) bore(now time.Duration, t Target) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.barren.add(now, t)
	o.bears.Store(true)
}

func (o *outage) reply(now time.Duration) {
	o.heard.Store(int64(now))
	if !o.bears.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.barren = barren{}
	o.bears.Store(false)
}

// barrenFor is why a part is cut whose connections, so many, only bore losses for longer than silence.
func (o *outage) barrenFor(conns int, now, silence time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.barren.lasts(conns, now, silence) {
		return nil
	}
	return o.barren.why
}

// An absent is a server that cannot be reached, and why.
type absent struct {
	target Target
	err    error
}

// reason is why nothing was heard by so many connections for too long.
func (o *outage) reason(t Target, conns int) error {
	if why := o.barrenFor(conns, math.MaxInt64, 0); why != nil {
		return why
	}
	if failure := o.failure.Load(); failure != nil {
		return gone(failure.target, failure.err)
	}
	return silent(t)
}

func newPortable(job Job, test Test, c clock) engine {
	e := &portableEngine{job: job, clock: c, elements: test.elements}
	nodes := job.nodes()
	shared := make([]template, len(nodes))
	for i := range job.Clients {
		n := i % len(nodes)
		if i < len(nodes) || shared[n].drawn {
			tagged, _ := testOf(nodes[n]) // which is test but for its tag: it was found before
			shared[n] = newTemplate(nodes[n], tagged, portableChunkBytes)
		}
		one := &portableConn{engine: e, target: nodes[n].Target, template: shared[n], buffer: make([]byte, portableReceiveBytes)}
		one.source = newSource(job, i, job.Clients)
		e.conns = append(e.conns, one)
	}
	return e
}

func (e *portableEngine) name() string {
	if e.job.Target.TLS != nil {
		return EngineTLS
	}
	return EnginePortable
}

// connect opens all connections, some at a time.
func (e *portableEngine) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	places := make(chan struct{}, 64)
	var opening sync.WaitGroup
	last := max(0, len(e.conns)-len(e.job.nodes())) // and those after it go to other nodes
	for _, c := range e.conns[:last] {
		places <- struct{}{}
		opening.Go(func() {
			defer func() { <-places }()
			if ctx.Err() != nil {
				return
			}
			if err := c.open(ctx, false); err != nil {
				cancel(err)
			}
		})
	}
	opening.Wait()
	if ctx.Err() == nil {
		for _, c := range e.conns[last:] {
			if err := c.open(ctx, true); err != nil {
				cancel(err)
				break
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (e *portableEngine) close() {
	for _, c := range e.conns {
		c.shut()
	}
}

// run carries a part out on every connection at once.
func (e *portableEngine) run(p *part, watch func([]*tally)) {
	p.start = e.clock.now()
	var out outage
	out.heard.Store(int64(p.start))
	groups := make([]*portableTally, min(portableTallies, len(e.conns)))
	tallies := make([]*tally, len(groups))
	for i := range groups {
		tallies[i] = newTally(e.job.Rate > 0)
		groups[i] = &portableTally{tally: tallies[i], absence: &out}
	}
	if watch != nil {
		watch(tallies)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running, watching sync.WaitGroup
	watching.Go(func() { e.guard(ctx, cancel, p, &out) })
	for i, c := range e.conns {
		running.Go(func() { c.run(ctx, p, groups[i%len(groups)]) })
	}
	running.Wait()
	cancel()
	watching.Wait()
	if out.barren.losses > 0 && !slices.ContainsFunc(tallies, func(t *tally) bool { return t.requests > 0 }) {
		p.end(out.barren.why)
	}
	if Kind(p.reason()) == KindNoAnswer || Kind(p.reason()) == KindGone {
		tallies[0].outage = max(tallies[0].outage, e.clock.now()-time.Duration(out.heard.Load()))
	}
}

// guard ends waiting, when the part is stopped or the server silent: it
// cancels what is being opened and has every read and write return.
func (e *portableEngine) guard(ctx context.Context, cancel func(), p *part, out *outage) {
	ticker := time.NewTicker(longestPause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := e.clock.now()
			if now-time.Duration(out.heard.Load()) > p.silence {
				p.end(out.reason(e.job.Target, len(e.conns)))
			}
			if why := out.barrenFor(len(e.conns), now, p.silence); why != nil {
				p.end(why)
			}
			continue
		case <-p.stop:
		}
		cancel()
		for _, c := range e.conns {
			c.interrupt()
		}
		return
	}
}

const longestPause = 100 * time.Millisecond

// open opens the connection and sends its greeting.
func (c *portableConn) open(ctx context.Context, proof bool) error {
	e := c.engine
	conn, err := dial(ctx, c.target)
	if err != nil {
		return dialError(c.target, err)
	}
	if err := newControl(conn, c.target).greet(e.job, proof); err != nil {
		conn.Close()
		return err
	}
	_ = conn.SetDeadline(time.Time{})
	c.mu.Lock()
	c.conn, c.skipper, c.answered = conn, skipper{}, false
	c.mu.Unlock()
	return nil
}

func (c *portableConn) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		return
	}
	if tcp, ok := c.conn.(*net.TCPConn); ok && c.engine.job.Reconnect {
		_ = tcp.SetLinger(0) // leaves no port in TIME_WAIT behind
	}
	c.conn.Close()
	c.conn = nil
}

func (c *portableConn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.SetDeadline(time.Unix(1, 0))
	}
}

// run sends the connection's share of a part, batch after batch.
func (c *portableConn) run(ctx context.Context, p *part, t *portableTally) {
	c.lostAt = 0
	for !p.stopped.Load() {
		if c.conn == nil {
			if err := c.open(ctx, !c.engine.job.Reconnect); err != nil {
				t.absence.failure.Store(&absent{c.target, err})
				if Kind(err) == KindPortsExhausted {
					p.end(err)
				}
				if !sleep(retryEvery, p.stop) {
					return
				}
				if now := c.engine.clock.now(); p.quota.stop > 0 && now-p.start >= p.quota.stop {
					c.miss(p, t, now, err)
					return
				}
				continue
			}
			if p.stopped.Load() {
				return
			}
			if f := t.absence.failure.Load(); f != nil && Kind(f.err) != KindMaxClients { // which a reply ends
				t.absence.failure.Store(nil)
			}
			c.found(t)
		}
		first, n, wait := p.quota.take(c.engine.clock.now()-p.start, c.engine.job.Pipeline)
		if n == 0 {
			if wait == 0 || !sleep(wait, p.stop) {
				return
			}
			t.absence.heard.Store(int64(c.engine.clock.now())) // there was nothing to hear
			continue
		}
		missing, err := c.batch(p, t, first, n)
		if err == nil {
			if c.engine.job.Reconnect {
				t.absence.failure.Store(nil)
				c.shut()
			}
			continue
		}
		if p.stopped.Load() {
			return
		}
		if errors.Is(err, errNotRESP) {
			p.end(dialError(c.target, err))
			return
		}
		p.quota.giveBack(missing)
		if !c.answered && Kind(err) == "" {
			t.absence.bore(c.engine.clock.now(), c.target)
		}
		if c.lostAt == 0 {
			c.lostAt = c.engine.clock.now()
		}
		c.shut()
		if Kind(err) == KindMaxClients {
			t.absence.failure.Store(&absent{c.target, err})
			sleep(time.Millisecond, p.stop)
		}
	}
}

// found counts a connection that was lost and is open again.
func (c *portableConn) found(t *portableTally) {
	if c.lostAt == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reconnects++
	t.tally.outage = max(t.tally.outage, c.engine.clock.now()-c.lostAt)
	c.lostAt = 0
}

// miss cuts a part whose time is up while the connection is still lost.
func (c *portableConn) miss(p *part, t *portableTally, now time.Duration, why error) {
	if c.lostAt == 0 {
		return
	}
	t.mu.Lock()
	t.tally.outage = max(t.tally.outage, now-c.lostAt)
	t.mu.Unlock()
	p.end(gone(c.target, why))
}

const retryEvery = 50 * time.Millisecond

// sleep waits, and says whether it was not stopped.
func sleep(d time.Duration, stop <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return false
	}
}

// batch sends n requests and takes their replies; missing are those that did
// not come. A batch that might fill both sides' buffers is written beside the reading.
func (c *portableConn) batch(p *part, t *portableTally, first int64, n int) (missing int, err error) {
	sent := c.engine.clock.now()
	t.mu.Lock()
	if t.began == 0 || sent < t.began {
		t.began = sent
	}
	t.mu.Unlock()
	if n*c.template.size <= portableChunkBytes {
		if err := c.write(n); err != nil {
			return n, err
		}
		return c.read(p, t, first, n, sent)
	}
	written := make(chan error, 1)
	go func() { written <- c.write(n) }()
	missing, err = c.read(p, t, first, n, sent)
	if err != nil {
		c.interrupt()
	}
	return missing, errors.Join(err, <-written)
}

func (c *portableConn) write(n int) error {
	t := &c.template
	for n > 0 {
		m := min(n, t.requests)
		if t.drawn {
			t.draw(m, &c.source)
		}
		if _, err := c.conn.Write(t.bytes[:m*t.size]); err != nil {
			return err
		}
		n -= m
	}
	return nil
}

func (c *portableConn) read(p *part, t *portableTally, first int64, n int, sent time.Duration) (missing int, err error) {
	for n > 0 {
		size, err := c.conn.Read(c.buffer)
		now := c.engine.clock.now()
		replies, parseErr := c.take(p, t, c.buffer[:size], n)
		if replies > 0 {
			c.answered = true
			t.absence.reply(now)
			t.mu.Lock()
			t.count(p, first, replies, sent, now)
			t.show()
			t.mu.Unlock()
			n -= replies
			first += int64(replies)
		}
		if err == nil {
			err = parseErr
		}
		if err != nil {
			return n, err
		}
	}
	return 0, nil
}

// take counts the replies that b completes, at most most.
func (c *portableConn) take(p *part, t *portableTally, b []byte, most int) (replies int, err error) {
	for len(b) > 0 {
		used, complete, err := c.skipper.next(b)
		if err != nil || replies == most {
			return replies, errNotRESP
		}
		b = b[used:]
		if !complete {
			break
		}
		replies++
		if r := &c.skipper.reply; r.failed || r.null || r.elements < c.engine.elements {
			if c.engine.job.Reconnect && r.failed && lacksPlace(c.skipper.errorText()) {
				// With a new connection for each batch, the server may see that of the
				// batch before as open still.
				return replies - 1, fatalReply(c.target, c.skipper.errorText())
			}
			t.mu.Lock()
			err := t.note(&c.skipper, c.target)
			t.mu.Unlock()
			if err != nil {
				p.end(err)
			}
		}
	}
	return replies, nil
}
