package oltp

import "fmt"

// Scripts by sysbench's names. Each has the statements and the transaction of
// the Lua script of that name.
const (
	ReadWrite      = "oltp_read_write"
	ReadOnly       = "oltp_read_only"
	WriteOnly      = "oltp_write_only"
	PointSelect    = "oltp_point_select"
	UpdateIndex    = "oltp_update_index"
	UpdateNonIndex = "oltp_update_non_index"
	Insert         = "oltp_insert"
	Delete         = "oltp_delete"
)

// Scripts are all scripts.
func Scripts() []string {
	return []string{ReadWrite, ReadOnly, WriteOnly, PointSelect, UpdateIndex, UpdateNonIndex, Insert, Delete}
}

// A class is one kind of statement.
type class int

const (
	pointSelects class = iota
	simpleRanges
	sumRanges
	orderRanges
	distinctRanges
	indexUpdates
	nonIndexUpdates
	deletes
	inserts
	classes
)

// Lengths of the columns c and pad.
const (
	cBytes   = 119 // 10 groups of 11 digits
	padBytes = 59  // 5 groups
)

// A definition is a statement's text, with the table's number left open, and its
// parameters: 0 is a number, anything else the bytes of a text.
type definition struct {
	query  string
	reads  bool // it gives rows
	params []int
}

// define has the statements' definitions.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L244
func define(c class) definition {
	switch c {
	case pointSelects:
		return definition{"SELECT c FROM sbtest%d WHERE id=?", true, []int{0}}
	case simpleRanges:
		return definition{"SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ?", true, []int{0, 0}}
	case sumRanges:
		return definition{"SELECT SUM(k) FROM sbtest%d WHERE id BETWEEN ? AND ?", true, []int{0, 0}}
	case orderRanges:
		return definition{"SELECT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", true, []int{0, 0}}
	case distinctRanges:
		return definition{"SELECT DISTINCT c FROM sbtest%d WHERE id BETWEEN ? AND ? ORDER BY c", true, []int{0, 0}}
	case indexUpdates:
		return definition{"UPDATE sbtest%d SET k=k+1 WHERE id=?", false, []int{0}}
	case nonIndexUpdates:
		return definition{"UPDATE sbtest%d SET c=? WHERE id=?", false, []int{cBytes, 0}}
	case deletes:
		return definition{"DELETE FROM sbtest%d WHERE id=?", false, []int{0}}
	case inserts:
		return definition{"INSERT INTO sbtest%d (id, k, c, pad) VALUES (?, ?, ?, ?)", false, []int{0, 0, cBytes, padBytes}}
	}
	panic(fmt.Sprintf("oltp: no class %d", c))
}

// A script is what a thread prepares, and the transaction that it repeats.
type script struct {
	transaction bool // BEGIN and COMMIT are prepared
	prepares    []class
	event       func(*worker) error
	writes      bool
}

// scriptOf is the job's script.
func scriptOf(job Job) script {
	ranges := []class{simpleRanges, sumRanges, orderRanges, distinctRanges}
	if !job.Mix.RangeSelects {
		ranges = nil
	}
	reads := append([]class{pointSelects}, ranges...)
	writes := []class{indexUpdates, nonIndexUpdates, deletes, inserts}
	switch job.Script {
	case ReadWrite:
		return script{!job.Mix.SkipTrx, append(reads, writes...), (*worker).readWriteEvent, true}
	case ReadOnly:
		return script{!job.Mix.SkipTrx, reads, (*worker).readOnlyEvent, false}
	case WriteOnly:
		return script{!job.Mix.SkipTrx, writes, (*worker).writeOnlyEvent, true}
	case PointSelect:
		return script{false, []class{pointSelects}, (*worker).pointSelectEvent, false}
	case UpdateIndex:
		return script{false, []class{indexUpdates}, (*worker).updateIndexEvent, true}
	case UpdateNonIndex:
		return script{false, []class{nonIndexUpdates}, (*worker).updateNonIndexEvent, true}
	case Insert:
		return script{false, nil, (*worker).insertEvent, true}
	case Delete:
		return script{false, []class{deletes}, (*worker).deleteEvent, true}
	}
	return script{}
}

// changesSize says whether a run leaves another number of rows.
func changesSize(script string) bool { return script == Insert || script == Delete }

// perThread is how many statements a thread prepares.
func (s script) perThread(tables int) int {
	n := len(s.prepares) * tables
	if s.transaction {
		n += 2
	}
	return n
}
