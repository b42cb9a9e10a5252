package redisload

import (
	"errors"
	"io"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The event loop. This file is the one place where speed wins over plainness:
// system calls go straight to the kernel, past Go's scheduler, and nothing in
// it allocates while load runs. Measured, CPU a request, SET at P=1 and GET at
// P=16, seven pairs: waiting by way of the scheduler costs 17% more; read and
// write instead of recvfrom and sendto 2 to 3% more. A profile has 94% of the
// time in the kernel at P=1: one send and one receive a request.

type connState byte

const (
	closed     connState = iota // no socket, and nobody waits for one
	broken                      // no socket, to be opened again
	connecting                  // waiting for the kernel
	greeted                     // the greeting is sent, replies to it are to come
	idle                        // may be given requests
	busy                        // has requests in flight
	resting                     // waits for requests to be due
)

// A conn is one connection of a loop.
type conn struct {
	node       *loopNode
	last       bool // of those of its loop that go to its node
	fd         int32
	generation int32 // counts its sockets, so that an old one's event is known
	index      int32
	state      connState
	writable   bool // EPOLLOUT is registered
	answered   bool // a request has been, on this socket
	skipper    skipper

	waiting int    // replies to come, of the batch or of the greeting
	unsent  int    // requests of the batch that the kernel does not have whole
	offset  int    // bytes sent of the chunk that is being sent
	drawn   source // the source as it was before that chunk
	sent    time.Duration
	first   int64 // number of the batch's first request, for when it was due

	retryAt time.Duration // when a lost connection is opened again
	lostAt  time.Duration // when it was lost; 0: it was not
}

const (
	eventsAtOnce = 256
	longestWait  = 100 * time.Millisecond
	retryPause   = 50 * time.Millisecond
	// connectsAtOnce stays below the backlog of a listening socket.
	connectsAtOnce = 100
)

// A loopNode is a server that a loop loads, and what it is sent: one, or some of a cluster.
type loopNode struct {
	target   Target
	address  unix.Sockaddr
	domain   int
	template template
}

// A loop is a thread with its connections.
type loop struct {
	clock        clock
	epoll        int
	greeting     []byte // of a connection before the load, and how many replies come to it
	greets       int
	proof        []byte // of the last of those
	proofReplies int
	again        []byte // of one that is opened while load runs
	againReplies int
	elements     int64 // that a list in a reply should have
	pipeline     int
	reopen       bool // a new connection for each batch

	source source
	buffer []byte
	events []unix.EpollEvent
	conns  []conn

	// Of the part that is under way.
	part    *part
	tally   *tally
	now     time.Duration // the last reading of the clock
	heard   time.Duration // when a reply came last
	active  int           // connections that the part waits for
	opening int           // connections that are being opened
	broken  int           // connections that are to be opened
	queue   []int32       // connections that wait until a request is due, oldest first
	dueAt   time.Duration
	ended   bool  // nothing more is sent
	missed  error // why a connection was still lost when the part's time was up
	failure error // why the last connection could not be opened, until one could

	refusal   error // of a new connection by a server that had no place for it yet
	refusedAt time.Duration
	barren    barren
}

// run carries a part out. With no quota it only opens the connections.
func (l *loop) run(p *part, t *tally) {
	l.part, l.tally, l.active, l.ended = p, t, 0, false
	l.queue, l.dueAt, l.failure, l.refusal, l.missed = l.queue[:0], 0, nil, nil, nil
	l.barren = barren{}
	l.now = l.clock.now()
	l.heard = l.now
	for i := range l.conns {
		c := &l.conns[i]
		c.lostAt = 0
		l.active++
		switch c.state {
		case closed:
			c.state, c.retryAt = broken, 0
			l.broken++
		case idle:
			l.now = l.clock.now()
			l.give(c)
		}
	}
	for l.active > 0 && !p.stopped.Load() {
		if l.broken > 0 && l.opening < connectsAtOnce {
			l.open()
		}
		l.wait()
		if l.dueAt > 0 && l.now >= l.dueAt {
			l.giveDue()
		}
		if !l.ended && p.quota != nil && p.quota.stop > 0 && l.now-p.start >= p.quota.stop {
			l.finish()
		}
		if l.now-l.heard > p.silence {
			l.fallSilent()
		}
		if l.barren.lasts(len(l.conns), l.now, p.silence) {
			p.end(l.barren.why)
		}
		t.show()
	}
	if p.quota != nil && t.requests == 0 && l.barren.losses > 0 {
		p.end(l.barren.why)
	}
	if l.missed != nil {
		p.end(l.missed)
	}
	t.show()
	// What the server refused before it answered the last is there by now.
	for p.quota == nil && !p.stopped.Load() && l.look(0) > 0 {
	}
}

// wait handles what the kernel has, or waits for it.
func (l *loop) wait() {
	patience := longestWait
	if l.broken > 0 {
		patience = retryPause / 10
	}
	if l.dueAt > 0 {
		patience = max(0, min(patience, l.dueAt-l.now))
	}
	if l.look(patience) == 0 {
		l.now = l.clock.now()
	}
}

// look handles what the kernel has within patience, and says how much it was.
func (l *loop) look(patience time.Duration) int {
	n := l.poll(patience)
	for i := range n {
		e := &l.events[i]
		c := &l.conns[e.Fd]
		if c.generation != e.Pad {
			continue
		}
		if c.state == connecting {
			l.connected(c)
			continue
		}
		if e.Events&unix.EPOLLOUT != 0 {
			l.now = l.clock.now()
			l.send(c)
		}
		if e.Events&^unix.EPOLLOUT != 0 && c.generation == e.Pad && c.fd >= 0 {
			l.receive(c)
		}
	}
	return n
}

// poll waits for events, for whole milliseconds by epoll_wait, and for less
// by epoll_pwait2, which Linux has since 5.11.
func (l *loop) poll(patience time.Duration) int {
	if patience > 0 && patience%time.Millisecond != 0 {
		ts := unix.NsecToTimespec(int64(patience))
		n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)), uintptr(unsafe.Pointer(&ts)), 0, 0)
		if errno == 0 {
			return int(n)
		}
		if errno != unix.ENOSYS {
			return 0
		}
	}
	n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(&l.events[0])), uintptr(len(l.events)), uintptr(patience/time.Millisecond), 0, 0)
	if errno != 0 {
		return 0 // EINTR: Go's own signals among them
	}
	return int(n)
}

