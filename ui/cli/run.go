package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"berth/core/plan"
	"berth/core/report"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
	"berth/core/text"
)

// defaultPreset is what `berth run` carries out when told neither a preset nor
// a plan.
const defaultPreset = "quick"

type runFlags struct {
	preset, planFile string
	set              []string
	out              string
	force            bool
	continued        string
	yes              bool
	rounds           int
	hideNames        bool
}

func (t *terminal) runCommand() *cobra.Command {
	var f runFlags
	c := t.command("run", 0, func(c *cobra.Command, _ []string) error {
		if err := f.check(c.Flags().Changed); err != nil {
			return err
		}
		if f.continued != "" {
			return t.continueRun(c.Context(), f)
		}
		return t.startRun(c.Context(), f)
	})
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.preset, "preset", "", t.words.T("cli.run-preset", text.Args{"Presets": strings.Join(plan.PresetNames, ", ")}))
	flags.StringVar(&f.planFile, "plan", "", t.words.T("cli.run-plan"))
	flags.StringArrayVar(&f.set, "set", nil, t.words.T("cli.run-set"))
	flags.StringVar(&f.out, "out", "", t.words.T("cli.run-out"))
	flags.BoolVar(&f.force, "force", false, t.words.T("cli.run-force"))
	flags.BoolVar(&f.hideNames, "hide-names", false, t.words.T("cli.hide-names"))
	flags.StringVar(&f.continued, "continue", "", t.words.T("cli.run-continue"))
	flags.BoolVar(&f.yes, "yes", false, t.words.T("cli.run-yes"))
	flags.IntVar(&f.rounds, "rounds", 0, t.words.T("cli.run-rounds"))
	return c
}

// check says which flags do not go together; given tells those that were set.
func (f runFlags) check(given func(flag string) bool) error {
	if given("preset") && given("plan") || given("continue") && (given("preset") || given("plan")) {
		return text.Err("cli.one-plan", nil, nil)
	}
	if !given("continue") {
		switch {
		case given("rounds"):
			return text.Err("cli.rounds-alone", text.Args{"Rounds": f.rounds}, nil)
		case f.out == "":
			return text.Err("cli.no-out", nil, nil)
		}
		return nil
	}
	for _, other := range []string{"set", "out", "force", "hide-names"} {
		if given(other) {
			return text.Err("cli.continue-alone", text.Args{"Flag": other}, nil)
		}
	}
	switch {
	case f.continued == "":
		return text.Err("cli.no-run", text.Args{"Run": `""`}, nil)
	case !given("rounds"):
		return text.Err("cli.no-rounds", nil, nil)
	case f.rounds < 1 || f.rounds > plan.MaxRounds:
		return text.Err("cli.rounds", text.Args{"Rounds": f.rounds, "Most": plan.MaxRounds}, nil)
	}
	return nil
}

func (t *terminal) startRun(ctx context.Context, f runFlags) error {
	p, err := t.readPlan(ctx, f)
	if err != nil {
		return err
	}
	p, err = t.leaveOut(ctx, p, f.mayLeaveOut())
	if err != nil {
		return err
	}
	if err := t.core.CheckStart(ctx, p); err != nil {
		return err
	}
	if err := t.agree(p.Expected(), f.yes); err != nil {
		return err
	}
	earlier, err := prepareFolder(f.out, f.force)
	if err != nil {
		return err
	}
	defer earlier.release()
	fmt.Fprintln(t.err, t.foretell(p))
	log := filepath.Join(f.out, result.LogName)
	logs, export := []string{log}, func(folder string, r *result.Run) error {
		return errors.Join(t.writeFolder(folder, r), restoreLog(log, r))
	}
	if f.hideNames {
		// The log as it happens has names in it: it is kept, and a copy without them written.
		logs, export = nil, func(folder string, r *result.Run) error {
			r = report.HideNames(r, report.MachineNames())
			return errors.Join(t.writeFolder(folder, r), writeLog(log, true, r))
		}
	}
	return t.carryOut(p, f.out, export, func(observe func(result.Event)) (*result.Run, error) {
		r, err := t.core.Execute(ctx, run.Options{Plan: p, Logs: logs, Observe: observe, Lang: t.words.Lang()})
		return r, errors.Join(err, earlier.settle(r != nil && len(r.Samples) > 0))
	})
}

