//go:build !headless

package window

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"berth/core/result"
	"berth/core/text"
)

// tabs show what lies behind the chart.
func (s *results) tabs() fyne.CanvasObject {
	t := s.w.t
	facts := newGrid()
	facts.show([]string{t("column-fact"), t("column-value")}, s.factRows())
	return container.NewAppTabs(
		container.NewTabItem(t("tab-table"), s.table),
		container.NewTabItem(t("tab-environment"), facts),
		container.NewTabItem(t("tab-commands"), s.w.shellText(s.commands())),
		container.NewTabItem(t("tab-log"), s.logList()),
	)
}

// shellText is text in the letters of a shell, with a button that copies it.
func (w *window) shellText(s string) fyne.CanvasObject {
	l := widget.NewLabelWithStyle(s, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	l.Wrapping = fyne.TextWrapBreak
	l.Selectable = true
	l.SizeName = theme.SizeNameCaptionText
	return container.NewBorder(nil, nil, nil, container.NewVBox(w.copyButton(func() string { return s })), container.NewVScroll(l))
}

// factRows are the machine's facts, then each variant's server's.
func (s *results) factRows() [][]string {
	var rows [][]string
	add := func(of string, facts map[string]string) {
		for _, key := range sortedKeys(facts) {
			rows = append(rows, []string{of + key, facts[key]})
		}
	}
	if from := s.run.Imported; len(from) > 0 {
		rows = append(rows, []string{s.w.t("imported-from"), strings.Join(from, ", ")})
	}
	add("", s.run.Facts())
	seen := map[string]bool{}
	for _, server := range s.run.Servers {
		if !seen[server.Variant] {
			seen[server.Variant] = true
			add(s.w.variantName(s.run, server.Variant)+": ", server.Facts)
		}
	}
	return rows
}

func sortedKeys(facts map[string]string) []string {
	keys := make([]string, 0, len(facts))
	for key := range facts {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// commands would start the same servers by hand.
func (s *results) commands() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, server := range s.run.Servers {
		if seen[server.Variant] {
			continue
		}
		seen[server.Variant] = true
		b.WriteString("# " + s.w.variantName(s.run, server.Variant) + "\n" + strings.Join(server.Commands, "\n") + "\n\n")
	}
	return b.String() + shellCommands(s.run.Plan)
}

// logList is the run's events, a line each.
func (s *results) logList() fyne.CanvasObject {
	var lines []string
	for _, e := range s.run.Events {
		if line := s.w.logLine(s.run, e); line != "" {
			lines = append(lines, e.At.Local().Format("15:04:05  ")+line)
		}
	}
	return widget.NewList(
		func() int { return len(lines) },
		func() fyne.CanvasObject {
			l := note("")
			l.Wrapping, l.Truncation = fyne.TextWrapOff, fyne.TextTruncateEllipsis
			return l
		},
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*widget.Label).SetText(lines[i]) })
}

// logLine is an event in a line; "" for those that only drive the progress.
func (w *window) logLine(r *result.Run, e result.Event) string {
	switch {
	case e.Session != nil:
		return w.t("log-session", text.Args{"Version": e.Session.Berth, "Rounds": e.Session.Rounds})
	case e.Round != nil:
		var order []string
		for _, label := range e.Round.Order {
			order = append(order, w.variantName(r, label))
		}
		return w.t("log-round", text.Args{"Round": e.Round.Round, "Order": strings.Join(order, ", ")})
	case e.Server != nil:
		return w.t("log-server", text.Args{"Mode": w.variantName(r, e.Server.Variant), "Address": e.Server.Address,
			"Seconds": strconv.FormatFloat(e.Server.Ready.Seconds(), 'f', 2, 64)})
	case e.Sample != nil:
		return w.t("log-sample", text.Args{"Mode": w.variantName(r, e.Sample.Variant), "Work": w.workName(e.Sample.Workload),
			"RPS": thousands(e.Sample.RPS()), "Flags": w.flagNames(e.Sample.Flags)})
	case e.Failure != nil:
		return e.Failure.Text
	case e.End != nil:
		return w.t("log-end", text.Args{"Reason": e.End.Reason, "Text": e.End.Text})
	}
	return ""
}
