package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// MySQLOptions are how a launch's MySQL servers are furnished.
type MySQLOptions struct {
	// BufferPoolBytes is innodb_buffer_pool_size; 0 means 512 MiB, room for two
	// million of sysbench's rows.
	BufferPoolBytes int64
	// Connections is how many clients a server is to let in at once.
	Connections int
	// DataBytes is about what Fill will write.
	DataBytes int64
	// CopyLimit is how large the data may be, in bytes, for each start to have a copy of its
	// own; 0 means 1 GiB. Above, every start goes on with the same folder, which the
	// server's flags say, unless the filesystem shares the blocks of copies.
	CopyLimit int64
	// Fill puts the data in that every server starts with, on a server of Berth's
	// own at e; nil leaves the database empty. It is called once for each program or image.
	Fill func(ctx context.Context, v plan.Variant, e Endpoint) error
	// Lend puts tables on an existing server at e that has none, each with mark as its comment:
	// whatever table has it is dropped in the end. Nil leaves the server as it is.
	Lend func(ctx context.Context, v plan.Variant, e Endpoint, mark string) error
}

const (
	defaultBufferPool = 512 << 20
	defaultCopyLimit  = 1 << 30
)

// A master is a data folder that was filled once and shut down cleanly, with
// which every server of one program or image starts.
type master struct {
	mu      sync.Mutex
	folder  string // of the data
	version string // what the program says of itself
	bytes   int64
	// lends says that servers start on the folder itself, one at a time, and not on a copy.
	lends bool
	// lentTo is the private folder of the server that has the data now; used says that one has had it.
	lentTo string
	used   bool
}

// masterKey names the master of v's servers: one for each program and each image.
func masterKey(v plan.Variant, program string) string { return v.Image + "\n" + program }

// master is the data that servers start with; nil if there is none yet.
func (l *Launcher) master(key string) *master {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.masters[key]
}

// furnish makes the data that all servers of v's program or image start with, once in a launch.
func (m mysqlService) furnish(ctx context.Context, l *Launcher, v plan.Variant, say sayer) error {
	if v.Placement == plan.Existing {
		return l.lend(ctx, v)
	}
	var (
		e       *engine
		program string
		err     error
	)
	if v.Image == "" {
		program, err = findProgram(m, v)
	} else if e, err = l.openEngine(ctx); err == nil {
		program = imageProgram(e, m, v)
	}
	if err != nil {
		return err
	}
	key := masterKey(v, program)
	if l.master(key) != nil {
		return nil
	}
	name := program
	if v.Image != "" {
		name = v.Image
	}
	say("server.say-mysql", text.Args{"Program": name})
	folder, err := l.newFolder()
	if err != nil {
		return err
	}
	made := &master{folder: filepath.Join(folder, mysqlData)}
	set := setting{variant: v, program: program, folder: folder, seen: folder, root: os.Geteuid() == 0, facts: host.Facts{}}
	if err = l.roomToMake(v, folder); err == nil {
		if v.Image == "" {
			set.facts = programFacts(ctx, program)
			err = m.install(ctx, set)
		} else {
			set.seen, set.root = inside, rootWithin(e)
			err = m.installWithin(ctx, l, e, set)
		}
	}
	if err == nil {
		made.version = set.facts["program.version"]
		err = m.fill(ctx, l, v, key, made)
	}
	if err != nil {
		l.mu.Lock()
		delete(l.masters, key)
		l.mu.Unlock()
		return errors.Join(err, os.RemoveAll(folder))
	}
	if made.lends {
		say("server.say-mysql-lends", text.Args{"Program": name, "Size": megabytes(made.bytes), "Most": megabytes(l.copyLimit())})
	}
	return nil
}

func (l *Launcher) copyLimit() int64 {
	if l.options.MySQL.CopyLimit > 0 {
		return l.options.MySQL.CopyLimit
	}
	return defaultCopyLimit
}

// How long a server may take to write all that it has to its files.
const cleanShutdownTime = time.Minute

// fill starts a server on an installed master itself, has it filled, and shuts it down cleanly.
func (m mysqlService) fill(ctx context.Context, l *Launcher, v plan.Variant, key string, made *master) error {
	made.lends = true
	l.mu.Lock()
	l.masters[key] = made
	l.mu.Unlock()
	// Nothing is kept of a master that was not shut down.
	v.Persistence, v.CPUs = plan.PersistenceNo, ""
	if v.Image == "" {
		v.Placement = plan.Native
	}
	s, err := l.Start(ctx, v)
	if err != nil {
		return err
	}
	if l.options.MySQL.Fill != nil {
		err = l.options.MySQL.Fill(ctx, v, s.Endpoint)
	}
	if err == nil {
		s.stopping.Store(true)
		if err = s.running.terminate(); err == nil && !within(s.ended, cleanShutdownTime) {
			err = text.Err("server.not-stopped", text.Args{"Label": v.Label}, nil)
		}
	}
	if err = errors.Join(err, s.Stop(ctx)); err != nil {
		return err
	}
	if made.bytes, err = folderBytes(made.folder); err != nil {
		return err
	}
	made.lends = made.bytes > l.copyLimit() && !sharesBlocks(filepath.Dir(made.folder))
	made.used = false
	return nil
}

