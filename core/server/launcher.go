package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// Options of a Launcher.
type Options struct {
	RunID   string
	WorkDir string // where private folders are made; "" is Berth's cache folder
	Host    string // that servers listen on: a loopback address
	Port    int    // 0: a free one for each start
	MySQL   MySQLOptions
	// Variants are the run's. Their passwords also open servers on which an earlier Berth left keys.
	Variants []plan.Variant
	// Keys are all that the run writes to existing servers.
	Keys []Keys
	// Lang is the language in which Prepare says what it does; "" is English.
	Lang string
}

// A Launcher starts servers, one run's, and leaves nothing of them behind.
type Launcher struct {
	options   Options
	host      string // an IP address
	launch    launch
	record    *record
	uncleaned error // what earlier Berths left and could not be removed
	cancelled <-chan struct{}

	mu       sync.Mutex
	servers  map[*Server]bool
	programs map[string]host.Facts // of programs, by their file's path, size and time
	masters  map[string]*master    // data to start with, by program or image
	lent     []borrowed            // existing servers with tables of this launch
	folders  int
	engine   *engine // nil until a docker placement needs it

	closing  sync.Once
	closeErr error
}

// A sayer is told a message of the catalogue while something long is done.
type sayer func(id string, args text.Args)

// How long a server may take from its start to its first answer, how often it is
// asked, and how long an answer may take: not long, because what is sent to a bridge that
// is just being made is lost, and TCP sends it again after a second only.
const (
	readyTime     = 30 * time.Second
	readyEvery    = 5 * time.Millisecond
	readyPatience = 100 * time.Millisecond
)

// How long a new Launcher may take for what others left behind.
const cleanTime = 5 * time.Second

// NewLauncher starts the guard and makes the run's private folder. It first removes what
// earlier Berths left in the same WorkDir.
func NewLauncher(ctx context.Context, o Options) (*Launcher, error) {
	address, err := loopback(o.Host)
	if err != nil {
		return nil, err
	}
	if err := CheckPort(o.Host, o.Port); err != nil {
		return nil, err
	}
	if o.WorkDir == "" {
		o.WorkDir = defaultWorkDir()
	}
	// The docker engine mounts folders by their whole path.
	if o.WorkDir, err = filepath.Abs(o.WorkDir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.WorkDir, 0o700); err != nil {
		return nil, text.Err("server.no-work-folder", text.Args{"Folder": o.WorkDir}, err)
	}
	// What cannot be cleaned now must not keep a run from starting: Uncleaned tells it.
	cleaning, enough := context.WithTimeout(ctx, cleanTime)
	_, uncleaned := clean(cleaning, o.WorkDir, askVariants(o.Variants))
	enough()

	me, err := self()
	if err != nil {
		return nil, err
	}
	var id [4]byte
	rand.Read(id[:]) // never fails
	l := &Launcher{options: o, host: address, uncleaned: uncleaned, servers: map[*Server]bool{}, masters: map[string]*master{}, programs: map[string]host.Facts{}, cancelled: ctx.Done()}
	l.launch = launch{ID: hex.EncodeToString(id[:]), Run: o.RunID, Owner: me}
	l.launch.Folder = filepath.Join(o.WorkDir, l.launch.ID)
	if err := os.Mkdir(l.launch.Folder, 0o700); err != nil {
		return nil, text.Err("server.no-work-folder", text.Args{"Folder": o.WorkDir}, err)
	}
	if l.record, err = newRecord(filepath.Join(l.launch.Folder, recordName), l.launch); err != nil {
		os.RemoveAll(l.launch.Folder)
		return nil, err
	}
	return l, nil
}

// Uncleaned says what earlier Berths left that could not be removed at this
// start; nil if nothing is left.
func (l *Launcher) Uncleaned() error { return l.uncleaned }

// Prepare does once what need not be repeated at every start: builds or pulls
// images, makes the run's networks. say, which may be nil, is told what is being done, for people.
func (l *Launcher) Prepare(ctx context.Context, variants []plan.Variant, say func(string)) error {
	catalogue := text.For(l.options.Lang)
	tell := func(id string, args text.Args) {
		if say != nil {
			say(catalogue.T(id, args))
		}
	}
	for _, v := range variants {
		svc, plc, err := pieces(v)
		if err != nil {
			return err
		}
		if err := plc.prepare(ctx, l, svc, v, tell); err != nil {
			return err
		}
		if err := svc.furnish(ctx, l, v, tell); err != nil {
			return err
		}
	}
	return nil
}

// Start starts v afresh and returns when it answers. Cancelling ctx stops
// a start within a second and leaves nothing.
func (l *Launcher) Start(ctx context.Context, v plan.Variant) (*Server, error) {
	svc, plc, err := pieces(v)
	if err != nil {
		return nil, err
	}
	const attempts = 3
	for attempt := 1; ; attempt++ {
		s, err := l.start(ctx, svc, plc, v)
		// Between finding a free port and its use another program may take it.
		if err != nil && l.options.Port == 0 && attempt < attempts && saysInUse(err) {
			continue
		}
		return s, err
	}
}