// receive takes what a connection has, stamps it, and counts the replies in
// it. The batch that follows a finished one is sent from here.
func (l *loop) receive(c *conn) {
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVFROM, uintptr(c.fd), uintptr(unsafe.Pointer(&l.buffer[0])), uintptr(len(l.buffer)), 0, 0, 0)
	if errno != 0 {
		if errno != unix.EAGAIN && errno != unix.EINTR {
			l.lose(c, errno)
		}
		return
	}
	if n == 0 {
		l.lose(c, io.EOF)
		return
	}
	l.now = l.clock.now()
	before := l.heard
	l.heard = l.now
	if c.state != busy {
		l.receiveOther(c, l.buffer[:n], before)
		return
	}
	replies := 0
	for b := l.buffer[:n]; len(b) > 0; {
		used, complete, err := c.skipper.next(b)
		if err != nil || replies == c.waiting {
			l.part.end(dialError(c.node.target, errNotRESP))
			return
		}
		b = b[used:]
		if !complete {
			break
		}
		replies++
		if r := &c.skipper.reply; r.failed || r.null || r.elements < l.elements {
			if l.reopen && r.failed && lacksPlace(c.skipper.errorText()) {
				l.refused(c, fatalReply(c.node.target, c.skipper.errorText()), before)
				return
			}
			if err := l.tally.note(&c.skipper, c.node.target); err != nil {
				l.part.end(err)
			}
		}
	}
	if replies == 0 {
		return
	}
	c.answered, l.barren.losses = true, 0
	l.tally.count(l.part, c.first, replies, c.sent, l.now)
	c.first += int64(replies)
	c.waiting -= replies
	if c.waiting == 0 {
		c.state = idle
		if l.reopen {
			l.renew(c)
			return
		}
		l.give(c)
	}
}

// receiveOther takes what comes to a connection that has no requests in
// flight: replies to the greeting, or a complaint. A reply came last before that.
func (l *loop) receiveOther(c *conn, b []byte, before time.Duration) {
	for len(b) > 0 {
		used, complete, err := c.skipper.next(b)
		if err != nil {
			l.part.end(dialError(c.node.target, err))
			return
		}
		b = b[used:]
		if !complete {
			return
		}
		if c.skipper.reply.failed {
			err := ReplyError(c.node.target, string(c.skipper.errorText()))
			last := c.state == greeted && c.waiting == 1 && l.asksForProof(c)
			switch {
			case last && proves(err):
			case l.part.quota != nil && Kind(err) == KindLoading: // it was restarted
				l.lose(c, err)
				return
			case l.part.quota != nil && l.reopen && Kind(err) == KindMaxClients:
				l.refused(c, err, before)
				return
			default:
				l.part.end(err)
				return
			}
		}
		if c.state != greeted {
			l.part.end(dialError(c.node.target, errNotRESP))
			return
		}
		if c.waiting--; c.waiting == 0 {
			l.ready(c)
			return
		}
	}
}

