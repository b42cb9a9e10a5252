//go:build !headless

package cli

import (
	"berth/assets"
	"berth/core/text"
	"berth/ui/window"
)

// show opens the window on the run whose log is at path, and returns when it
// is closed.
func show(path string) error {
	if code := window.Run(window.Options{Version: assets.Version, Open: path}); code != exitDone {
		return failed(text.Err("cli.no-window", nil, nil))
	}
	return nil
}