// install writes the system tables of a new server.
func (mysqlService) install(ctx context.Context, s setting) error {
	argv := installCommandLine(s)
	if isMariaDB(s.facts) {
		if argv[0] = besidePath(mariadbInstaller); argv[0] == "" {
			return text.Err("server.no-program", text.Args{"Program": mariadbInstaller}, nil)
		}
	}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = s.folder
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return text.Err("server.mysql-install", text.Args{"Program": s.program, "Folder": s.folder, "Log": lastLines(string(out))}, err)
	}
	return nil
}

const mariadbInstaller = "mariadb-install-db"

// installCommandLine makes the system tables, with one account that has no password: mysqlAccounts takes it away.
func installCommandLine(s setting) []string {
	data := "--datadir=" + s.seen + "/" + mysqlData
	argv := append([]string{s.program, "--no-defaults", "--initialize-insecure", data}, mysqlOnly...)
	if isMariaDB(s.facts) {
		argv = []string{mariadbInstaller, "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"}
	}
	if s.root {
		argv = append(argv, "--user=root")
	}
	return argv
}

// spareBytes are left free beside what is foreseen; systemBytes are what a server's own tables and logs take.
const (
	spareBytes  = 256 << 20
	systemBytes = 256 << 20
)

// roomToMake says whether a master, and a copy of it where there will be one, find room.
func (l *Launcher) roomToMake(v plan.Variant, folder string) error {
	need := l.options.MySQL.DataBytes + systemBytes
	if need <= l.copyLimit() {
		need *= 2
	}
	return room(v, folder, uint64(need+spareBytes))
}

func room(v plan.Variant, folder string, need uint64) error {
	free, err := host.FreeDisk(folder)
	if err != nil {
		return err
	}
	if free < need {
		return text.Err("server.mysql-space", text.Args{"Label": v.Label, "Folder": folder, "Need": need >> 20, "Free": free >> 20}, nil)
	}
	return nil
}

// prepare gives the server its data: a copy of the master, or the master itself.
func (m mysqlService) prepare(ctx context.Context, s setting) ([]string, error) {
	if s.master == nil {
		return nil, text.Err("server.mysql-not-prepared", text.Args{"Label": s.variant.Label}, nil)
	}
	if s.facts["program.version"] == "" {
		s.facts["program.version"] = s.master.version
	}
	began := time.Now()
	if s.master.lends {
		if err := s.master.lendTo(s.folder); err != nil {
			return nil, text.Err("server.mysql-copy", text.Args{"Label": s.variant.Label, "Folder": s.folder}, err)
		}
		s.facts["mysql.data"] = "the same folder as the start before"
		return m.command(s)
	}
	// Where the filesystem shares blocks the copy needs less than that.
	if err := room(s.variant, s.folder, uint64(s.master.bytes+spareBytes)); err != nil {
		return nil, err
	}
	if err := copyFolder(ctx, s.master.folder, filepath.Join(s.folder, mysqlData)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, text.Err("server.mysql-copy", text.Args{"Label": s.variant.Label, "Folder": s.folder}, err)
	}
	s.facts["mysql.data"] = "a copy of the same folder"
	s.facts["mysql.data_copied_in"] = time.Since(began).Round(time.Millisecond).String()
	return m.command(s)
}

// lendTo moves the data into a server's private folder.
func (m *master) lendTo(folder string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lentTo != "" {
		return errors.New("another server has it")
	}
	if err := os.Rename(m.folder, filepath.Join(folder, mysqlData)); err != nil {
		return err
	}
	m.lentTo = folder
	return nil
}

// flags are what is to be known of a server's data.
func (s setting) flags() []string {
	if s.master != nil && s.master.lends && s.master.used {
		return []string{result.FlagCarried}
	}
	return nil
}

// lender is the master whose data is in a server's private folder; nil if it is no master's.
func (l *Launcher) lender(folder string) *master {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.masters {
		if m.holder() == folder && folder != "" {
			return m
		}
	}
	return nil
}

// holder is the private folder that the data are in; "" if they are at home.
func (m *master) holder() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lentTo
}

// takeBack moves the data home from the private folder of a server that has ended.
func (m *master) takeBack() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := os.Rename(filepath.Join(m.lentTo, mysqlData), m.folder); err != nil {
		return err
	}
	m.lentTo, m.used = "", true
	return nil
}

// removeFolder removes a server's private folder, and keeps the master's data if they are in it.
func (l *Launcher) removeFolder(folder string) error {
	if m := l.lender(folder); m != nil {
		if err := m.takeBack(); err != nil {
			return err
		}
	}
	return os.RemoveAll(folder)
}

// untilClean waits for a server that was asked to end and has data which the next goes on with,
// unless the run was cancelled: then nobody does.
func (s *Server) untilClean() {
	if s.launcher.lender(s.folder) == nil {
		return
	}
	most := time.NewTimer(cleanShutdownTime)
	defer most.Stop()
	select {
	case <-s.ended:
	case <-s.launcher.cancelled:
	case <-most.C:
	}
}

func folderBytes(folder string) (bytes int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}

// copyFolder copies a folder of plain files. Where the filesystem can share a
// file's blocks, the system's own copying does.
func copyFolder(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		within, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, within)
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o700)
		case d.Type().IsRegular():
			return copyFile(ctx, path, target)
		}
		return nil // a socket that was left
	})
}

// copyChunk is what is copied between two looks at whether to stop.
const copyChunk = 64 << 20

func copyFile(ctx context.Context, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for {
		_, err := io.CopyN(out, in, copyChunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}
