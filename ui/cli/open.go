package cli

import (
	"github.com/spf13/cobra"
)

// openCommand shows a run in the window.
func (t *terminal) openCommand() *cobra.Command {
	return t.command("open FILE", 1, func(_ *cobra.Command, args []string) error {
		r, err := t.openRun(args[0])
		if err != nil {
			return err
		}
		return show(r.Path)
	})
}
