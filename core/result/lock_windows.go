package result

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockedFrom is far behind any log: on Windows a locked range cannot be read by
// others, and the log is to be read while it is written.
const lockedFrom = 1 << 30 // times 4 GiB

// lock has f for this process alone until it is closed: two that append to
// one log would destroy it.
func lock(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: lockedFrom}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// errLocked is that another has what lock asks for.
var errLocked error = windows.ERROR_LOCK_VIOLATION

// lockFolder does nothing: Windows has no locks of folders, and moves no log away that is open.
func lockFolder(*os.File) error { return nil }
