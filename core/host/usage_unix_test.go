//go:build unix

package host

import (
	"syscall"
	"time"
)

// usage is the CPU time of this process by getrusage.
func usage() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 1 << 62 // ends a burn, and fails every comparison
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
