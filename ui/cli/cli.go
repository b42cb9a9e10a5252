// Package cli is Berth's command line. Each command reads its arguments,
// asks the core, and writes: results to standard output, progress and errors to
// standard error. Nothing is computed here.
//
// Data goes: arguments → plan → run → events → progress; run → tables, files.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	// cobra parses commands and flags the way that users of docker and kubectl know.
	"github.com/spf13/cobra"

	"berth/assets"
	"berth/core/plan"
	"berth/core/text"
)

// Exit codes.
const (
	exitDone     = 0
	exitFailed   = 1 // the run failed or was cut short
	exitUnusable = 2 // the arguments cannot be used; nothing was started
)

// Main carries out one command and returns the exit code. The first interrupt
// (Ctrl-C, SIGTERM, or SIGHUP as when the terminal closes) stops it and keeps what was
// measured; a later one ends the program at once, with a sentence of what may be left.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	FindHome()
	return mainOn(machine{}, args, in, out, errw)
}

func mainOn(c core, args []string, in io.Reader, out, errw io.Writer) int {
	t := &terminal{in: in, out: out, err: errw, words: text.For(locale()), core: c}
	ctx, stop := untilInterrupted(func() {
		fmt.Fprintf(errw, "berth: %s\n", t.left())
		os.Exit(exitFailed)
	})
	defer stop()
	return t.main(ctx, args)
}

// sameWish is how long after the first interrupt another is the same wish:
// timeout signals the program and then its group, and a terminal that closes
// in answer to Ctrl-C hangs up too.
const sameWish = time.Second

// untilInterrupted is a context that the first interrupt ends. One that comes
// later than sameWish after it calls atOnce. stop gives what it holds back.
func untilInterrupted(atOnce func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, stopped, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		defer close(ended)
		var first time.Time
		for {
			select {
			case <-signals:
			case <-stopped:
				return
			}
			switch {
			case first.IsZero():
				first = time.Now()
				cancel()
			case time.Since(first) > sameWish:
				atOnce()
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
		close(stopped)
		<-ended
	}
}

// A terminal is what a command talks to.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	words    *text.Catalogue
	core     core
	// leaves is what an end at once would leave behind, as a sentence, where the
	// command under way knows it better than left.
	leaves atomic.Pointer[string]
}

// left says what is left behind when the program ends at once.
func (t *terminal) left() string {
	if s := t.leaves.Load(); s != nil {
		return *s
	}
	return t.words.T("cli.ended-at-once")
}

func (t *terminal) main(ctx context.Context, args []string) int {
	out := &outlet{Writer: t.out}
	t.out = out
	root := t.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = failed(text.Err("cli.output-unwritten", nil, cause(out.err)))
	}
	if err == nil {
		return exitDone
	}
	for line := range strings.Lines(t.sentence(err)) {
		fmt.Fprintf(t.err, "berth: %s\n", strings.TrimRight(line, "\n"))
	}
	var failed *failure
	if errors.As(err, &failed) {
		return exitFailed
	}
	return exitUnusable
}

// A failure is an error of exit code 1. Every other one, cobra's own among
// them, means that the arguments cannot be used.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

// sentence is err in the user's language, a line for each fault of a plan.
func (t *terminal) sentence(err error) string {
	var faults plan.Faults
	if !errors.As(err, &faults) {
		return t.words.Error(err)
	}
	lines := make([]string, len(faults))
	for i, f := range faults {
		id := "cli.fault"
		if f.Line > 0 {
			id = "cli.fault-line"
		}
		lines[i] = t.words.T(id, text.Args{"Key": f.Key, "Line": f.Line, "Text": t.words.Error(f.Err)})
	}
	return strings.Join(lines, "\n")
}

func (t *terminal) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "berth",
		Short:         t.words.T("cli.short"),
		Long:          t.words.T("cli.long"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return text.Err("cli.no-such-command", text.Args{"Command": args[0]}, nil)
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.Flags().BoolP("help", "h", false, t.words.T("cli.help"))
	root.Flags().Bool("version", false, t.words.T("cli.version"))
	root.Version = assets.Version
	root.SetVersionTemplate("Berth {{.Version}}\n")
	root.SetUsageTemplate(strings.NewReplacer(
		"Usage:", t.words.T("cli.usage"), "Available Commands:", t.words.T("cli.commands"), "Flags:", t.words.T("cli.flags"),
		`Use "{{.CommandPath}} [command] --help" for more information about a command.`, t.words.T("cli.more"),
	).Replace(root.UsageTemplate()))
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return text.Err("cli.flag", text.Args{"Command": c.CommandPath()}, err)
	})
	root.AddCommand(t.runCommand(), t.presetsCommand(), t.doctorCommand(), t.cleanCommand(), t.openCommand(), t.exportCommand(), t.importCommand(), t.compareCommand(),
		t.editCommand(), t.checkCommand(), t.loadCommand(), t.oltpCommand())
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Short = t.words.T("cli.help")
		}
	}
	return root
}

// command is what every command is made with: its words come from the
// catalogue, under "cli.NAME".
func (t *terminal) command(use string, args int, do func(c *cobra.Command, args []string) error) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	c := &cobra.Command{
		Use:   use,
		Short: t.words.T("cli." + name),
		Args: func(c *cobra.Command, got []string) error {
			if len(got) == args {
				return nil
			}
			return text.Err("cli.arguments", text.Args{"Command": c.UseLine()}, nil)
		},
		RunE: do,
	}
	c.Flags().BoolP("help", "h", false, t.words.T("cli.help"))
	return c
}

// locale is the user's, as the C library reads it.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}