func (t *terminal) continueRun(ctx context.Context, f runFlags) error {
	r, err := t.openRun(f.continued)
	if err != nil {
		return err
	}
	if err := run.Continuable(r); err != nil {
		return err
	}
	p := withPasswords(r.Plan)
	if _, err := t.leaveOut(ctx, p, false); err != nil {
		return err
	}
	p.Rounds = f.rounds
	if err := t.agree(p.Expected(), f.yes); err != nil {
		return err
	}
	// What --out was given belongs to the log, and is written anew; a kept run has its log alone.
	folder := filepath.Dir(r.Path)
	export := t.writeFolder
	if isWithin(folder, t.core.Folder()) {
		export = func(string, *result.Run) error { return nil }
	}
	return t.carryOut(p, folder, export, func(observe func(result.Event)) (*result.Run, error) {
		return t.core.Continue(ctx, r.Path, f.rounds, run.Options{Plan: p, Observe: observe, Lang: t.words.Lang()})
	})
}

// isWithin reports whether dir lies in the folder above.
func isWithin(dir, above string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	if above, err = filepath.EvalSymlinks(above); err != nil {
		return false
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return false
	}
	if above, err = filepath.Abs(above); err != nil {
		return false
	}
	return filepath.Dir(dir) == above
}

// restoreLog writes r's log where it is not any more: somebody removed the folder while the run went on,
// and what was written there is lost. A log that somebody put there instead stays.
func restoreLog(path string, r *result.Run) error {
	kept, err := os.ReadFile(r.Path)
	if err != nil {
		return text.Err("result.log-unreadable", text.Args{"Path": r.Path}, cause(err))
	}
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return writeWhole(path, false, kept)
	case err != nil || !bytes.Equal(there, kept):
		return text.Err("cli.out-replaced", text.Args{"Path": path, "Kept": r.Path}, nil)
	}
	return nil
}

// agree asks whether to go on with what takes longer than plan.LongPlan: on a terminal in so many words,
// elsewhere by --yes.
func (t *terminal) agree(takes time.Duration, yes bool) error {
	if yes || takes <= plan.LongPlan {
		return nil
	}
	args := text.Args{"Time": clock(takes)}
	if f, ok := t.in.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return text.Err("cli.long-plan", args, nil)
	}
	fmt.Fprint(t.err, t.words.T("cli.long-plan-ask", args)+" ")
	answer, err := bufio.NewReader(t.in).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); err != nil || answer != "y" && answer != "yes" {
		return text.Err("cli.long-plan-declined", nil, nil)
	}
	return nil
}

// readPlan is the plan that the flags ask for, checked whole.
func (t *terminal) readPlan(ctx context.Context, f runFlags) (plan.Plan, error) {
	var p plan.Plan
	var err error
	switch {
	case f.planFile != "":
		p, err = t.readPlanFile(ctx, f.planFile)
	case f.preset != "":
		p, err = plan.Preset(f.preset)
	default:
		p, err = plan.Preset(defaultPreset)
	}
	if err != nil {
		return plan.Plan{}, err
	}
	if err := p.SetAll(f.set); err != nil {
		return plan.Plan{}, err
	}
	return withPasswords(p), p.Check()
}

// passwordVariable is where redis-cli and mysql look for a password too; on a command
// line everybody would see it.
var passwordVariable = map[string]string{plan.Redis: "REDISCLI_AUTH", plan.MySQL: "MYSQL_PWD"}

