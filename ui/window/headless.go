//go:build headless

// Package window is Berth's window. This build was made without it.
package window

import (
	"fmt"
	"os"

	"berth/core/text"
)

// Run says that this build has no window, and what to do; it returns exit code 2.
func Run(Options) int {
	fmt.Fprintln(os.Stderr, text.For(os.Getenv("LANG")).T("window.headless"))
	return 2
}
