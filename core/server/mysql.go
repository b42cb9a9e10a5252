package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	// go-sql-driver asks and describes; loading is package oltp's.
	"github.com/go-sql-driver/mysql"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// The account and the database that a MySQL server of Berth's has.
const (
	mysqlUser   = "sbtest"
	mysqlSchema = "sbtest"
)

// MySQLOptions are how a launch's MySQL servers are furnished.
type MySQLOptions struct {
	// BufferPoolBytes is innodb_buffer_pool_size; 0 means 512 MiB, room for two
	// million of sysbench's rows.
	BufferPoolBytes int64
	// Fill puts the data in that every server starts with, on a server of Berth's
	// own at e; nil leaves the database empty. It is called once for each program.
	Fill func(ctx context.Context, v plan.Variant, e Endpoint) error
}

const defaultBufferPool = 512 << 20

// mysqlService is MySQL and MariaDB. Every start has the same data: a copy of
// a master folder that was filled once and shut down cleanly.
type mysqlService struct{}

func (mysqlService) port() int { return 3306 }

func (mysqlService) account() (user, schema string) { return mysqlUser, mysqlSchema }

// program is MariaDB's where it is there, else MySQL's. Both lie where only root's
// PATH may lead.
func (mysqlService) program() string {
	for _, name := range []string{"mariadbd", "mysqld"} {
		if path := besidePath(name); path != "" {
			return path
		}
	}
	return "mariadbd"
}

// besidePath is where a program is: on PATH, or where servers are put; "" if nowhere.
func besidePath(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, folder := range []string{"/usr/sbin", "/usr/local/sbin", "/usr/libexec", "/opt/homebrew/bin", "/usr/local/mysql/bin"} {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

func (mysqlService) packages() map[string]string {
	return map[string]string{"apt-get": "mariadb-server-core", "dnf": "mariadb-server", "pacman": "mariadb", "zypper": "mariadb", "brew": "mariadb"}
}

// isMariaDB tells the two by what the program says of itself.
func isMariaDB(f host.Facts) bool { return strings.Contains(f["program.version"], "MariaDB") }

// The files in a server's folder.
const (
	mysqlData = "data"
	mysqlInit = "init.sql"
)

// prepare copies the master's data into the server's folder.
func (m mysqlService) prepare(ctx context.Context, s setting) ([]string, error) {
	if s.master == "" {
		return nil, text.Err("server.mysql-not-prepared", text.Args{"Label": s.variant.Label}, nil)
	}
	if err := roomFor(s); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := copyFolder(ctx, s.master, filepath.Join(s.folder, mysqlData)); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, text.Err("server.mysql-copy", text.Args{"Label": s.variant.Label, "Folder": s.folder}, err)
	}
	s.facts["mysql.data_copied_in"] = time.Since(began).Round(time.Millisecond).String()
	return m.command(s)
}

// spareBytes are left free beside a copy, for what the server itself writes.
const spareBytes = 256 << 20

// roomFor says whether the master's copy finds room, before it is made. Where the
// filesystem shares blocks the copy needs less than that.
func roomFor(s setting) error {
	need := uint64(spareBytes)
	err := filepath.WalkDir(s.master, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			need += uint64(info.Size())
		}
		return err
	})
	if err != nil {
		return err
	}
	free, err := host.FreeDisk(s.folder)
	if err != nil {
		return err
	}
	if free < need {
		return text.Err("server.mysql-space", text.Args{"Label": s.variant.Label, "Folder": s.folder, "Need": need >> 20, "Free": free >> 20}, nil)
	}
	return nil
}

// command writes the file that the server reads before it lets anybody in, and is the
// command on the data that lie in the server's folder.
func (m mysqlService) command(s setting) ([]string, error) {
	// The file holds the password: only its owner reads it.
	if err := os.WriteFile(filepath.Join(s.folder, mysqlInit), []byte(mysqlAccounts(s)), 0o600); err != nil {
		return nil, err
	}
	argv := []string{s.program, "--no-defaults", "--datadir=" + s.seen + "/" + mysqlData, "--init-file=" + s.seen + "/" + mysqlInit}
	if os.Geteuid() == 0 {
		argv = append(argv, "--user=root")
	}
	// Relative names lie in the data folder: its path may be too long for a socket.
	return append(append(argv, "--socket=mysql.sock", "--pid-file=mysql.pid"), m.settings(s)...), nil
}

