package oltp

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	// gopsutil reads free space on every system; host uses it too.
	"github.com/shirou/gopsutil/v4/disk"

	"berth/core/text"
)

// mark begins the comment by which a table that Berth made is known again; only
// such tables are ever dropped.
const mark = "made by Berth"

func (s Schema) mark() string { return cmp.Or(s.Mark, mark) }

// A Step is what is done to a table.
type Step string

// The steps of a table that is made, in their order, and of one that is dropped.
const (
	Creating  Step = "creating"
	Inserting Step = "inserting"
	Indexing  Step = "indexing"
	Made      Step = "made"
	Dropping  Step = "dropping"
)

// A Progress is how far Prepare or Cleanup is. Time left is about Elapsed ×
// (Total − Rows) ÷ Rows, and what the last index takes.
type Progress struct {
	Table   int // 1 and up
	Step    Step
	Begins  bool  // the step; false where it is further on in it
	Rows    int64 // inserted so far, in all tables
	Total   int64
	Elapsed time.Duration
}

// What a row and a table take on disk, in bytes, with the index on k: measured on
// MariaDB 10.11, 10 tables of a million rows, 2.4 GB. Redo and undo logs grow beside.
const (
	bytesPerRow   = 245
	bytesPerTable = 200 << 10
	bytesForLogs  = 128 << 20
)

// DataBytes is about what the tables will take on disk.
func (s Schema) DataBytes() int64 {
	return int64(s.Tables) * (int64(s.TableSize)*bytesPerRow + bytesPerTable)
}

// Prepare makes the job's tables and fills them, with one connection a
// thread, each making its share of the tables one after the other, as
// sysbench does. say (which may be nil) is told how far it is, by one goroutine
// at a time. Where one of the tables exists already, nothing is made. When
// ctx is done, or something fails, the tables made so far are dropped again.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L81
func Prepare(ctx context.Context, job Job, say func(Progress)) error {
	if err := checkTarget(job.Target); err != nil {
		return err
	}
	if err := checkSchema(job.Schema); err != nil {
		return err
	}
	if job.Threads < 1 || job.Threads > MaxThreads {
		return text.Err("oltp.threads", text.Args{"Threads": job.Threads, "Most": MaxThreads}, nil)
	}
	if err := checkBeforeMaking(ctx, job); err != nil {
		return err
	}
	m := &maker{job: job, say: say, start: time.Now(), total: int64(job.Schema.Tables) * int64(job.Schema.TableSize)}
	if job.Script == Insert && !job.Schema.AutoInc {
		// The numbers that the script will draw must not be taken.
		//
		// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_insert.lua#L25
		m.job.Schema.TableSize, m.total = 0, 0
	}
	err := m.makeAll(ctx)
	if err == nil {
		return nil
	}
	err = serverError(job.Target, err)
	if ctx.Err() != nil {
		err = text.Err("oltp."+KindCancelled, text.Args{"Address": job.Target.Address}, context.Cause(ctx))
	}
	m.dropMade()
	return err
}

// checkBeforeMaking finds out what would hinder the tables before it does.
func checkBeforeMaking(ctx context.Context, job Job) error {
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return err
	}
	defer db.Close()
	there, err := tablesThere(ctx, job)
	if err != nil {
		return serverError(job.Target, err)
	}
	for i := 1; i <= job.Schema.Tables; i++ {
		if _, exists := there[tableName(i)]; exists {
			return text.Err("oltp."+KindExists, text.Args{"Table": tableName(i), "Database": job.Target.Database, "Address": job.Target.Address}, nil)
		}
	}
	var engines int
	// A server may otherwise take another engine with no more than a warning.
	if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM information_schema.engines WHERE engine = ? AND support IN ('YES', 'DEFAULT')", job.Schema.Engine).Scan(&engines); err != nil {
		return serverError(job.Target, err)
	}
	if engines == 0 {
		return text.Err("oltp."+KindEngine, text.Args{"Engine": job.Schema.Engine, "Address": job.Target.Address}, nil)
	}
	var folder string
	if err := db.QueryRowContext(ctx, "SELECT @@datadir").Scan(&folder); err != nil {
		return serverError(job.Target, err)
	}
	return checkSpace(job, folder)
}

