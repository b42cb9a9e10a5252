package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"berth/assets"
	"berth/core/agent"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/text"
)

// loadCommand does what redis-benchmark does: the same options, the same
// requests, the same lines, so that a script that calls it runs unchanged. -h is the host.
func (t *terminal) loadCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                "load [OPTIONS] [COMMAND ARGS...]",
		Short:              t.words.T("cli.load"),
		DisableFlagParsing: true,
		RunE:               func(c *cobra.Command, args []string) error { return t.load(c.Context(), args) },
	}
	c.SetHelpFunc(func(*cobra.Command, []string) { t.loadHelp(newLoadOptions(t.words)) })
	return c
}

func (t *terminal) load(ctx context.Context, args []string) error {
	o := newLoadOptions(t.words)
	if err := o.read(args, t.in); err != nil {
		return err
	}
	switch {
	case o.help:
		t.loadHelp(o)
		return nil
	case o.version:
		fmt.Fprintf(t.out, "berth load %s (as redis-benchmark %s)\n", assets.Version, o.compat)
		return nil
	}
	jobs, err := o.jobs()
	if err != nil {
		return err
	}
	for _, warning := range o.warnings {
		t.say(warning)
	}
	wholeSuite := len(o.command) == 0 && !o.flags.Changed("tests")
	var commands, younger []string
	if len(o.command) > 0 {
		commands = o.command[:1]
	}
	for _, j := range jobs {
		if wholeSuite && j.test.Name == "XADD" {
			younger = []string{"XADD"}
		}
	}
	if o.cluster {
		masters, err := redisload.Masters(ctx, o.job.Target)
		if err != nil {
			return failed(err)
		}
		if err := o.spread(jobs, masters); err != nil {
			return err
		}
	}
	// Every job loads the same servers.
	facts, all, err := askAll(ctx, jobs[0].job.Targets(), commands, younger)
	if err != nil {
		return failed(err)
	}
	if wholeSuite {
		// XADD is younger than the suite's other tests.
		jobs = slices.DeleteFunc(jobs, func(j testJob) bool {
			_, has := facts.Writes["XADD"]
			return j.test.Name == "XADD" && !has
		})
	}
	l := &loading{terminal: t, o: o, facts: facts, progress: newProgress(t.err, t.words)}
	if o.cluster {
		l.masters = all
		if !o.json {
			if err := redisload.ClusterHeader(t.out, jobs[0].job.Masters); err != nil {
				return err
			}
		}
	}
	if o.idle {
		fmt.Fprintf(t.out, "Creating %d idle connections and waiting forever (Ctrl+C when done)\n", o.job.Clients)
		return failed(redisload.Idle(ctx, jobs[0].job))
	}
	l.warnFirst(jobs)
	return failed(l.run(ctx, jobs))
}

// askAll asks each server that is loaded for its facts. Those of all are the first's, but for the
// keys, which are counted together.
func askAll(ctx context.Context, targets []redisload.Target, commands, always []string) (together redisload.Facts, each []redisload.Facts, err error) {
	for _, target := range targets {
		facts, err := redisload.Ask(ctx, target, commands, always)
		if err != nil {
			return together, nil, err
		}
		each = append(each, facts)
	}
	together = each[0]
	for _, f := range each[1:] {
		together.Keys += f.Keys
		for name, writes := range f.Writes {
			together.Writes[name] = writes
		}
	}
	return together, each, nil
}

// say writes a sentence beside the results.
func (t *terminal) say(sentence string) { fmt.Fprintf(t.err, "berth: %s\n", sentence) }

func (t *terminal) loadHelp(o *loadOptions) {
	fmt.Fprintf(t.out, "%s\n\n%s\n  berth load [OPTIONS] [COMMAND ARGS...]\n\n%s\n%s", t.words.T("cli.load"), t.words.T("cli.usage"), t.words.T("cli.flags"), o.flags.FlagUsages())
}

// A loading is one call of berth load, under way.
type loading struct {
	*terminal
	o        *loadOptions
	facts    redisload.Facts
	masters  []redisload.Facts // of each master of a cluster
	progress *progress

	// Titles of tests in which something must be told when all are done.
	withErrors, tooShort, clientBound []string
	told                              bool            // what --threads auto came to
	said                              map[string]bool // by tellLast
}

// run carries the tests out, over and over with -l, until an error or an interrupt.
func (l *loading) run(ctx context.Context, jobs []testJob) error {
	if l.o.csv && !l.o.json {
		if err := redisload.CSVHeader(l.out, l.o.compat); err != nil {
			return err
		}
	}
	for {
		err := l.pass(ctx, jobs)
		l.tellLast()
		if l.o.loop && ctx.Err() != nil {
			err = nil // with -l an interrupt is the only end, and no failure
		}
		if err != nil || !l.o.loop || ctx.Err() != nil {
			return err
		}
	}
}