// refused has a connection opened again for which the server had no place yet: with a new one for
// each batch it may see that of the batch before as open still. That is no reply, so a server
// that has no place for any falls silent.
func (l *loop) refused(c *conn, why error, before time.Duration) {
	l.heard = before
	l.refusal, l.refusedAt = why, l.now
	l.lose(c, why)
	if c.state == broken {
		c.retryAt = max(c.retryAt, l.now+time.Millisecond)
	}
}

// asksForProof says whether the last command of a connection's greeting is the proof.
func (l *loop) asksForProof(c *conn) bool {
	if l.part.quota == nil {
		return c.last
	}
	return !l.reopen
}

// give hands a connection its next batch, if there is one, and sends it.
func (l *loop) give(c *conn) {
	if l.part.quota == nil || l.ended {
		l.active--
		return
	}
	first, n, wait := l.part.quota.take(l.now-l.part.start, l.pipeline)
	if n == 0 {
		if wait == 0 {
			l.active--
			return
		}
		c.state = resting
		l.queue = append(l.queue, c.index)
		if at := l.now + wait; l.dueAt == 0 || at < l.dueAt {
			l.dueAt = at
		}
		return
	}
	c.state, c.first, c.waiting, c.unsent, c.offset = busy, first, n, n, 0
	c.sent = l.now
	if l.tally.began == 0 {
		l.tally.began = l.now
	}
	l.send(c)
}

// giveDue hands what has become due to the connections that wait for it.
func (l *loop) giveDue() {
	l.dueAt = 0
	given := 0
	for given < len(l.queue) && l.dueAt == 0 {
		c := &l.conns[l.queue[given]]
		given++
		if c.state == resting {
			c.state = idle
			l.now = l.clock.now()
			l.give(c) // puts it at the end again, and sets dueAt, if nothing was due
		}
	}
	l.queue = l.queue[:copy(l.queue, l.queue[given:])]
}

// send hands a batch to the kernel, chunk by chunk, as far as it takes it.
// The bytes of a chunk that was taken in part are made again from the
// source as it was, so that no connection keeps a copy.
func (l *loop) send(c *conn) {
	t := &c.node.template
	for c.unsent > 0 {
		n := min(c.unsent, t.requests)
		if t.drawn {
			if c.offset == 0 {
				c.drawn = l.source
				t.draw(n, &l.source)
			} else {
				again := c.drawn
				t.draw(n, &again)
			}
		}
		chunk := n * t.size
		w, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(c.fd), uintptr(unsafe.Pointer(&t.bytes[c.offset])), uintptr(chunk-c.offset), unix.MSG_NOSIGNAL, 0, 0)
		if errno != 0 {
			if errno == unix.EINTR {
				continue
			}
			if errno == unix.EAGAIN {
				l.watch(c, true)
				return
			}
			l.lose(c, errno)
			return
		}
		c.offset += int(w)
		if c.offset == chunk {
			c.unsent -= n
			c.offset = 0
		}
	}
	if c.writable {
		l.watch(c, false)
	}
}

// watch registers whether it matters that a connection can be written to.
func (l *loop) watch(c *conn, writable bool) {
	if c.writable == writable {
		return
	}
	c.writable = writable
	e := unix.EpollEvent{Events: unix.EPOLLIN, Fd: c.index, Pad: c.generation}
	if writable {
		e.Events |= unix.EPOLLOUT
	}
	_ = unix.EpollCtl(l.epoll, unix.EPOLL_CTL_MOD, int(c.fd), &e)
}

// finish ends the sending, at the time that the part may last: requests of
// which the kernel has nothing yet are dropped, what is in flight counts.
func (l *loop) finish() {
	l.ended = true
	for _, i := range l.queue {
		if c := &l.conns[i]; c.state == resting {
			c.state = idle
			l.active--
		}
	}
	l.queue, l.dueAt = l.queue[:0], 0
	for i := range l.conns {
		c := &l.conns[i]
		switch {
		case c.state == broken:
			if c.lostAt > 0 && l.failure != nil {
				l.missed = gone(c.node.target, l.failure)
				l.tally.outage = max(l.tally.outage, l.now-c.lostAt)
			}
			c.state = closed
			l.active--
			l.broken--
		case c.state == busy && c.unsent > 0:
			begun := (c.offset + c.node.template.size - 1) / c.node.template.size
			c.waiting -= c.unsent - begun
			c.unsent = begun
			if c.offset == begun*c.node.template.size {
				c.unsent, c.offset = 0, 0
				l.watch(c, false)
			}
			if c.waiting == 0 {
				c.state = idle
				l.active--
			}
		}
	}
}

