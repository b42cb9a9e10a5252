//go:build !linux

package host

// Bound calls start. Outside Linux it binds nothing.
func Bound(cpus []int, start func() error) error { return start() }
