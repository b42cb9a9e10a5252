package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/plan"
)

// presetsCommand lists the plans that Berth brings, each with what it compares
// and about how long it takes.
func (t *terminal) presetsCommand() *cobra.Command {
	return t.command("presets", 0, func(*cobra.Command, []string) error {
		for i, p := range plan.Presets() {
			if i > 0 {
				fmt.Fprintln(t.out)
			}
			labels := make([]string, len(p.Variants))
			for i, v := range p.Variants {
				labels[i] = v.Label
			}
			fmt.Fprintln(t.out, p.Name)
			fmt.Fprintf(t.out, "  %s\n", t.words.T("cli.preset-"+p.Name))
			fmt.Fprintf(t.out, "  %s\n", strings.Join(labels, ", "))
			fmt.Fprintf(t.out, "  %s\n", strings.Join(p.Load.Tests, ", "))
			fmt.Fprintf(t.out, "  %s\n", t.foretell(p))
		}
		return nil
	})
}