// mysqlAccounts leaves the server one account, which has the password.
func mysqlAccounts(s setting) string {
	var b strings.Builder
	if isMariaDB(s.facts) {
		// mariadb-install-db makes accounts without one.
		b.WriteString("DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\nFLUSH PRIVILEGES;\n")
	} else {
		b.WriteString("DROP USER IF EXISTS root@localhost;\n")
	}
	fmt.Fprintf(&b, "CREATE DATABASE IF NOT EXISTS %s;\n", mysqlSchema)
	// '%': whoever asks a container comes from the bridge's address.
	fmt.Fprintf(&b, "DROP USER IF EXISTS %s@'%%';\nCREATE USER %s@'%%' IDENTIFIED BY '%s';\n", mysqlUser, mysqlUser, s.password)
	fmt.Fprintf(&b, "GRANT ALL ON %s.* TO %s@'%%';\n", mysqlSchema, mysqlUser)
	return b.String()
}

// settings are the options that a person would give too: what decides the result.
func (mysqlService) settings(s setting) []string {
	pool := s.bufferPool
	if pool == 0 {
		pool = defaultBufferPool
	}
	options := []string{
		"--bind-address=" + s.bind, "--port=" + strconv.Itoa(s.port), "--skip-name-resolve", "--skip-log-bin",
		"--innodb-buffer-pool-size=" + strconv.FormatInt(pool, 10),
		// A pool that remembers the start before is no fresh start.
		"--innodb-buffer-pool-load-at-startup=0", "--innodb-buffer-pool-dump-at-shutdown=0",
		"--innodb-flush-log-at-trx-commit=" + flushAtCommit(s.variant),
	}
	if !isMariaDB(s.facts) {
		options = append(options, "--mysqlx=OFF")
	}
	return options
}

// flushAtCommit is innodb_flush_log_at_trx_commit for a plan's persistence setting, whether
// that has MySQL's own words or Redis's.
func flushAtCommit(v plan.Variant) string {
	switch v.Persistence {
	case plan.PersistenceFlush2, plan.PersistenceSecond:
		return "2"
	case plan.PersistenceFlush0, plan.PersistenceNo, plan.PersistenceNone:
		return "0"
	}
	return "1"
}

func (m mysqlService) byHand(s setting) []string {
	return append([]string{s.program, "--no-defaults", "--datadir=./data"}, m.settings(s)...)
}

func (mysqlService) anywhere(f host.Facts) string {
	image, prefix := "mysql", "MYSQL"
	if strings.Contains(f["mysql.version"], "MariaDB") {
		image, prefix = "mariadb", "MARIADB"
	}
	if parts := strings.SplitN(f["mysql.version"], ".", 3); len(parts) == 3 {
		image += ":" + parts[0] + "." + parts[1]
	}
	return fmt.Sprintf("docker run --rm -p 127.0.0.1:3306:3306 -e %s_ALLOW_EMPTY_ROOT_PASSWORD=yes -e %s_DATABASE=%s %s --skip-log-bin", prefix, prefix, mysqlSchema, image)
}

// needs nothing: Berth alone says how MySQL is set up.
func (mysqlService) needs(plan.Variant) ([]string, error) { return nil, nil }

// furnish makes the master folder of v's program, once in a launch: it installs a
// database, starts it, has it filled, and shuts it down cleanly.
func (m mysqlService) furnish(ctx context.Context, l *Launcher, v plan.Variant, say sayer) error {
	if v.Placement == plan.Existing {
		return nil
	}
	if v.Image != "" {
		return text.Err("server.mysql-image", text.Args{"Label": v.Label, "Image": v.Image}, nil)
	}
	program, err := findProgram(m, v)
	if err != nil {
		return err
	}
	if l.master(program) != "" {
		return nil
	}
	say("server.say-mysql", text.Args{"Program": program})
	folder, err := l.newFolder()
	if err != nil {
		return err
	}
	if err := m.makeMaster(ctx, l, v, program, folder); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.masters[program] = filepath.Join(folder, mysqlData)
	return nil
}

// master is the data folder that servers of a program start with; "" if there is none.
func (l *Launcher) master(program string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.masters[program]
}

// How long a master may take to write all that it has to its files.
const cleanShutdownTime = time.Minute