// withPasswords gives existing servers without a password the one in the environment.
func withPasswords(p plan.Plan) plan.Plan {
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		if v := &p.Variants[i]; v.Placement == plan.Existing && v.Password == "" && passwordVariable[v.Service] != "" {
			v.Password = os.Getenv(passwordVariable[v.Service])
		}
	}
	return p
}

// readPlanFile reads a plan from a file, or from standard input if it is
// called "-".
func (t *terminal) readPlanFile(ctx context.Context, path string) (plan.Plan, error) {
	type read struct {
		raw []byte
		err error
	}
	ended := make(chan read, 1)
	// A pipe that nobody writes to is left waiting when the user has had enough.
	go func() {
		raw, err := t.planBytes(path)
		ended <- read{raw, err}
	}()
	select {
	case r := <-ended:
		if r.err != nil {
			return plan.Plan{}, r.err
		}
		return plan.Read(r.raw)
	case <-ctx.Done():
		return plan.Plan{}, t.stoppedBefore(ctx)
	}
}

// longestPlan is the most bytes that a plan has: more is no plan, and may have no end.
const longestPlan = 1 << 20

func (t *terminal) planBytes(path string) ([]byte, error) {
	unreadable := func(err error) error {
		return text.Err("cli.plan-unreadable", text.Args{"Path": path}, cause(err))
	}
	in := t.in
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, unreadable(err)
		}
		if mode := info.Mode(); !mode.IsRegular() && mode&os.ModeNamedPipe == 0 {
			return nil, text.Err("cli.plan-no-file", text.Args{"Path": path}, nil)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, unreadable(err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, longestPlan+1))
	switch {
	case err != nil:
		return nil, unreadable(err)
	case len(raw) > longestPlan:
		return nil, text.Err("cli.plan-too-long", text.Args{"Path": path, "Most": longestPlan >> 20}, nil)
	}
	return raw, nil
}

// stoppedBefore is the failure of a command that the user stopped before anything was measured; nil if ctx goes on.
func (t *terminal) stoppedBefore(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return failed(t.outcome(nil, context.Canceled))
}

// mayLeaveOut tells a preset, which is carried out as far as this machine can,
// from modes that the user named.
func (f runFlags) mayLeaveOut() bool {
	return f.planFile == "" && !slices.ContainsFunc(f.set, func(s string) bool { return strings.HasPrefix(s, "modes=") })
}

// leaveOut asks whether each variant of p can be started here. Those that
// cannot are left out with a sentence if they may be, and an error if not.
func (t *terminal) leaveOut(ctx context.Context, p plan.Plan, may bool) (plan.Plan, error) {
	var kept []plan.Variant
	for _, v := range p.Variants {
		a := t.core.Available(ctx, v)
		if err := t.stoppedBefore(ctx); err != nil {
			return p, err
		}
		if a.OK {
			for _, caution := range server.Cautions(a.Facts) {
				fmt.Fprintln(t.err, t.words.T("cli.caution", text.Args{"Variant": v.Label, "Text": t.words.Error(caution)}))
			}
			kept = append(kept, v)
			continue
		}
		why := text.Args{"Variant": v.Label, "Why": a.Why()}
		if !may {
			return p, text.Err("cli.unavailable", why, nil)
		}
		fmt.Fprintln(t.err, t.words.Error(text.Err("cli.left-out", why, nil)))
	}
	if len(kept) == 0 {
		return p, text.Err("cli.nothing-left", nil, nil)
	}
	if !slices.ContainsFunc(kept, func(v plan.Variant) bool { return v.Label == p.Reference }) {
		p.Reference = ""
	}
	p.Variants = kept
	return p, nil
}

