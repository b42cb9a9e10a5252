package server

import (
	"context"
	"errors"
	"io"
	"time"

	"berth/core/host"
	"berth/core/plan"
)

// GuardCommand is the hidden first argument that makes this program a guard.
const GuardCommand = "__guard"

// GuardMain is what a guard process does: it reads the identities of servers from in
// until in ends, then ends every one that has not been taken back. It returns
// the exit code.
func GuardMain(in io.Reader) int { return 1 }

// An Endpoint is how a server is reached.
type Endpoint struct {
	Network  string // "tcp" or "unix"
	Address  string // host:port, or the socket's path
	User     string
	Password string
	Database int
	TLS      bool
}

// Options of a Launcher.
type Options struct {
	RunID   string
	WorkDir string // where private folders are made; "" is Berth's cache folder
	Host    string // that servers listen on: a loopback address
	Port    int    // 0: a free one for each start
}

// A Launcher starts servers, one run's, and leaves nothing of them behind.
type Launcher struct{}

// NewLauncher starts the guard and makes the run's private folder.
func NewLauncher(ctx context.Context, o Options) (*Launcher, error) {
	return nil, errors.New("not built")
}

// Prepare does once what need not be repeated at every start: builds or pulls
// images, makes the run's network. say is told what is being done, for people.
func (l *Launcher) Prepare(ctx context.Context, variants []plan.Variant, say func(string)) error {
	return errors.New("not built")
}

// Start starts v afresh and returns when it answers. Cancelling ctx stops
// a start within a second and leaves nothing.
func (l *Launcher) Start(ctx context.Context, v plan.Variant) (*Server, error) {
	return nil, errors.New("not built")
}

// Close stops what still runs and removes the run's network and folder. It
// works also after the context that the launcher was made with is done.
func (l *Launcher) Close() error { return nil }

// A Server is one started variant.
type Server struct {
	Variant   plan.Variant
	Endpoint  Endpoint
	PIDs      []int // the server's processes on this machine, if it can be known
	ProxyPIDs []int // docker-proxy's
	Ready     time.Duration
	Facts     host.Facts
	Commands  []string // that would start the same by hand
	Flags     []string // of package result
}

// Stop ends the server and removes what it left. An existing server is left alone.
func (s *Server) Stop(ctx context.Context) error { return nil }

// Exited is closed when the server has ended by itself; Failure then says why, with
// the end of its own log.
func (s *Server) Exited() <-chan struct{} { return nil }

// Failure is why the server ended by itself; nil while it runs.
func (s *Server) Failure() error { return nil }

// Availability says whether a placement can run here, and if not, why and what to do.
type Availability struct {
	OK      bool
	Reason  string // one sentence
	Advice  string // one sentence; may be empty
	Command string // to copy and run; may be empty
	Facts   host.Facts
}

// Check says whether v can be started on this machine now. It starts nothing
// and takes at most two seconds.
func Check(ctx context.Context, v plan.Variant) Availability { return Availability{} }

// TestConnection reaches an existing server, and says what it is or why not.
func TestConnection(ctx context.Context, e Endpoint) (host.Facts, error) {
	return nil, errors.New("not built")
}

// Clean removes what earlier Berths left behind (processes by recorded
// identity, containers and networks by label, folders), and lists it.
func Clean(ctx context.Context) ([]string, error) { return nil, errors.New("not built") }
