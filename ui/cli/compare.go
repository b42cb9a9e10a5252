package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/report"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

func (t *terminal) compareCommand() *cobra.Command {
	hideNames := false
	c := t.command("compare RUN RUN...", 2, func(_ *cobra.Command, args []string) error { return t.compare(args, hideNames) })
	c.Flags().BoolVar(&hideNames, "hide-names", false, t.words.T("cli.hide-names"))
	exactly := c.Args
	c.Args = func(c *cobra.Command, args []string) error { return exactly(c, args[:min(2, len(args))]) }
	return c
}

// compare writes the comparisons of later runs with the first to standard output.
// What the runs do not have in common, and then what the comparisons say, goes to
// standard error, so that a redirect is a clean table.
func (t *terminal) compare(names []string, hideNames bool) error {
	var runs []*result.Run
	var ids []string
	for _, name := range names {
		r, err := t.openRun(name)
		if err != nil {
			return err
		}
		if hideNames {
			r = report.HideNames(r, report.MachineNames())
		}
		if slices.Contains(ids, r.ID) {
			return text.Err("cli.compare-twice", text.Args{"Run": r.ID}, nil)
		}
		runs, ids = append(runs, r), append(ids, r.ID)
	}
	rows := stats.CompareRuns(runs)
	if len(rows) == 0 {
		return text.Err("cli.compare-nothing", nil, nil)
	}
	t.printDifferences(ids, stats.RunDifferences(runs), slices.ContainsFunc(runs, func(r *result.Run) bool { return len(r.Imported) > 0 }))
	for _, f := range report.RunFindings(runs) {
		fmt.Fprintf(t.err, "- %s\n", f.Text(t.words))
	}
	fmt.Fprintln(t.err)
	return failed(result.WriteComparisons(t.out, rows))
}

func (t *terminal) printDifferences(ids []string, all []stats.Difference, imported bool) {
	if len(all) == 0 && imported {
		return // what is the same is not known either
	}
	if len(all) == 0 {
		fmt.Fprintln(t.err, t.words.T("cli.compare-alike"))
		fmt.Fprintln(t.err)
		return
	}
	fmt.Fprintln(t.err, t.words.T("cli.compare-differs", text.Args{"Runs": strings.Join(ids, " | ")}))
	for _, d := range all {
		values := slices.Clone(d.Values)
		for i, v := range values {
			if v == "" {
				values[i] = "–" // the run does not say
			}
		}
		fmt.Fprintf(t.err, "  %s: %s\n", d.Key, strings.Join(values, " | "))
	}
	fmt.Fprintln(t.err)
}
