//go:build unix

package result

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock has f for this process alone until it is closed: two that append to
// one log would destroy it.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// errLocked is that another has what lock asks for.
var errLocked error = unix.EWOULDBLOCK

// lockFolder is lock for a folder.
func lockFolder(dir *os.File) error { return lock(dir) }
