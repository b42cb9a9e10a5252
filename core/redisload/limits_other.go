//go:build !linux

package redisload

// fileLimit is not known here: opening the connections tells.
func fileLimit() uint64 { return 0 }

// freeMemory is not known here, so that no job is refused for it.
func freeMemory() uint64 { return 0 }
