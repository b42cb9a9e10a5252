package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// cleanCommand removes what Berths that were killed left behind. Kept runs stay.
func (t *terminal) cleanCommand() *cobra.Command {
	return t.command("clean", 0, func(c *cobra.Command, _ []string) error {
		removed, err := t.core.Clean(c.Context())
		for _, what := range removed {
			fmt.Fprintln(t.out, what)
		}
		if err != nil {
			return failed(err)
		}
		if len(removed) == 0 {
			fmt.Fprintln(t.out, t.words.T("cli.clean-nothing"))
		}
		return nil
	})
}