func (m mysqlService) makeMaster(ctx context.Context, l *Launcher, v plan.Variant, program, folder string) error {
	port, err := freePort(l.host)
	if err != nil {
		return err
	}
	password := newPassword()
	set := setting{variant: v, program: program, folder: folder, seen: folder, bind: l.host, port: port,
		password: password, secrets: &secrets{[]string{password}}, bufferPool: l.options.MySQL.BufferPoolBytes, facts: programFacts(ctx, program)}
	// Nothing is kept of a master that was not shut down.
	set.variant.Persistence = plan.PersistenceNo
	if log, err := m.install(ctx, set); err != nil {
		return text.Err("server.mysql-install", text.Args{"Program": program, "Folder": folder, "Log": log}, err)
	}
	argv, err := m.command(set)
	if err != nil {
		return err
	}
	p, err := spawn(l, argv, folder)
	if err != nil {
		return text.Err("server.not-started", text.Args{"Label": v.Label, "Program": program}, err)
	}
	s := l.newServer(v, p, "", set.secrets) // its folder outlives it
	s.Endpoint = endpointOn(m, l.host, port, set.password)
	err = s.untilReady(ctx, m)
	if err == nil && l.options.MySQL.Fill != nil {
		err = l.options.MySQL.Fill(ctx, v, s.Endpoint)
	}
	if err == nil {
		s.stopping.Store(true)
		if err = p.terminate(); err == nil && !within(s.ended, cleanShutdownTime) {
			err = text.Err("server.not-stopped", text.Args{"Label": v.Label}, nil)
		}
	}
	return errors.Join(err, s.Stop(ctx))
}

// install writes the system tables of a new server. Where that fails, log is the end of what was said.
func (mysqlService) install(ctx context.Context, s setting) (log string, err error) {
	data := filepath.Join(s.folder, mysqlData)
	argv := []string{s.program, "--no-defaults", "--initialize-insecure", "--datadir=" + data}
	if isMariaDB(s.facts) {
		installer := ""
		for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
			if installer = besidePath(name); installer != "" {
				break
			}
		}
		if installer == "" {
			return "", text.Err("server.no-program", text.Args{"Program": "mariadb-install-db"}, nil)
		}
		argv = []string{installer, "--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal", "--skip-test-db"}
	}
	if os.Geteuid() == 0 {
		argv = append(argv, "--user=root")
	}
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = s.folder
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return lastLines(string(out)), err
	}
	return "", nil
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

// mysqlControl is a connection for questions.
func mysqlControl(e Endpoint) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = e.Network, e.Address, e.User, e.Password, e.Schema
	c.Timeout, c.ReadTimeout, c.WriteTimeout = patience, patience, patience
	c.Logger = &mysql.NopLogger{} // every fault comes back as an error
	if e.TLS {
		c.TLS = tlsConfig(e)
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func (mysqlService) ask(ctx context.Context, e Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	db, err := mysqlControl(e)
	if err == nil {
		defer db.Close()
		err = db.PingContext(ctx)
	}
	return mysqlRefusal(e, err)
}

// mysqlRefusal turns what a server answered, or did not, into a sentence.
func mysqlRefusal(e Endpoint, err error) error {
	if err == nil {
		return nil
	}
	args := text.Args{"Address": e.Address, "User": e.User, "Database": e.Schema}
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &refused):
		args["Reply"] = refused.Message
		switch refused.Number {
		case 1045, 1698:
			return text.Err("server.mysql-denied", args, err)
		case 1044:
			return text.Err("server.mysql-no-right", args, err)
		case 1049:
			return text.Err("server.mysql-no-database", args, err)
		}
		return text.Err("server.refusal", args, err)
	case errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, mysql.ErrMalformPkt), errors.Is(err, mysql.ErrOldProtocol):
		return text.Err("server.not-mysql", args, err)
	}
	return unreachable(e, err)
}

// describe reads the variables that decide how fast a server is and what it
// promises. Those that it does not have are left out.
func (mysqlService) describe(ctx context.Context, e Endpoint) (host.Facts, error) {
	db, err := mysqlControl(e)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment',
		'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'innodb_doublewrite', 'innodb_flush_method', 'innodb_buffer_pool_size',
		'innodb_log_file_size', 'innodb_redo_log_capacity', 'innodb_snapshot_isolation', 'transaction_isolation', 'tx_isolation', 'read_only')`)
	if err != nil {
		return nil, mysqlRefusal(e, err)
	}
	defer rows.Close()
	facts := host.Facts{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		facts["mysql."+name] = value
	}
	return facts, rows.Err()
}