func (l *loading) pass(ctx context.Context, jobs []testJob) error {
	l.withErrors, l.tooShort, l.clientBound = nil, nil, nil
	for _, j := range jobs {
		if err := l.test(ctx, j); err != nil {
			return err
		}
	}
	if len(l.o.command) == 0 && !l.o.csv && !l.o.json {
		if _, err := fmt.Fprintln(l.out); err != nil {
			return err
		}
	}
	if len(l.withErrors) > 0 {
		return text.Err("cli.load-with-errors", text.Args{"Tests": strings.Join(l.withErrors, ", ")}, nil)
	}
	return nil
}

// test has an agent carry one test out, and prints what was measured.
func (l *loading) test(ctx context.Context, j testJob) error {
	l.mayLeave(j)
	defer l.leaves.Store(nil)
	cpu := serverCPU{}
	if j.job.Reconnect {
		// While it runs, each place that the server has may be wanted.
		cpu.before(ctx, j.job.Targets())
	}
	r, err := agent.Run(ctx, agent.Job{Redis: &j.job}, func(e agent.Event) {
		switch {
		case e.Phase == redisload.Measuring && !j.job.Reconnect:
			cpu.before(ctx, j.job.Targets())
		case e.Phase == redisload.Measured:
			cpu.after(ctx, j.job.Targets())
		case e.Tick != nil && e.Tick.Elapsed > 0:
			l.progress.rewrite(l.words.T("cli.load-progress", text.Args{"Test": j.title, "Requests": grouped(float64(e.Tick.Requests)),
				"RPS": grouped(float64(e.Tick.Requests) / e.Tick.Elapsed.Seconds())}))
		}
	})
	l.progress.takeAway()
	if r == nil {
		if errors.Is(err, context.Canceled) {
			return text.Err("redisload.cancelled", nil, nil)
		}
		return err
	}
	if r.Errors > 0 && r.Errors == r.Requests {
		// Nothing else was measured: a rate of refusals is no result.
		return l.errorReplies(j, r)
	}
	measured, undecoded := r.Measured()
	if undecoded != nil {
		return undecoded
	}
	s := r.Sample()
	s.ServerCPU = cpu.percent(r.Elapsed)
	if r.Cut == "" {
		s.Bottleneck = result.Bottleneck(*s, runtime.NumCPU())
	}
	if printed := l.print(j, measured, s); printed != nil {
		return printed
	}
	l.tell(j, r, s)
	if r.Cut == "" {
		return err
	}
	cut := text.Err("cli.load-cut", text.Args{"Test": j.title, "Cut": r.Cut, "Silence": tenths(r.Outage)}, nil)
	if err != nil {
		l.say(l.words.Error(cut))
		return err
	}
	return cut
}

// mayLeave notes what an end at once would leave of a test.
func (l *loading) mayLeave(j testJob) {
	id := "cli.load-ended-at-once"
	if j.job.Cleanup {
		id = "cli.load-ended-with-keys"
	}
	sentence := l.words.T(id, text.Args{"Test": j.title, "Address": j.job.Target.Address, "Database": j.job.Target.Database})
	l.leaves.Store(&sentence)
}

func (l *loading) print(j testJob, r redisload.Result, s *result.Sample) error {
	report := redisload.Report{Title: j.title, Job: j.job, Result: r, Save: l.facts.Save, AppendOnly: l.facts.AppendOnly,
		Masters: l.masters, Threaded: l.o.threaded}
	report.Job.PayloadBytes, report.Job.Threads = j.shownBytes, r.Threads
	switch {
	case l.o.json:
		return writeLoad(l.out, j, r, s)
	case l.o.csv:
		return report.CSV(l.out, l.o.compat)
	case l.o.quiet:
		return report.Quiet(l.out, l.o.compat)
	}
	return report.Full(l.out, l.o.compat)
}

// A serverCPU is what the servers' own meters say at both ends of a test.
type serverCPU struct{ first, last []time.Duration }

func (c *serverCPU) before(ctx context.Context, servers []redisload.Target) {
	c.first = meters(ctx, servers)
}
func (c *serverCPU) after(ctx context.Context, servers []redisload.Target) {
	c.last = meters(ctx, servers)
}

// meters are the CPU times that servers have used; none where one does not tell.
func meters(ctx context.Context, servers []redisload.Target) (all []time.Duration) {
	for _, s := range servers {
		used, ok := redisload.ServerCPU(ctx, s)
		if !ok {
			return nil
		}
		all = append(all, used)
	}
	return all
}

// percent is of one core, and of the busiest of several servers, which is the one that
// may hold the others back; nil where one did not tell both times.
func (c *serverCPU) percent(over time.Duration) *float64 {
	if over <= 0 || len(c.first) == 0 || len(c.first) != len(c.last) {
		return nil
	}
	most := time.Duration(0)
	for i, first := range c.first {
		if c.last[i] < first {
			return nil
		}
		most = max(most, c.last[i]-first)
	}
	p := 100 * most.Seconds() / over.Seconds()
	return &p
}