// fallSilent cuts the part if a reply, or an opening, has been owed for too
// long; connections that wait for requests to be due owe none. Where the last
// opening failed, that is why.
func (l *loop) fallSilent() {
	for i := range l.conns {
		switch c := &l.conns[i]; c.state {
		case busy:
			if l.now-c.sent <= l.part.silence {
				continue
			}
		case connecting, greeted, broken:
		default:
			continue
		}
		why := silent(l.conns[i].node.target)
		if l.failure != nil && l.conns[i].state != busy {
			why = gone(l.conns[i].node.target, l.failure)
		}
		if l.refusal != nil && l.refusedAt > l.heard {
			why = l.refusal
		}
		if l.barren.losses > len(l.conns) {
			why = l.barren.why
		}
		l.tally.outage = max(l.tally.outage, l.now-l.heard)
		l.part.end(why)
		return
	}
}

// renew replaces a connection by a new one, as the job asks for each batch.
func (l *loop) renew(c *conn) {
	l.shut(c)
	l.breaks(c, 0)
}

// breaks has a connection without a socket opened again, at the time at.
func (l *loop) breaks(c *conn, at time.Duration) {
	c.state, c.retryAt = broken, at
	l.broken++
}

// lose closes a connection that broke. Its requests in flight go back to the
// quota; it is opened again if there is still something to send.
func (l *loop) lose(c *conn, why error) {
	was := c.state
	if was == connecting || was == greeted {
		l.opening--
	}
	inFlight := c.waiting
	l.shut(c)
	if l.part.quota == nil {
		l.part.end(dialError(c.node.target, why))
		return
	}
	if was == connecting && errors.Is(why, unix.EADDRNOTAVAIL) {
		l.part.end(dialError(c.node.target, why))
		return
	}
	if was == busy {
		l.part.quota.giveBack(inFlight)
		if !c.answered && Kind(why) == "" {
			l.barren.add(l.now, c.node.target)
		}
	}
	if (was == busy || was == resting) && c.lostAt == 0 {
		c.lostAt = l.now
	}
	if was == connecting || was == greeted {
		l.failure = why
	}
	if was == idle { // it had nothing to do; it is opened for the next part
		return
	}
	if l.ended {
		l.active--
		return
	}
	if was == connecting || was == greeted {
		l.breaks(c, l.now+retryPause)
		return
	}
	l.breaks(c, 0)
}

// shut closes a connection's socket.
func (l *loop) shut(c *conn) {
	if l.reopen {
		// A reset leaves no port in TIME_WAIT behind.
		_ = unix.SetsockoptLinger(int(c.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	}
	_ = unix.Close(int(c.fd))
	c.fd, c.state, c.writable = -1, closed, false
	c.waiting, c.unsent, c.offset = 0, 0, 0
	c.generation++
}

// open begins to open the connections that have none, some at a time.
func (l *loop) open() {
	for i := range l.conns {
		c := &l.conns[i]
		if c.state != broken || c.retryAt > l.now {
			continue
		}
		if l.broken == 0 || l.opening == connectsAtOnce || l.part.stopped.Load() {
			return
		}
		l.broken--
		l.opening++
		c.state = connecting
		if err := l.dial(c); err != nil {
			if errors.Is(err, unix.EAGAIN) && l.part.quota == nil { // a full backlog of a unix socket
				l.opening--
				l.shut(c)
				l.breaks(c, l.now+time.Millisecond)
				return
			}
			l.lose(c, err)
			continue
		}
	}
}

// dial makes a connection's socket and begins to connect it.
func (l *loop) dial(c *conn) error {
	fd, err := unix.Socket(c.node.domain, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		c.fd = -1
		return err
	}
	c.fd, c.skipper, c.answered = int32(fd), skipper{}, false
	if c.node.domain != unix.AF_UNIX {
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	}
	if err := unix.Connect(fd, c.node.address); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return err
	}
	e := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLOUT, Fd: c.index, Pad: c.generation}
	c.writable = true
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &e)
}

// connected goes on with a connection that the kernel has opened, or not.
func (l *loop) connected(c *conn) {
	errno, err := unix.GetsockoptInt(int(c.fd), unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		err = syscall.Errno(errno)
	}
	hello, replies := l.greeting, l.greets
	switch {
	case l.part.quota != nil:
		hello, replies = l.again, l.againReplies
	case c.last:
		hello, replies = l.proof, l.proofReplies
	}
	if err == nil && replies > 0 {
		_, err = unix.Write(int(c.fd), hello) // a fresh socket's buffer holds it
	}
	if err != nil {
		l.lose(c, err)
		return
	}
	l.watch(c, false)
	c.state, c.waiting = greeted, replies
	if replies == 0 {
		l.ready(c)
	}
}

// ready hands an open, greeted connection its work.
func (l *loop) ready(c *conn) {
	l.opening--
	c.state = idle
	l.now = l.clock.now()
	l.failure = nil
	if c.lostAt > 0 {
		l.tally.reconnects++
		l.tally.outage = max(l.tally.outage, l.now-c.lostAt)
		c.lostAt = 0
	}
	l.give(c)
}
