package oltp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// canBlock says whether blockingDialer works here.
const canBlock = true

// patience is how long a thread waits for the server without Go's scheduler
// knowing. It bounds what the collector may have to wait for.
const patience = 5 * time.Millisecond

// blockingDialer opens a connection whose reads wait in the system's receive,
// holding their thread, as a C client's do. A query then costs a send and a
// receive. Through Go's poller it costs another receive that finds nothing, a
// wait in epoll and two switches of goroutine.
func blockingDialer(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := plainDialer(ctx, network, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	original, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	var failure error
	if err := original.Control(func(of uintptr) { fd, failure = blockingCopy(of) }); err != nil {
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	return newBlockingConn(os.NewFile(uintptr(fd), address), c)
}

// blockingCopy is another descriptor of the same socket, which it makes blocking.
func blockingCopy(of uintptr) (int, error) {
	fd, err := unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("fcntl", err)
	}
	limit := unix.NsecToTimeval(int64(patience))
	if err = unix.SetNonblock(fd, false); err == nil {
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
	}
	if err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("setsockopt", err)
	}
	return fd, nil
}

// A blockingConn reads and writes by plain system calls. One goroutine reads and
// writes; any may close. The file counts its users, so that its descriptor is not
// closed, and taken by something else, in the middle of a call.
type blockingConn struct {
	file          *os.File
	raw           syscall.RawConn
	local, remote net.Addr

	// Where receive and send, which are made once, find their argument and leave
	// their result.
	receive, send func(fd uintptr) bool
	buffer        []byte
	n             int
	errno         syscall.Errno

	store, ahead []byte // room for what is received; what of it has not been read
}

const receiveBytes = 32 << 10

func newBlockingConn(f *os.File, of net.Conn) (net.Conn, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, err
	}
	c := &blockingConn{file: f, raw: raw, local: of.LocalAddr(), remote: of.RemoteAddr(), store: make([]byte, receiveBytes)}
	c.receive = func(fd uintptr) bool {
		c.n, c.errno = rawTransfer(unix.SYS_RECVFROM, fd, c.buffer, 0)
		return true
	}
	c.send = func(fd uintptr) bool {
		c.n, c.errno = rawTransfer(unix.SYS_SENDTO, fd, c.buffer, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		return true
	}
	return c, nil
}

// Read hands out what has been received, and receives more when that is used up:
// the driver asks for 4 KiB at a time, a range of rows is three times that.
func (c *blockingConn) Read(p []byte) (int, error) {
	if len(c.ahead) == 0 {
		n, err := c.receiveSome(c.store)
		if err != nil {
			return 0, err
		}
		c.ahead = c.store[:n]
	}
	n := copy(p, c.ahead)
	c.ahead = c.ahead[n:]
	return n, nil
}

// receiveSome tries for as long as patience without telling the scheduler, and beyond that in
// calls that it knows of. Told of every call, the scheduler's monitor would take the
// thread's P away a hundred times a second and watch for 20 µs at a time: a quarter
// more CPU a query.
func (c *blockingConn) receiveSome(p []byte) (int, error) {
	c.buffer = p
	for {
		if err := c.raw.Read(c.receive); err != nil {
			return 0, err
		}
		if c.errno != unix.EINTR { // the scheduler's own signal
			break
		}
	}
	switch {
	case c.errno == 0 && c.n > 0:
		return c.n, nil
	case c.errno == 0:
		return 0, io.EOF
	case c.errno != unix.EAGAIN:
		return 0, os.NewSyscallError("recv", c.errno)
	}
	for {
		n, err := c.file.Read(p)
		if !errors.Is(err, unix.EAGAIN) {
			return n, err
		}
	}
}

// Write sends p whole, waiting in a call that the scheduler knows of where the
// socket's buffer is full.
func (c *blockingConn) Write(p []byte) (int, error) {
	c.buffer = p
	if err := c.raw.Write(c.send); err != nil {
		return 0, err
	}
	if c.errno != 0 && c.errno != unix.EAGAIN && c.errno != unix.EINTR {
		return 0, os.NewSyscallError("send", c.errno)
	}
	if c.errno != 0 {
		c.n = 0
	}
	if c.n == len(p) {
		return c.n, nil
	}
	n, err := c.file.Write(p[c.n:])
	return c.n + n, err
}

// Close wakes whoever reads, too.
func (c *blockingConn) Close() error {
	if err := c.raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) }); err != nil {
		return err
	}
	return c.file.Close()
}

func (c *blockingConn) LocalAddr() net.Addr  { return c.local }
func (c *blockingConn) RemoteAddr() net.Addr { return c.remote }

// The driver sets deadlines only where its own timeouts are configured, which they
// are not.
func (c *blockingConn) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (c *blockingConn) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (c *blockingConn) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// sleep waits d, at most, to the clock's fineness; Go's timers may be late by a millisecond.
func sleep(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // woken early is asked again
}
