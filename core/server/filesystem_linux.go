package server

import (
	"os"
	"path/filepath"
	"strings"
)

// filesystem names the type of file system that path lies on ("ext4"), from the
// longest mount point above it in /proc/self/mountinfo; "" if not known.
func filesystem(path string) string {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	longest, kind := -1, ""
	for line := range strings.Lines(string(raw)) {
		// id parent major:minor root MOUNTPOINT options … - TYPE source …
		before, after, ok := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if !ok || len(f) < 5 {
			continue
		}
		point := f[4]
		under := point == "/" || path == point || strings.HasPrefix(path, point+"/")
		// A later mount on the same point lies over an earlier one.
		if under && len(point) >= longest {
			longest = len(point)
			kind, _, _ = strings.Cut(after, " ")
		}
	}
	return kind
}
