package oltp

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawTransfer is a recvfrom or a sendto, of which Go's scheduler is not told. It must not
// wait long.
func rawTransfer(call, fd uintptr, p []byte, flags uintptr) (int, syscall.Errno) {
	n, _, errno := unix.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
	runtime.KeepAlive(p)
	return int(n), errno
}
