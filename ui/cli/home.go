package cli

import (
	"os"
	"os/user"
	"runtime"
	"strconv"

	"github.com/adrg/xdg"
)

// FindHome takes the user's home from the system's list of users where the environment has none, as under
// cron and some service managers; files would otherwise be kept under the root of the file system.
func FindHome() {
	if runtime.GOOS == "windows" || os.Getenv("HOME") != "" {
		return
	}
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && u.HomeDir != "" {
		os.Setenv("HOME", u.HomeDir) // child processes look for it too
		xdg.Reload()
	}
}
