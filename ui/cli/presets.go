package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// loadLines are the tests and scripts of each load, a line each; where there are several, a
// line for each pair, by its name.
func loadLines(p plan.Plan, words *text.Catalogue) []string {
	var names, lines []string
	tests := map[string][]string{}
	add := func(name string, of []string) {
		if tests[name] == nil {
			names = append(names, name)
		}
		tests[name] = append(tests[name], strings.Join(of, ", "))
	}
	for _, l := range p.Loads {
		add(l.Name, l.Tests)
	}
	for _, o := range p.OLTPs {
		add(o.Name, o.Scripts)
	}
	for _, name := range names {
		line := strings.Join(tests[name], " / ")
		if name != "" {
			line = result.LoadName(name, words) + ": " + line
		}
		lines = append(lines, line)
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
			for _, line := range loadLines(p, t.words) {
				fmt.Fprintf(t.out, "  %s\n", line)
			}
			fmt.Fprintf(t.out, "  %s\n", t.foretell(p))
		}
		return nil
	})
}
