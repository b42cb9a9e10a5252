//go:build headless

package cli

import "berth/core/text"

// show says that this build has no window.
func show(path string) error {
	return text.Err("cli.headless", text.Args{"Path": path}, nil)
}
