package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/text"
)

// checkCommand checks by redis-benchmark what limited a run.
func (t *terminal) checkCommand() *cobra.Command {
	var mode, test string
	c := t.command("check RUN", 1, func(c *cobra.Command, args []string) error {
		r, err := t.openRun(args[0])
		if err != nil {
			return err
		}
		label, w, err := toCheck(r, mode, test)
		if err != nil {
			return err
		}
		checked, err := t.core.Check(c.Context(), r, label, w, t.words.Lang(), func(doing string) { fmt.Fprintln(t.err, doing) })
		if err != nil {
			return failed(err)
		}
		return failed(t.printChecked(r, checked))
	})
	c.Flags().StringVar(&mode, "mode", "", t.words.T("cli.check-mode"))
	c.Flags().StringVar(&test, "test", "", t.words.T("cli.check-test"))
	return c
}

// toCheck is the variant and the workload that the flags choose; left empty, where a check says most.
func toCheck(r *result.Run, mode, test string) (label string, w plan.Workload, err error) {
	label, w, _, ok := run.ToCheck(r)
	if !ok {
		return "", w, text.Err("run.check-nothing", nil, nil)
	}
	if mode != "" {
		if labels := result.Order(r); !slices.Contains(labels, mode) {
			return "", w, text.Err("cli.variant-unknown", text.Args{"Variant": mode, "Variants": strings.Join(labels, ", ")}, nil)
		}
		label = mode
	}
	if test == "" {
		test = w.Test
	}
	all := run.Checkable(r, label)
	if i := slices.Index(all, w); i >= 0 && w.Test == test {
		return label, w, nil
	}
	i := slices.IndexFunc(all, func(w plan.Workload) bool { return w.Test == test })
	if i < 0 {
		return "", w, text.Err("run.check-unfit", text.Args{"Variant": label, "Test": test}, nil)
	}
	return label, all[i], nil
}

// printChecked prints a line a tool, then what they show.
func (t *terminal) printChecked(r *result.Run, c *run.Checked) error {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("%.0f%%", *x)
	}
	rows := [][]string{{t.words.T("cli.check-tool"), t.words.T("cli.check-rps"), t.words.T("cli.check-client"), t.words.T("cli.check-each"),
		t.words.T("cli.check-server"), t.words.T("cli.check-limit")}}
	for _, x := range []struct {
		name string
		tool run.Tool
	}{{"Berth", c.Berth}, {"redis-benchmark", c.Benchmark}} {
		rows = append(rows, []string{x.name, fmt.Sprintf("%.0f (%.0f–%.0f)", x.tool.RPS, x.tool.Least, x.tool.Most), number(x.tool.ClientCPU), fmt.Sprintf("%.2f", float64(x.tool.PerRequest.Nanoseconds())/1000),
			number(x.tool.ServerCPU), t.words.T("run.limit-" + x.tool.Bottleneck)})
	}
	for _, row := range rows {
		if _, err := fmt.Fprintln(t.out, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(t.out, c.Text(t.words, result.Name(r, c.Variant, t.words)))
	return err
}
