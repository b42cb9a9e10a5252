//go:build !linux

package host

import "time"

// threadUsage is not known.
func threadUsage() time.Duration { return 0 }