// checkSpace compares what the tables will take with what is free where the
// server keeps its data, if that is a folder of this machine.
func checkSpace(job Job, folder string) error {
	if !local(job.Target) {
		return nil
	}
	need := job.Schema.DataBytes() + bytesForLogs
	// Where the folder is not here, the server is in a container, or elsewhere after all.
	if usage, err := disk.Usage(folder); err == nil && usage.Free < uint64(need) {
		return text.Err("oltp."+KindLittleSpace, text.Args{
			"Tables": job.Schema.Tables, "Size": job.Schema.TableSize, "Folder": folder,
			"Need": megabytes(uint64(need)), "Free": megabytes(usage.Free),
		}, nil)
	}
	return nil
}

func megabytes(bytes uint64) string { return strconv.FormatUint(bytes>>20, 10) + " MiB" }

// tablesThere are the tables of the database called as a job's are, by name, with their comments.
func tablesThere(ctx context.Context, job Job) (map[string]string, error) {
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name LIKE 'sbtest%'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	there := map[string]string{}
	for rows.Next() {
		var name, comment string
		if err := rows.Scan(&name, &comment); err != nil {
			return nil, err
		}
		there[name] = comment
	}
	return there, rows.Err()
}

// Absent says whether none of the job's tables is there, so that they can be made. Where
// all of them are there, with the rows that the job wants, it is false; anything between is an error.
func Absent(ctx context.Context, job Job) (bool, error) {
	there, err := tablesThere(ctx, job)
	if err != nil {
		return false, serverError(job.Target, err)
	}
	found := 0
	for i := 1; i <= job.Schema.Tables; i++ {
		if _, exists := there[tableName(i)]; exists {
			found++
		}
	}
	if found == 0 {
		return true, nil
	}
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return false, err
	}
	defer db.Close()
	return false, serverError(job.Target, checkTables(ctx, db, job))
}

// A maker makes tables, with several connections at once.
type maker struct {
	job   Job
	say   func(Progress)
	start time.Time
	total int64

	mu   sync.Mutex
	rows int64
	made []int
}

// tell says that a step begins, or, with rows, that it is further on.
func (m *maker) tell(table int, step Step, rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows += int64(rows)
	if step == Inserting && rows == 0 { // the table is there from now on
		m.made = append(m.made, table)
	}
	if m.say != nil {
		m.say(Progress{Table: table, Step: step, Begins: rows == 0, Rows: m.rows, Total: m.total, Elapsed: time.Since(m.start)})
	}
}

func (m *maker) makeAll(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	seed := m.job.Draw.Seed
	if seed == 0 {
		seed = uint64(m.start.UnixNano())
	}
	threads := min(m.job.Threads, m.job.Schema.Tables)
	var all sync.WaitGroup
	var mu sync.Mutex
	var first error
	for t := range threads {
		all.Go(func() {
			if err := m.makeShare(ctx, t, threads, newRandom(m.job.Draw, seed, uint64(t))); err != nil {
				mu.Lock()
				defer mu.Unlock()
				if first == nil {
					first = err
				}
				cancel(err)
			}
		})
	}
	all.Wait()
	return first
}

// makeShare makes every table whose number leaves t+1 when threads are taken away from it.
func (m *maker) makeShare(ctx context.Context, t, threads int, r *random) error {
	l := &line{}
	connector, err := connectorTo(m.job.Target, l.wrap(plainDialer))
	if err != nil {
		return err
	}
	reach, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	conn, err := connector.Connect(reach)
	if err != nil {
		return err
	}
	defer conn.Close()
	unhook := context.AfterFunc(ctx, l.sever)
	defer unhook()
	run, ok := conn.(textExecutor)
	if !ok {
		return errDriver
	}
	for table := t + 1; table <= m.job.Schema.Tables; table += threads {
		if err := m.createTable(ctx, run, table, r); err != nil {
			return err
		}
	}
	return nil
}

// bulkBytes is the length of one INSERT of many rows.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/db_driver.c#L47
const bulkBytes = 512 << 10

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L150
func (m *maker) createTable(ctx context.Context, run textExecutor, table int, r *random) error {
	m.tell(table, Creating, 0)
	if _, err := run.Exec(createStatement(m.job.Schema, table), nil); err != nil {
		return err
	}
	m.tell(table, Inserting, 0)
	if err := m.insertRows(ctx, run, table, r); err != nil {
		return err
	}
	if m.job.Schema.CreateSecondary {
		m.tell(table, Indexing, 0)
		if _, err := run.Exec(fmt.Sprintf("CREATE INDEX k_%d ON sbtest%d(k)", table, table), nil); err != nil {
			return err
		}
	}
	m.tell(table, Made, 0)
	return nil
}

