package oltp

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Facts are what a server says of itself that decides the result.
type Facts struct {
	Version string `json:"version"`
	// Variables by the server's own names; those that it does not have are absent.
	Variables map[string]string `json:"variables"`
	// DataBytes is what the job's tables and their indexes take, to be compared
	// with BufferPool, in bytes; -1 if the server does not say.
	DataBytes  int64 `json:"data_bytes"`
	BufferPool int64 `json:"buffer_pool_bytes"`
}

// deciding are the variables that decide how fast a server is and what it promises.
func deciding() []string {
	return []string{
		"innodb_flush_log_at_trx_commit", "sync_binlog", "log_bin", "innodb_doublewrite", "innodb_flush_method",
		"innodb_buffer_pool_size", "innodb_log_file_size", "innodb_redo_log_capacity", "innodb_snapshot_isolation",
		"transaction_isolation", "tx_isolation", "read_only", "version", "version_comment", "max_prepared_stmt_count", "max_connections",
		"performance_schema", "query_cache_type", "thread_handling",
	}
}

// readFacts questions the server.
func readFacts(ctx context.Context, db *sql.DB, job Job) (Facts, error) {
	f := Facts{Variables: map[string]string{}, DataBytes: -1}
	names := deciding()
	rows, err := db.QueryContext(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('"+strings.Join(names, "','")+"')")
	if err != nil {
		return f, err
	}
	defer rows.Close()
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return f, err
		}
		f.Variables[name] = value
	}
	if err := rows.Err(); err != nil {
		return f, err
	}
	f.Version = f.Variables["version"]
	f.BufferPool, _ = strconv.ParseInt(f.Variables["innodb_buffer_pool_size"], 10, 64)

	tables := make([]string, job.Schema.Tables)
	for i := range tables {
		tables[i] = tableName(i + 1)
	}
	var bytes sql.NullInt64
	query := "SELECT SUM(data_length + index_length) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ('" + strings.Join(tables, "','") + "')"
	if err := db.QueryRowContext(ctx, query).Scan(&bytes); err != nil {
		return f, err
	}
	if bytes.Valid {
		f.DataBytes = bytes.Int64
	}
	return f, nil
}

// number is the value of a SHOW that gives one name and a whole number; known
// is false where the server has no such name.
func number(ctx context.Context, db *sql.DB, show string) (n int64, known bool, err error) {
	var name, value string
	err = db.QueryRowContext(ctx, show).Scan(&name, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	n, err = strconv.ParseInt(value, 10, 64)
	return n, err == nil, err
}

func tableName(i int) string { return fmt.Sprintf("sbtest%d", i) }