// foretell says how much a plan is: "3 modes × 4 tests × 2 payloads × 4 rounds:
// 96 samples, about 1:40".
func (t *terminal) foretell(p plan.Plan) string {
	product := []string{t.words.N("cli.variants", len(p.Variants))}
	if several := max(len(p.Loads), len(p.OLTPs)); several > 1 {
		product = append(product, t.words.N("cli.loads", several))
	} else if len(p.Loads) == 1 {
		l := p.Loads[0]
		product = append(product, t.words.N("cli.tests", len(l.Tests)))
		for _, list := range []struct {
			id     string
			values []int
		}{{"cli.payloads", l.PayloadBytes}, {"cli.pipelines", l.Pipelines}, {"cli.client-counts", l.Clients}, {"cli.rates", l.Rates}} {
			if len(list.values) > 1 {
				product = append(product, t.words.N(list.id, len(list.values)))
			}
		}
	} else if len(p.OLTPs) == 1 {
		product = append(product, t.words.N("cli.tests", len(p.OLTPs[0].Scripts)))
	}
	product = append(product, t.words.N("cli.rounds-count", p.Rounds))
	disk := ""
	if need := p.DiskBytes(); need >= 1<<30 {
		disk = strconv.FormatFloat(float64(need)/(1<<30), 'f', 1, 64)
	}
	return t.words.T("cli.foretell", text.Args{
		"Disk":    disk,
		"Product": strings.Join(product, " × "),
		"Samples": t.words.N("cli.samples", p.Samples()),
		"Time":    clock(p.Expected()),
	})
}

// writeFolder writes the files of a run. Names that are in the way were asked about
// before the run.
func (t *terminal) writeFolder(folder string, r *result.Run) error {
	_, err := report.Folder(folder, r, t.words, true)
	return err
}

// writeLog writes r's events as a log.
func writeLog(path string, force bool, r *result.Run) error {
	var whole bytes.Buffer
	lines := json.NewEncoder(&whole)
	for _, e := range r.Events {
		if err := lines.Encode(e); err != nil {
			return err
		}
	}
	return writeWhole(path, force, whole.Bytes())
}

// carryOut runs do, of a plan, with progress told on standard error, then prints what was
// measured and has export write a run's files into folder.
func (t *terminal) carryOut(of plan.Plan, folder string, export func(folder string, r *result.Run) error, do func(observe func(result.Event)) (*result.Run, error)) error {
	p := newProgress(t.err, t.words)
	p.tell(of)
	stop := p.start()
	r, err := do(p.observe)
	stop()
	var told error
	if r != nil && len(r.Samples) > 0 {
		var lost error
		err, lost = apart(err)
		// The files first: a reader of the tables may go before their end.
		if lost = errors.Join(lost, export(folder, r)); lost != nil {
			told = keptElsewhere(r, folder, lost)
		}
		t.printRun(r)
		if told == nil {
			fmt.Fprintln(t.err, t.words.T("cli.kept", text.Args{"Folder": folder}))
		}
	}
	return failed(errors.Join(t.outcome(r, err), told))
}

// apart takes out of err what says that a copy of the log could not be written to its end.
func apart(err error) (rest, lost error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			r, l := apart(e)
			rest, lost = errors.Join(rest, r), errors.Join(lost, l)
		}
		return rest, lost
	}
	var e *text.Error
	if errors.As(err, &e) && e.ID == "result.copy-unwritable" {
		return nil, e
	}
	return err, nil
}

// keptElsewhere is the one sentence about a folder that could not be written, whatever in it: it says where the run is whole.
func keptElsewhere(r *result.Run, folder string, lost error) error {
	var first *text.Error
	if errors.As(lost, &first) && errors.Unwrap(first) != nil {
		lost = errors.Unwrap(first)
	}
	return text.Err("cli.kept-elsewhere", text.Args{"Folder": folder, "Kept": filepath.Dir(r.Path)}, cause(lost))
}

// outcome is err, or for a run that was stopped by the user a sentence that
// says how much of it is kept.
func (t *terminal) outcome(r *result.Run, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	samples := 0
	if r != nil {
		samples = len(r.Samples)
	}
	return text.Err("cli.stopped", text.Args{"Samples": t.words.N("cli.samples", samples)}, nil)
}
