package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"berth/core/server"
	"berth/core/text"
)

// cleanCommand removes what Berths that were killed left behind. Kept runs stay.
func (t *terminal) cleanCommand() *cobra.Command {
	return t.command("clean", 0, func(c *cobra.Command, _ []string) error {
		removed, err := t.core.Clean(c.Context(), t.askPassword())
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

// askPassword asks whoever sits at the terminal for the password of a server;
// nil where nobody does.
func (t *terminal) askPassword() server.Ask {
	f, ok := t.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return func(e server.Endpoint) (string, bool) {
		fmt.Fprint(t.err, t.words.T("cli.clean-password", text.Args{"Address": e.Address, "User": e.User}))
		password, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(t.err)
		return string(password), err == nil && len(password) > 0
	}
}
