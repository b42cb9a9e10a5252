package oltp

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A worker is one connection with its prepared statements, and the goroutine
// that repeats the script's transaction on it.
type worker struct {
	job       *Job
	script    script
	tableSize int
	random    *random
	unique    *uniqueSequence
	connector driver.Connector
	conn      driver.Conn
	line      *line

	tables                          [][classes]*statement // by table, from 0
	beginStatement, commitStatement *statement
	c, pad                          []byte

	tally *tally
}

// A statement is prepared on one connection for one table, with room for its
// parameters.
type statement struct {
	reads  bool
	args   []driver.Value
	texts  [][]byte // the parameters that are texts; nil where they are numbers
	run    preparedExecutor
	close  func() error
	format string // sent as text, filled with args, where nothing is prepared
}

// The driver's own Exec: no context to watch, no names to strip, and rows are
// skipped undecoded.
type preparedExecutor interface {
	Exec([]driver.Value) (driver.Result, error)
}

type textExecutor interface {
	Exec(string, []driver.Value) (driver.Result, error)
}

var errDriver = errors.New("the MySQL driver does not offer what is needed")

// setNumber sets a parameter.
func (s *statement) setNumber(i int, n int64) { s.args[i] = n }

func (w *worker) statement(table int, c class) *statement { return w.tables[table-1][c] }

// A line holds the network connection under a driver's, so that another
// goroutine can cut it.
type line struct {
	mu   sync.Mutex
	conn net.Conn
	cut  bool
}

func (l *line) wrap(dial dialer) dialer {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.cut {
			c.Close()
			return nil, net.ErrClosed
		}
		l.conn = c
		return c, nil
	}
}

// sever ends the connection under a query that waits, and all later ones.
func (l *line) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	if l.conn != nil {
		l.conn.Close()
	}
}

// connect opens the worker's connection.
func (w *worker) connect(ctx context.Context) error {
	reach, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	c, err := w.connector.Connect(reach)
	if err != nil {
		return err
	}
	w.conn = c
	return nil
}

