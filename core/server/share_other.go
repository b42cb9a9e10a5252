//go:build !linux

package server

// sharesBlocks is not known here: copies are taken to cost what they hold.
func sharesBlocks(string) bool { return false }
