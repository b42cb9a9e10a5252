package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	// go-sql-driver asks and describes; loading is package oltp's.
	"github.com/go-sql-driver/mysql"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// The account and the database that a MySQL server of Berth's has.
const (
	mysqlUser   = "sbtest"
	mysqlSchema = "sbtest"
)

// mysqlService is MySQL and MariaDB.
type mysqlService struct{}

func (mysqlService) port() int { return 3306 }

func (mysqlService) starts(program string) bool {
	name := path.Base(program)
	return name == "mysqld" || name == "mariadbd"
}

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

// command writes the file that the server reads before it lets anybody in, and is the
// command on the data that lie in the server's folder.
func (m mysqlService) command(s setting) ([]string, error) {
	// The file holds the password: only its owner reads it.
	if err := os.WriteFile(filepath.Join(s.folder, mysqlInit), []byte(mysqlAccounts(s)), 0o600); err != nil {
		return nil, err
	}
	argv := []string{s.program, "--no-defaults", "--datadir=" + s.seen + "/" + mysqlData, "--init-file=" + s.seen + "/" + mysqlInit}
	if s.root {
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
	pool := s.mysql.BufferPoolBytes
	if pool == 0 {
		pool = defaultBufferPool
	}
	options := []string{
		"--bind-address=" + s.bind, "--port=" + strconv.Itoa(s.port), "--skip-name-resolve", "--skip-log-bin",
		"--innodb-buffer-pool-size=" + strconv.FormatInt(pool, 10),
		// A pool that remembers the start before is no fresh start.
		"--innodb-buffer-pool-load-at-startup=0", "--innodb-buffer-pool-dump-at-shutdown=0",
		"--innodb-flush-log-at-trx-commit=" + flushAtCommit(s.variant),
		// Threads × tables × statements, which the default of 16,382 would not let a hundred threads have.
		"--max-prepared-stmt-count=1048576",
	}
	if most := s.mysql.Connections + spareConnections; most > defaultConnections {
		options = append(options, "--max-connections="+strconv.Itoa(most))
	}
	if !isMariaDB(s.facts) {
		options = append(options, mysqlOnly...)
	}
	return options
}

// What max_connections is by default, and the connections that ask beside those that load.
const (
	defaultConnections = 151
	spareConnections   = 16
)

// mysqlOnly are options that MariaDB does not know, and MySQL needs: no second protocol on another
// port, and no folder for exports, which the user that a container runs as may not enter.
var mysqlOnly = []string{"--mysqlx=OFF", "--secure-file-priv=NULL"}

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
	image, empty, named := "mysql", "MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_DATABASE"
	if strings.Contains(f["mysql.version"], "MariaDB") {
		image, empty, named = "mariadb", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD", "MARIADB_DATABASE"
	}
	if parts := strings.SplitN(f["mysql.version"], ".", 3); len(parts) == 3 {
		image += ":" + parts[0] + "." + parts[1]
	}
	return fmt.Sprintf("docker run --rm -p 127.0.0.1:3306:3306 -e %s=yes -e %s=%s %s --skip-log-bin", empty, named, mysqlSchema, image)
}

// needs nothing: Berth alone says how MySQL is set up.
func (mysqlService) needs(plan.Variant) ([]string, error) { return nil, nil }

// mysqlControl is a connection for questions.
func mysqlControl(e Endpoint) (*sql.DB, error) { return mysqlConnection(e, patience) }

// mysqlConnection is one on which an answer may take so long.
func mysqlConnection(e Endpoint, answer time.Duration) (*sql.DB, error) {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = e.Network, e.Address, e.User, e.Password, e.Schema
	c.Timeout, c.ReadTimeout, c.WriteTimeout = patience, answer, patience
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
		'innodb_buffer_pool_load_at_startup', 'innodb_buffer_pool_dump_at_shutdown', 'innodb_log_file_size', 'innodb_redo_log_capacity', 'innodb_snapshot_isolation', 'transaction_isolation', 'tx_isolation', 'read_only')`)
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
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return facts, comparePool(ctx, db, facts)
}

// comparePool notes how large the database is, and whether all of it has room in the buffer pool: where it
// has not, the disk is measured, too.
func comparePool(ctx context.Context, db *sql.DB, facts host.Facts) error {
	var data sql.NullInt64
	err := db.QueryRowContext(ctx, "SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema = DATABASE() AND engine = 'InnoDB'").Scan(&data)
	pool, unreadable := strconv.ParseInt(facts["mysql.innodb_buffer_pool_size"], 10, 64)
	if err != nil || unreadable != nil || !data.Valid {
		return err
	}
	facts["mysql.data_bytes"] = strconv.FormatInt(data.Int64, 10)
	facts["mysql.data_in_buffer_pool"] = "yes"
	if data.Int64 > pool {
		facts["mysql.data_in_buffer_pool"] = "no"
	}
	return nil
}

// poolFlags are what a server's facts say of its buffer pool.
func poolFlags(f host.Facts) []string {
	if f["mysql.data_in_buffer_pool"] == "no" {
		return []string{result.FlagPool}
	}
	return nil
}