// prepare prepares the script's statements for every table.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L347
func (w *worker) prepare() error {
	var err error
	if w.script.transaction {
		if w.beginStatement, err = w.prepareOne(definition{query: "BEGIN"}, "BEGIN"); err != nil {
			return err
		}
		if w.commitStatement, err = w.prepareOne(definition{query: "COMMIT"}, "COMMIT"); err != nil {
			return err
		}
	}
	w.tables = make([][classes]*statement, w.job.Schema.Tables)
	for _, c := range w.script.prepares {
		d := define(c)
		for t := range w.tables {
			if w.tables[t][c], err = w.prepareOne(d, fmt.Sprintf(d.query, t+1)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *worker) prepareOne(d definition, query string) (*statement, error) {
	s := &statement{reads: d.reads, args: make([]driver.Value, len(d.params)), texts: make([][]byte, len(d.params)), format: query}
	for i, bytes := range d.params {
		if bytes > 0 {
			s.texts[i] = make([]byte, bytes)
			s.args[i] = s.texts[i]
		}
	}
	if w.job.TextProtocol {
		return s, nil
	}
	prepared, err := w.conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	run, ok := prepared.(preparedExecutor)
	if !ok {
		return nil, errDriver
	}
	s.run, s.close = run, prepared.Close
	return s, nil
}

// execute runs one statement to its last row and counts it.
func (w *worker) execute(s *statement) error {
	if s.run == nil {
		return w.send(s.text(), s.reads)
	}
	r, err := s.run.Exec(s.args)
	if err != nil {
		return err
	}
	w.count(r, s.reads)
	return nil
}

// query sends a statement that is not prepared and gives no rows.
func (w *worker) query(q string) error { return w.send(q, false) }

func (w *worker) send(q string, reads bool) error {
	run, ok := w.conn.(textExecutor)
	if !ok {
		return errDriver
	}
	r, err := run.Exec(q, nil)
	if err != nil {
		return err
	}
	w.count(r, reads)
	return nil
}

// count tells reads, writes and others apart as sysbench does: by the answer.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/drivers/mysql/drv_mysql.c
func (w *worker) count(r driver.Result, reads bool) {
	if reads {
		w.tally.reads.Add(1)
		return
	}
	if n, err := r.RowsAffected(); err == nil && n > 0 {
		w.tally.writes.Add(1)
		return
	}
	w.tally.others.Add(1)
}

// text is the statement with its parameters in it. They are numbers, and digits and
// dashes, which need no escaping.
func (s *statement) text() string {
	var b strings.Builder
	parts := strings.Split(s.format, "?")
	for i, part := range parts {
		b.WriteString(part)
		if i == len(parts)-1 {
			break
		}
		switch v := s.args[i].(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case []byte:
			b.WriteByte('\'')
			b.Write(v)
			b.WriteByte('\'')
		}
	}
	return b.String()
}

// A tally is what one worker counted in one part of a job. Others read the
// atomic fields while the worker runs.
type tally struct {
	events, reads, writes, others, errors, reconnects atomic.Int64

	buckets [bucketCount]atomic.Int64

	mu     sync.Mutex
	thread Thread
	recent Thread // since the last checkpoint

	latency     *hdrhistogram.Histogram
	firstErrors map[string]string
}

func newTally() *tally { return &tally{latency: newHistogram(), firstErrors: map[string]string{}} }

func (t *tally) counts() Counts {
	return Counts{t.events.Load(), t.reads.Load(), t.writes.Load(), t.others.Load(), t.errors.Load(), t.reconnects.Load()}
}

// finish counts a transaction that took d.
func (t *tally) finish(d time.Duration) {
	t.events.Add(1)
	t.buckets[bucketOf(d)].Add(1)
	recordMicros(t.latency, d)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.thread.add(d)
	t.recent.add(d)
}

func (t *Thread) add(d time.Duration) {
	if t.Events == 0 || d < t.Min {
		t.Min = d
	}
	t.Max = max(t.Max, d)
	t.Sum += d
	t.Events++
}

// takeRecent is what was done since it was asked the last time.
func (t *tally) takeRecent() Thread {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.recent
	t.recent = Thread{}
	return r
}

// fail counts an error that is ignored.
func (t *tally) fail(number int, err error) {
	t.errors.Add(1)
	key := strconv.Itoa(number)
	if _, known := t.firstErrors[key]; !known {
		t.firstErrors[key] = err.Error()
	}
}

// repeat carries the worker's share of a part out. An error ends the part for
// every worker.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/internal/sysbench.lua
func (w *worker) repeat(ctx context.Context, p *part) {
	for {
		due, more := p.next()
		if !more {
			return
		}
		begun := p.elapsed()
		if p.arrivals == nil {
			due = begun
		}
		switch err := w.event(ctx, p); {
		case errors.Is(err, errTimeUp):
			return
		case err != nil:
			p.end(err)
			return
		}
		w.tally.finish(p.elapsed() - due)
		p.finished()
	}
}

// errTimeUp is of a transaction that met ignored errors until the part was over.
var errTimeUp = errors.New("the time was up before the transaction ended")

// event runs one transaction, again from its start after each ignored error. Unlike sysbench it
// gives up when the part is over: who holds a lock may hold it for ever.
func (w *worker) event(ctx context.Context, p *part) error {
	for {
		err := w.script.event(w)
		if err == nil {
			return nil
		}
		number := errorNumber(err)
		if p.stopped.Load() || !w.ignores(number) {
			return err
		}
		if !lost(number) {
			w.tally.fail(number, err)
			if p.over() {
				return errTimeUp
			}
			continue
		}
		w.tally.reconnects.Add(1)
		if err := w.reconnect(ctx, p); err != nil {
			return err
		}
	}
}

func (w *worker) ignores(number int) bool {
	for _, n := range w.job.IgnoreErrors {
		if n == number || n == AllErrors && number != 0 {
			return true
		}
	}
	return false
}

// reconnect opens the connection again, however often it takes, and prepares
// the statements on it.
func (w *worker) reconnect(ctx context.Context, p *part) error {
	const pause = 10 * time.Millisecond
	for {
		w.conn.Close()
		err := w.connect(ctx)
		if err == nil {
			if err = w.prepare(); err == nil {
				return nil
			}
		}
		if p.over() {
			return err
		}
		sleep(pause)
	}
}

// closeAll closes the statements and the connection.
func (w *worker) closeAll() {
	if w.conn == nil {
		return
	}
	// The server frees a connection's statements with it.
	w.conn.Close()
}

// errorNumber is the server's number of an error; a lost connection has the
// number that the C client gives it; 0 is an error of another kind.
func errorNumber(err error) int {
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &refused):
		return int(refused.Number)
	case errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, driver.ErrBadConn):
		return errServerLost
	}
	return 0
}

func lost(number int) bool {
	return number == errServerLost || number == errServerGone || number == errTCPConnection || number == errServerLostExtend
}