// saysInUse reports whether a server's log or the engine says that another has the port.
func saysInUse(err error) bool {
	said := strings.ToLower(err.Error())
	return strings.Contains(said, "address already in use") || strings.Contains(said, "port is already allocated")
}

func (l *Launcher) start(ctx context.Context, svc service, plc placement, v plan.Variant) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	began := time.Now()
	s, err := plc.start(ctx, l, svc, v)
	if err != nil {
		return nil, err
	}
	if s.running == nil {
		return s, nil
	}
	facts := host.Facts(nil)
	if err = s.untilReady(ctx, svc); err == nil {
		s.Ready = time.Since(began)
		facts, err = svc.describe(ctx, s.Endpoint)
	}
	if p, plain := s.running.(*process); plain && err == nil {
		s.PIDs, err = p.pids()
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop(ctx))
	}
	for _, more := range []host.Facts{facts, s.running.facts(ctx)} {
		for key, value := range more {
			s.Facts[key] = value
		}
	}
	s.Flags = append(s.Flags, poolFlags(s.Facts)...)
	s.Commands = append(s.Commands, svc.anywhere(s.Facts))
	return s, nil
}

// untilReady asks until the server answers, ends, or has had its time.
func (s *Server) untilReady(ctx context.Context, svc service) error {
	waiting, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	again := time.NewTicker(readyEvery)
	defer again.Stop()
	for {
		asking, enough := context.WithTimeout(waiting, readyPatience)
		err := svc.ask(asking, s.Endpoint)
		enough()
		if err == nil {
			return nil
		}
		if reply, stays := lockedOut(err); stays {
			// Another's server answers where this one found its port taken, and ends.
			if within(s.exited, 200*time.Millisecond) {
				return s.failure
			}
			return text.Err("server.locked-out", text.Args{"Label": s.Variant.Label, "Reply": reply, "File": s.Variant.ConfigFile}, err)
		}
		// A docker-proxy ends with its container, whose log says more; a tunnel ends by itself.
		if s.tunnel != nil {
			if gone := s.tunnel.gone(s.Variant); gone != nil {
				return gone
			}
		}
		select {
		case <-s.exited:
			return s.failure
		case <-waiting.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return text.Err("server.not-ready", text.Args{"Label": s.Variant.Label, "Seconds": readyTime.Seconds(), "Log": s.log()}, err)
		case <-again.C:
		}
	}
}

// lockedOut is what a server answered that will not let Berth in however long it is asked.
func lockedOut(err error) (reply string, stays bool) {
	var e *text.Error
	if !errors.As(err, &e) {
		return "", false
	}
	reply, _ = e.Args["Reply"].(string)
	switch e.ID {
	case "server.noauth", "server.wrongpass", "server.noperm", "server.denied":
		return reply, true
	}
	return reply, e.ID == "server.refusal" && strings.Contains(reply, "unknown command")
}

// newServer makes a server of what a placement started, and follows it.
func (l *Launcher) newServer(v plan.Variant, r running, folder string, known *secrets) *Server {
	s := &Server{Variant: v, running: r, launcher: l, folder: folder, secrets: known,
		ended: make(chan struct{}), exited: make(chan struct{})}
	l.mu.Lock()
	l.servers[s] = true
	l.mu.Unlock()
	if r != nil {
		s.watch()
	}
	return s
}

func (l *Launcher) forget(s *Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.servers, s)
}

// newFolder makes the private folder of one server.
func (l *Launcher) newFolder() (string, error) {
	l.mu.Lock()
	l.folders++
	folder := filepath.Join(l.launch.Folder, strconv.Itoa(l.folders))
	l.mu.Unlock()
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", text.Err("server.no-work-folder", text.Args{"Folder": folder}, err)
	}
	return folder, nil
}

// port is the one that the next server listens on.
func (l *Launcher) port() (int, error) {
	if l.options.Port == 0 {
		return freePort(l.host)
	}
	return l.options.Port, CheckPort(l.host, l.options.Port)
}

// Close stops what still runs and removes the run's networks, image and folder. It
// works also after the context that the launcher was made with is done. What it cannot
// remove, it leaves to the guard and says so. Closing twice is closing once.
func (l *Launcher) Close() error {
	l.closing.Do(func() { l.closeErr = l.close() })
	return l.closeErr
}

func (l *Launcher) close() error {
	l.mu.Lock()
	var running []*Server
	for s := range l.servers {
		running = append(running, s)
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	var errs []error
	for _, s := range running {
		errs = append(errs, s.Stop(ctx))
	}
	errs = append(errs, l.closeEngine(ctx), l.dropLent(ctx))
	err := errors.Join(errs...)
	if err == nil {
		err = l.record.tell(entry{Done: true})
	}
	l.record.close()
	if err != nil {
		return err // the guard has removed the folder, or kept the record of what is left
	}
	return os.RemoveAll(l.launch.Folder)
}
