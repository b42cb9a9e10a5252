package oltp

import (
	"context"
	"database/sql"
	"math"
	"net"
	"slices"
	"strings"

	"berth/core/text"
)

// Limits of a job.
const (
	MaxThreads   = 10_000
	MaxTables    = 10_000
	MaxTableSize = math.MaxInt32 // what id, an INTEGER, can number
	maxCount     = 1_000_000     // queries of one class in a transaction
)

// Check says whether a job can be carried out, before anything is started:
// the first thing wrong with it, as a sentence of the catalogue. It does not
// look at the server.
func Check(job Job) error {
	refuse := func(id string, args text.Args) error { return text.Err("oltp."+id, args, nil) }
	if err := checkTarget(job.Target); err != nil {
		return err
	}
	if err := checkSchema(job.Schema); err != nil {
		return err
	}
	m, d := job.Mix, job.Draw
	switch {
	case !slices.Contains(Scripts(), job.Script):
		return refuse("script", text.Args{"Script": job.Script, "Known": strings.Join(Scripts(), ", ")})
	case job.Threads < 1 || job.Threads > MaxThreads:
		return refuse("threads", text.Args{"Threads": job.Threads, "Most": MaxThreads})
	case job.Events < 0 || job.Duration < 0 || job.Events == 0 && job.Duration == 0:
		return refuse("no-end", nil)
	case job.WarmUp < 0 || job.Interval < 0 || job.Silence < 0:
		return refuse("negative-time", nil)
	case len(job.Checkpoints) > 0 && (job.Checkpoints[0] <= 0 || !slices.IsSorted(job.Checkpoints)):
		return refuse("checkpoints", nil)
	case job.Rate < 0 || math.IsNaN(job.Rate) || math.IsInf(job.Rate, 0):
		return refuse("rate", text.Args{"Rate": job.Rate})
	case !slices.Contains(Draws(), d.Type):
		return refuse("rand-type", text.Args{"Type": d.Type, "Known": strings.Join(Draws(), ", ")})
	case d.Iterations < 1 || d.SpecialPercent < 0 || d.SpecialPercent > 100 || d.SpecialShare < 0 || d.SpecialShare > 99:
		return refuse("rand-special", nil)
	case !(d.ParetoH > 0 && d.ParetoH < 1):
		return refuse("rand-pareto", text.Args{"H": d.ParetoH})
	case m.RangeSize < 1:
		return refuse("range-size", text.Args{"Size": m.RangeSize})
	}
	for _, n := range []int{m.PointSelects, m.SimpleRanges, m.SumRanges, m.OrderRanges, m.DistinctRanges, m.IndexUpdates, m.NonIndexUpdates, m.DeleteInserts} {
		if n < 0 || n > maxCount {
			return refuse("count", text.Args{"Count": n, "Most": maxCount})
		}
	}
	for _, p := range job.Percentiles {
		if p < 1 || p > 100 {
			return refuse("percentile", text.Args{"Percentile": p})
		}
	}
	if job.Schema.TableSize < 1 && job.Script != Insert {
		return refuse("no-rows", text.Args{"Script": job.Script})
	}
	return nil
}

func checkTarget(t Target) error {
	switch {
	case t.Network != "tcp" && t.Network != "unix":
		return text.Err("oltp.network", text.Args{"Network": t.Network}, nil)
	case t.Address == "":
		return text.Err("oltp.address", nil, nil)
	case t.Database == "":
		return text.Err("oltp."+KindNoDatabase, text.Args{"Address": t.Address}, nil)
	}
	if t.Network == "tcp" {
		if _, _, err := net.SplitHostPort(t.Address); err != nil {
			return text.Err("oltp.host-port", text.Args{"Address": t.Address}, err)
		}
	}
	return nil
}

func checkSchema(s Schema) error {
	switch {
	case s.Tables < 1 || s.Tables > MaxTables:
		return text.Err("oltp.tables", text.Args{"Tables": s.Tables, "Most": MaxTables}, nil)
	case s.TableSize < 0 || s.TableSize > MaxTableSize:
		return text.Err("oltp.table-size", text.Args{"Size": s.TableSize, "Most": MaxTableSize}, nil)
	}
	return nil
}

// examine asks the server, before anything is measured, whether the job can be
// carried out there, and what it is.
func examine(ctx context.Context, job Job) (Facts, error) {
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return Facts{}, err
	}
	defer db.Close()
	facts, err := readFacts(ctx, db, job)
	if err != nil {
		return Facts{}, serverError(job.Target, err)
	}
	if err := checkRoom(ctx, db, job); err != nil {
		return Facts{}, serverError(job.Target, err)
	}
	if err := checkTables(ctx, db, job); err != nil {
		return Facts{}, serverError(job.Target, err)
	}
	return facts, nil
}

// CheckRoom says whether the job's server has room for its connections and prepared
// statements, before anything is made there.
func CheckRoom(ctx context.Context, job Job) error {
	db, err := openControl(ctx, job.Target)
	if err != nil {
		return err
	}
	defer db.Close()
	return serverError(job.Target, checkRoom(ctx, db, job))
}

// checkRoom says whether the server has room for the job's connections and
// prepared statements beside those that it has now.
func checkRoom(ctx context.Context, db *sql.DB, job Job) error {
	most, known, err := number(ctx, db, "SHOW GLOBAL VARIABLES LIKE 'max_connections'")
	if err != nil {
		return err
	}
	open, openKnown, err := number(ctx, db, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")
	if err != nil {
		return err
	}
	if known && openKnown && open-1+int64(job.Threads) > most {
		return text.Err("oltp.connections-before", text.Args{"Threads": job.Threads, "Open": open - 1, "Most": most, "Address": job.Target.Address}, nil)
	}
	if job.TextProtocol {
		return nil
	}
	most, known, err = number(ctx, db, "SHOW GLOBAL VARIABLES LIKE 'max_prepared_stmt_count'")
	if err != nil {
		return err
	}
	open, _, err = number(ctx, db, "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")
	if err != nil {
		return err
	}
	need := int64(scriptOf(job).perThread(job.Schema.Tables)) * int64(job.Threads)
	if known && open+need > most {
		return text.Err("oltp."+KindStatements, text.Args{"Threads": job.Threads, "Tables": job.Schema.Tables, "Need": open + need, "Most": most, "Address": job.Target.Address}, nil)
	}
	return nil
}

// checkTables says whether the job's tables are there, with as many rows.
func checkTables(ctx context.Context, db *sql.DB, job Job) error {
	for i := 1; i <= job.Schema.Tables; i++ {
		var last sql.NullInt64
		if err := db.QueryRowContext(ctx, "SELECT MAX(id) FROM "+tableName(i)).Scan(&last); err != nil {
			err = serverError(job.Target, err)
			if Kind(err) == KindMissing {
				return missing(job, i)
			}
			return err
		}
		if !changesSize(job.Script) && last.Int64 != int64(job.Schema.TableSize) {
			return text.Err("oltp."+KindSize, text.Args{"Table": tableName(i), "Rows": last.Int64, "Size": job.Schema.TableSize, "Database": job.Target.Database}, nil)
		}
	}
	return nil
}

func missing(job Job, table int) error {
	return text.Err("oltp."+KindMissing, text.Args{"Table": tableName(table), "Tables": job.Schema.Tables, "Size": job.Schema.TableSize, "Database": job.Target.Database, "Address": job.Target.Address}, nil)
}

// local says whether the server shares this machine, as far as its address tells.
func local(t Target) bool {
	if t.Network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
