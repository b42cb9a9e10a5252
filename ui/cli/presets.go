package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/plan"
)

// loadLines are the tests and scripts of each load, a line each, with its name where there are several.
func loadLines(p plan.Plan) []string {
	var lines []string
	add := func(name string, tests []string) {
		if name != "" {
			name += ": "
		}
		lines = append(lines, name+strings.Join(tests, ", "))
	}
	for _, l := range p.Loads {
		add(l.Name, l.Tests)
	}
	for _, o := range p.OLTPs {
		add(o.Name, o.Scripts)
	}
	return lines
}

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
			for _, line := range loadLines(p) {
				fmt.Fprintf(t.out, "  %s\n", line)
			}
			fmt.Fprintf(t.out, "  %s\n", t.foretell(p))
		}
		return nil
	})
}
