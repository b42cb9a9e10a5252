package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/plan"
	"berth/core/server"
	"berth/core/text"
)

// A part is one thing that Berth uses on this machine.
type part struct {
	name  string
	found string // version and path; empty if it is missing
	// why it is missing, and what there would be with it.
	why     string
	enables string
}

// A mode is a placement, and whether it runs here.
type mode struct {
	label string
	a     server.Availability
}

// An examination is what `berth doctor` found out.
type examination struct {
	version  string
	machine  []part
	programs []part
	modes    []mode
	runs     string // the folder that runs are kept in
}

// doctorCommand says what Berth finds on this machine, and what each thing that
// is missing would enable. A missing part is no failure.
func (t *terminal) doctorCommand() *cobra.Command {
	return t.command("doctor", 0, func(c *cobra.Command, _ []string) error {
		t.printExamination(t.examine(c.Context()))
		return nil
	})
}

func (t *terminal) examine(ctx context.Context) examination {
	x := t.inspect(ctx)
	for _, placement := range plan.Placements {
		if placement == plan.Existing {
			continue // needs an address first
		}
		v := plan.Variant{Label: placement, Service: plan.Redis, Placement: placement}
		x.modes = append(x.modes, mode{placement, t.core.Available(ctx, v)})
	}
	x.programs = append(x.programs, t.dockerEngine(x.modes))
	return x
}

// dockerEngine is Docker as the modes found it.
func (t *terminal) dockerEngine(modes []mode) part {
	p := part{name: t.words.T("cli.doctor-docker"), enables: t.words.T("cli.enables-docker")}
	for _, m := range modes {
		if m.label != plan.DockerNAT {
			continue
		}
		if m.a.OK {
			p.found = joined(m.a.Facts["docker.version"], m.a.Facts["docker.os"])
		} else {
			p.why = t.why(m.a)[0]
		}
	}
	return p
}

func (t *terminal) printExamination(x examination) {
	fmt.Fprintf(t.out, "Berth %s\n\n", x.version)
	t.printParts(t.words.T("cli.doctor-machine"), x.machine)
	t.printParts(t.words.T("cli.doctor-programs"), x.programs)
	fmt.Fprintln(t.out, t.words.T("cli.doctor-modes"))
	var rows [][]string
	for _, m := range x.modes {
		state := t.words.T("cli.doctor-ok")
		if !m.a.OK {
			state = strings.Join(t.why(m.a), "\n")
		}
		if last := len(rows) - 1; last >= 0 && !m.a.OK && rows[last][1] == state {
			rows[last][0] += ", " + m.label // the same holds for both
			continue
		}
		rows = append(rows, []string{"  " + m.label, state})
	}
	writeRows(t.out, rows)
	fmt.Fprintf(t.out, "\n%s\n", t.words.T("cli.doctor-runs", text.Args{"Folder": x.runs}))
}

func (t *terminal) printParts(title string, parts []part) {
	fmt.Fprintln(t.out, title)
	var rows [][]string
	for _, p := range parts {
		cell := p.found
		if cell == "" {
			cell = p.why + "\n" + t.words.T("cli.doctor-enables", text.Args{"What": p.enables})
		}
		rows = append(rows, []string{"  " + p.name, cell})
	}
	writeRows(t.out, rows)
	fmt.Fprintln(t.out)
}

// why says why a mode cannot run here, and what to do.
func (t *terminal) why(a server.Availability) []string {
	var lines []string
	for _, part := range []error{a.Err, a.AdviceErr} {
		if part != nil {
			lines = append(lines, t.words.Error(part))
		}
	}
	if a.Command != "" {
		lines = append(lines, a.Command)
	}
	return lines
}

// writeRows writes two columns; the further lines of a cell stand below its first.
func writeRows(w io.Writer, rows [][]string) {
	first := 0
	for _, row := range rows {
		first = max(first, cellWidth(row[0]))
	}
	for _, row := range rows {
		name := row[0]
		for line := range strings.Lines(row[1] + "\n") {
			fmt.Fprintf(w, "%s%s  %s\n", name, strings.Repeat(" ", first-cellWidth(name)), strings.TrimRight(line, "\n"))
			name = ""
		}
	}
}
