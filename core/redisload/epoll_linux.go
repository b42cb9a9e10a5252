package redisload

import (
	"context"
	"net"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// newEngine is the engine that serves a job: epoll loops on Linux, but for TLS.
func newEngine(job Job, test Test, c clock) engine {
	if job.ForcePortable || job.Target.TLS != nil {
		return newPortable(job, test, c)
	}
	return &epollEngine{job: job, test: test, clock: c}
}

// An epollEngine runs a job on event loops, each on a thread of its own.
type epollEngine struct {
	job     Job
	test    Test
	clock   clock
	loops   []*loop
	work    []chan func(*loop)
	threads sync.WaitGroup
	procs   int // GOMAXPROCS to go back to; 0: it was not changed
}

func (e *epollEngine) name() string { return EngineEpoll }

// connect resolves the address once, starts the loops' threads and opens all
// connections.
func (e *epollEngine) connect(ctx context.Context) error {
	address, err := resolve(ctx, e.job.Target)
	if err != nil {
		return err
	}
	// A loop's system calls keep their place in Go's scheduler, so that there
	// must be one more place than loops.
	if n := e.job.Threads + 1; runtime.GOMAXPROCS(0) < n {
		e.procs = runtime.GOMAXPROCS(n)
	}
	left := e.job.Clients
	for i := range e.job.Threads {
		clients := left / (e.job.Threads - i)
		left -= clients
		l, err := newLoop(e.job, e.test, e.clock, clients)
		if err != nil {
			return err
		}
		l.domain, l.address = sockaddr(address)
		l.source = newSource(e.job, i, e.job.Threads)
		e.loops = append(e.loops, l)
		work := make(chan func(*loop))
		e.work = append(e.work, work)
		e.threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if e.job.Rate > 0 {
				// Wakes when a request is due, not up to 50 µs later; 0 is the default again.
				_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
				defer func() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) }()
			}
			for f := range work {
				f(l)
			}
		})
	}
	p := newPart(nil, connectTime, e.clock.now())
	unhook := context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	defer unhook()
	e.run(p, nil)
	return p.reason()
}

func newLoop(job Job, test Test, c clock, clients int) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	l := &loop{
		clock: c, epoll: epoll, target: job.Target, elements: test.elements,
		pipeline: job.Pipeline, reopen: job.Reconnect,
		template: newTemplate(job, test, chunkBytes),
		buffer:   make([]byte, receiveBytes),
		events:   make([]unix.EpollEvent, eventsAtOnce),
		conns:    make([]conn, clients),
		queue:    make([]int32, 0, clients),
	}
	l.greeting, l.greets = greeting(job, false)
	l.proof, l.proofReplies = greeting(job, true)
	if job.Reconnect {
		l.again, l.againReplies = greeting(job, false)
	} else {
		l.again, l.againReplies = l.proof, l.proofReplies
	}
	for i := range l.conns {
		l.conns[i].index, l.conns[i].fd = int32(i), -1
	}
	return l, nil
}

// run carries a part out on every loop at once.
func (e *epollEngine) run(p *part, watch func([]*tally)) {
	tallies := make([]*tally, len(e.loops))
	for i := range tallies {
		tallies[i] = newTally(e.job.Rate > 0)
	}
	p.start = e.clock.now()
	if watch != nil {
		watch(tallies)
	}
	var running sync.WaitGroup
	for i, work := range e.work {
		running.Add(1)
		work <- func(l *loop) {
			defer running.Done()
			before := threadCPU()
			l.run(p, tallies[i])
			tallies[i].cpu = threadCPU() - before
		}
	}
	running.Wait()
}

// close ends the loops' threads and closes what they had open.
func (e *epollEngine) close() {
	for _, work := range e.work {
		close(work)
	}
	e.threads.Wait()
	for _, l := range e.loops {
		for i := range l.conns {
			if c := &l.conns[i]; c.fd >= 0 {
				_ = unix.Close(int(c.fd))
			}
		}
		_ = unix.Close(l.epoll)
	}
	if e.procs > 0 {
		runtime.GOMAXPROCS(e.procs)
	}
	e.work, e.loops, e.procs = nil, nil, 0
}

// threadCPU is the CPU time that this thread has used.
func threadCPU() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// resolve finds the address of a target: of several that its name may have,
// the one that answers now.
func resolve(ctx context.Context, t Target) (net.Addr, error) {
	if t.Network == "unix" {
		return &net.UnixAddr{Net: "unix", Name: t.Address}, nil
	}
	probe, err := dial(ctx, t)
	if err != nil {
		return nil, err
	}
	defer hangUp(probe)
	return probe.RemoteAddr(), nil
}

// sockaddr is an address as the kernel takes it, for one loop alone: the
// value is written to when it is used.
func sockaddr(address net.Addr) (domain int, a unix.Sockaddr) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return unix.AF_UNIX, &unix.SockaddrUnix{Name: address.String()}
	}
	if ip := tcp.IP.To4(); ip != nil {
		return unix.AF_INET, &unix.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(ip)}
	}
	six := &unix.SockaddrInet6{Port: tcp.Port, Addr: [16]byte(tcp.IP.To16())}
	if zone, err := net.InterfaceByName(tcp.Zone); err == nil {
		six.ZoneId = uint32(zone.Index)
	}
	return unix.AF_INET6, six
}
