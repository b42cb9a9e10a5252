//go:build !headless

package window

import (
	"context"
	"path/filepath"
	"time"

	"berth/assets"
	"berth/core/host"
	"berth/core/ingest"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
)

// A core is what the window asks of the packages that touch the machine. What
// only reckons (plan, stats, figure, report) it calls itself. Tests have a core of their own.
type core interface {
	// Available says whether v can be started here; it takes up to two seconds.
	Available(ctx context.Context, v plan.Variant) server.Availability
	// CheckHere says what keeps a checked plan from being started on this machine that is known at once.
	CheckHere(p plan.Plan) error
	// TestConnection reaches an existing server and says what it is.
	TestConnection(ctx context.Context, e server.Endpoint) (host.Facts, error)
	// Execute carries out a plan, Continue adds rounds to a kept run.
	Execute(ctx context.Context, o run.Options) (*result.Run, error)
	Continue(ctx context.Context, path string, rounds int, o run.Options) (*result.Run, error)
	// Open replays the log at path.
	Open(path string) (*result.Run, error)
	// Import keeps what other tools printed as a run.
	Import(files []ingest.File, given ingest.Given) (*result.Run, error)
	// Check loads a variant of r by Berth and by redis-benchmark; say is told what is being done.
	Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (*run.Checked, error)
	// Edit keeps texts with r, in its log, and returns it with them.
	Edit(r *result.Run, edits []result.EditEvent) (*result.Run, error)
	// Clean removes what earlier Berths left behind; ask gives passwords of servers on which they left keys.
	Clean(ctx context.Context, ask server.Ask) ([]string, error)
	// Kept are the logs of the runs that are kept, the last started first; Outline is what a list says of one.
	Kept() []string
	Outline(path string) (result.Outline, error)
}

// machine is the core on this machine.
type machine struct{}

func (machine) Available(ctx context.Context, v plan.Variant) server.Availability {
	return server.Check(ctx, v)
}

func (machine) CheckHere(p plan.Plan) error { return run.CheckHere(p) }

func (machine) TestConnection(ctx context.Context, e server.Endpoint) (host.Facts, error) {
	return server.TestConnection(ctx, e)
}

func (machine) Execute(ctx context.Context, o run.Options) (*result.Run, error) {
	return run.Execute(ctx, o)
}

func (machine) Continue(ctx context.Context, path string, rounds int, o run.Options) (*result.Run, error) {
	return run.Continue(ctx, path, rounds, o)
}

func (machine) Open(path string) (*result.Run, error) { return result.Open(path) }

func (machine) Import(files []ingest.File, given ingest.Given) (*result.Run, error) {
	events, err := ingest.Events(run.NewID(plan.Plan{Name: ingest.Name}), assets.Version, files, given, time.Now())
	if err != nil {
		return nil, err
	}
	return run.Keep(events)
}

func (machine) Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (*run.Checked, error) {
	return run.Check(ctx, r, variant, w, lang, say)
}

func (machine) Edit(r *result.Run, edits []result.EditEvent) (*result.Run, error) {
	return result.Edit(r.Path, edits, filepath.Join(run.Folder(), r.ID, result.LogName))
}

func (machine) Clean(ctx context.Context, ask server.Ask) ([]string, error) {
	return server.Clean(ctx, ask)
}

func (machine) Kept() []string { return run.Kept() }

func (machine) Outline(path string) (result.Outline, error) { return result.OpenOutline(path) }
