package oltp

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// canBlock says whether blockingDialer works here.
const canBlock = true

// blockingDialer opens a connection whose reads wait in the system's receive,
// holding their thread, as a C client's do. A query then costs one send and one
// receive; through Go's poller it costs another receive that finds nothing, a
// wait in epoll and two switches of goroutine.
func blockingDialer(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := plainDialer(ctx, network, address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	var failure error
	if err := raw.Control(func(original uintptr) {
		if fd, failure = unix.FcntlInt(original, unix.F_DUPFD_CLOEXEC, 0); failure != nil {
			return
		}
		if failure = unix.SetNonblock(fd, false); failure != nil {
			unix.Close(fd)
		}
	}); err != nil {
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	// A file that is not open for polling reads and writes by plain system calls, and
	// counts its users, so that closing it in the middle of a read is safe.
	return &blockingConn{File: os.NewFile(uintptr(fd), address), local: c.LocalAddr(), remote: c.RemoteAddr()}, nil
}

type blockingConn struct {
	*os.File
	local, remote net.Addr
}

// Close wakes whoever reads, too.
func (c *blockingConn) Close() error {
	raw, err := c.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_RDWR) })
	}
	if err != nil {
		return err
	}
	return c.File.Close()
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
