package cli

import (
	"context"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
)

// A core is what the commands ask of the packages that touch the machine. What
// only reckons (plan, stats, figure, report) they call themselves. Tests have a
// core of their own.
type core interface {
	// Available says whether v can be started here; it takes up to two seconds.
	Available(ctx context.Context, v plan.Variant) server.Availability
	// CheckStart says what keeps a plan from being started that can be known
	// without starting anything: its port is taken, its load is more than this machine can send.
	CheckStart(ctx context.Context, p plan.Plan) error
	// Execute carries out a plan; Continue adds rounds to a kept run.
	Execute(ctx context.Context, o run.Options) (*result.Run, error)
	Continue(ctx context.Context, path string, rounds int, o run.Options) (*result.Run, error)
	// Check loads a variant of r by Berth and by redis-benchmark; say is told what is being done.
	Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (*run.Checked, error)
	// Clean removes what earlier Berths left behind, and lists it; ask gives passwords of
	// servers on which they left keys.
	Clean(ctx context.Context, ask server.Ask) ([]string, error)
	// Folder holds the kept runs, a folder each.
	Folder() string
}

// machine is the core on this machine.
type machine struct{}

func (machine) Available(ctx context.Context, v plan.Variant) server.Availability {
	return server.Check(ctx, v)
}

func (machine) CheckStart(ctx context.Context, p plan.Plan) error {
	if err := run.CheckHere(p); err != nil {
		return err
	}
	return run.CheckExisting(ctx, p)
}

func (machine) Execute(ctx context.Context, o run.Options) (*result.Run, error) {
	return run.Execute(ctx, o)
}

func (machine) Continue(ctx context.Context, path string, rounds int, o run.Options) (*result.Run, error) {
	return run.Continue(ctx, path, rounds, o)
}

func (machine) Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (*run.Checked, error) {
	return run.Check(ctx, r, variant, w, lang, say)
}

func (machine) Clean(ctx context.Context, ask server.Ask) ([]string, error) {
	return server.Clean(ctx, ask)
}

func (machine) Folder() string { return run.Folder() }
