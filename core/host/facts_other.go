//go:build !linux

package host

// readSystem adds nothing: outside Linux the portable facts are all there are.
func readSystem(Facts) {}

// Filesystem is the type of the filesystem that path lies on ("apfs",
// "NTFS"); "" if it cannot be known.
func Filesystem(path string) string { return portableFilesystem(path) }

// ProcessFacts are not known outside Linux.
func ProcessFacts(pid int) Facts { return nil }
