//go:build !unix

package host

import (
	"os"
	"time"
)

// usage is the CPU time of this process, where there is no getrusage.
func usage() time.Duration {
	t, err := ProcessCPU(os.Getpid())
	if err != nil {
		return 1 << 62 // ends a burn, and fails every comparison
	}
	return t
}
