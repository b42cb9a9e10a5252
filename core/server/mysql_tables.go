package server

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"berth/core/plan"
	"berth/core/text"
)

// tableMark begins the comment of every table that a run makes on an existing server; the launch's ID follows.
const tableMark = "made by Berth, run "

// tableName is what a table must be called, besides having the mark, to be dropped.
var tableName = regexp.MustCompile(`^sbtest[1-9][0-9]*$`)

// lend has tables put on an existing server that has none. The record is told before the first of
// them can be there.
func (l *Launcher) lend(ctx context.Context, v plan.Variant) error {
	if l.options.MySQL.Lend == nil {
		return nil
	}
	e, err := endpointOf(mysqlService{}, v)
	if err != nil {
		return err
	}
	b := *borrow(e, nil)
	b.Mark = tableMark + l.launch.ID
	l.mu.Lock()
	for _, had := range l.lent {
		if had.same(b) {
			l.mu.Unlock()
			return nil
		}
	}
	l.lent = append(l.lent, b)
	l.mu.Unlock()
	if err := l.record.tell(entry{Borrowed: &b}); err != nil {
		return err
	}
	return l.options.MySQL.Lend(ctx, v, e, b.Mark)
}

// dropLent drops the launch's tables on existing servers.
func (l *Launcher) dropLent(ctx context.Context) error {
	l.mu.Lock()
	lent := l.lent
	l.lent = nil
	l.mu.Unlock()
	var errs []error
	for _, b := range lent {
		_, err := b.dropTables(ctx, b.endpoint())
		if err == nil {
			err = l.record.tell(entry{Returned: &b})
		} else {
			err = b.left(l.launch.Folder, err)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// dropTime is how long a server may take to drop one table: it waits for the statement that is
// still filling it.
const dropTime = 20 * time.Second

// dropTables drops what is called as sysbench's tables are and has the mark, and says how many those
// were. It drops nothing else, and no database.
func (b borrowed) dropTables(ctx context.Context, e Endpoint) (dropped int64, err error) {
	if !strings.HasPrefix(b.Mark, tableMark) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	db, err := mysqlConnection(e, dropTime)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_comment = ?", b.Mark)
	if err != nil {
		return 0, mysqlRefusal(e, err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return 0, err
		}
		if tableName.MatchString(name) {
			names = append(names, name)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, mysqlRefusal(e, err)
	}
	for _, name := range names {
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+name); err != nil {
			return dropped, mysqlRefusal(e, err)
		}
		dropped++
	}
	return dropped, nil
}

// removed says what was removed from a borrowed server.
func (b borrowed) removed(n int64) string {
	if b.Mark != "" {
		return fmt.Sprintf("%d tables at %s", n, b.Address)
	}
	return fmt.Sprintf("%d keys at %s", n, b.Address)
}

// left says that keys or tables stayed, where, and how to have them removed.
func (b borrowed) left(folder string, cause error) error {
	if b.Mark == "" {
		return b.keysLeft(folder, cause)
	}
	return text.Err("server.tables-left", text.Args{"Address": b.Address, "Database": b.Schema, "Folder": folder, "Variable": mysqlPasswordVariable}, cause)
}