func createStatement(s Schema, table int) string {
	index, id := "PRIMARY KEY", "INTEGER NOT NULL"
	if s.Secondary {
		index = "KEY xid"
	}
	if s.AutoInc {
		id += " AUTO_INCREMENT"
	}
	return fmt.Sprintf(`CREATE TABLE sbtest%d(
  id %s,
  k INTEGER DEFAULT '0' NOT NULL,
  c CHAR(120) DEFAULT '' NOT NULL,
  pad CHAR(60) DEFAULT '' NOT NULL,
  %s (id)
) ENGINE = %s COMMENT = '%s'`, table, id, index, s.Engine, s.mark())
}

func (m *maker) insertRows(ctx context.Context, run textExecutor, table int, r *random) error {
	s := m.job.Schema
	head := fmt.Sprintf("INSERT INTO sbtest%d(k, c, pad) VALUES", table)
	if !s.AutoInc {
		head = fmt.Sprintf("INSERT INTO sbtest%d(id, k, c, pad) VALUES", table)
	}
	c, pad := make([]byte, cBytes), make([]byte, padBytes)
	const longestRow = 2*11 + cBytes + padBytes + 12
	var batch strings.Builder
	rows := 0
	flush := func() error {
		if rows == 0 {
			return nil
		}
		if _, err := run.Exec(batch.String(), nil); err != nil {
			return err
		}
		m.tell(table, Inserting, rows)
		batch.Reset()
		rows = 0
		return ctx.Err()
	}
	number := make([]byte, 0, 20)
	for i := 1; i <= s.TableSize; i++ {
		if rows == 0 {
			batch.Grow(bulkBytes)
			batch.WriteString(head)
		} else {
			batch.WriteByte(',')
		}
		r.digits(c)
		r.digits(pad)
		batch.WriteByte('(')
		if !s.AutoInc {
			batch.Write(strconv.AppendInt(number, int64(i), 10))
			batch.WriteString(", ")
		}
		batch.Write(strconv.AppendInt(number, r.row(s.TableSize), 10))
		batch.WriteString(", '")
		batch.Write(c)
		batch.WriteString("', '")
		batch.Write(pad)
		batch.WriteString("')")
		rows++
		if batch.Len()+longestRow > bulkBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// dropMade drops what a Prepare that failed has made. It has nobody left to tell
// of a failure but whoever reads the database, so it tries each table.
func (m *maker) dropMade() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTime)
	defer cancel()
	db, err := openControl(ctx, m.job.Target)
	if err != nil {
		return
	}
	defer db.Close()
	for _, table := range m.made {
		_, _ = db.ExecContext(ctx, "DROP TABLE IF EXISTS "+tableName(table))
	}
}

// Cleanup drops the job's tables. One that Berth did not make is an error,
// and then none is dropped; one that is not there is none.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L386
func Cleanup(ctx context.Context, job Job, say func(Progress)) error {
	if err := checkTarget(job.Target); err != nil {
		return err
	}
	if err := checkSchema(job.Schema); err != nil {
		return err
	}
	there, err := tablesThere(ctx, job)
	if err != nil {
		return serverError(job.Target, err)
	}
	for i := 1; i <= job.Schema.Tables; i++ {
		if comment, exists := there[tableName(i)]; exists && !strings.HasPrefix(comment, mark) {
			return text.Err("oltp."+KindForeign, text.Args{"Table": tableName(i), "Database": job.Target.Database, "Address": job.Target.Address}, nil)
		}
	}
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return err
	}
	defer db.Close()
	start := time.Now()
	for i := 1; i <= job.Schema.Tables; i++ {
		if say != nil {
			say(Progress{Table: i, Step: Dropping, Elapsed: time.Since(start)})
		}
		if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS "+tableName(i)); err != nil {
			return serverError(job.Target, err)
		}
	}
	return nil
}

// smallestPool is what a server gets however little data there are.
const smallestPool = 512 << 20

// BufferPool is an innodb_buffer_pool_size, in bytes, that holds all the data
// with a quarter to spare, so that memory is measured and not the disk; but at
// most half of the free memory.
func (s Schema) BufferPool(freeMemory uint64) int64 {
	whole := max(smallestPool, s.DataBytes()/4*5)
	return max(smallestPool, min(whole, int64(freeMemory/2)))
}
