package oltp

import "fmt"

// One function for each function of sysbench's Lua scripts, by the same name
// and in the same order. An error ends the transaction.

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_read_write.lua#L44
func (w *worker) readWriteEvent() error {
	return w.inTransaction(func() error {
		if err := w.executeSelects(); err != nil {
			return err
		}
		return w.executeWrites()
	})
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_read_only.lua#L40
func (w *worker) readOnlyEvent() error { return w.inTransaction(w.executeSelects) }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_write_only.lua#L35
func (w *worker) writeOnlyEvent() error { return w.inTransaction(w.executeWrites) }

// One query, whatever the mix says.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_point_select.lua#L32
func (w *worker) pointSelectEvent() error { return w.executePointSelects(1) }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_update_index.lua#L28
func (w *worker) updateIndexEvent() error { return w.executeIndexUpdates() }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_update_non_index.lua#L28
func (w *worker) updateNonIndexEvent() error { return w.executeNonIndexUpdates() }

// Not a prepared statement, there as here.
//
// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_insert.lua#L43
func (w *worker) insertEvent() error {
	table, k := w.tableNumber(), w.random.row(w.tableSize)
	w.random.digits(w.c)
	w.random.digits(w.pad)
	id := int64(0)
	if !w.job.Schema.AutoInc {
		id = int64(w.unique.next()) - 1<<31
	}
	return w.query(fmt.Sprintf("INSERT INTO sbtest%d (id, k, c, pad) VALUES (%d, %d, '%s', '%s')", table, id, k, w.c, w.pad))
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_delete.lua#L28
func (w *worker) deleteEvent() error {
	s := w.statement(w.tableNumber(), deletes)
	s.setNumber(0, w.random.row(w.tableSize))
	return w.execute(s)
}

func (w *worker) inTransaction(body func() error) error {
	if w.job.Mix.SkipTrx {
		return body()
	}
	if err := w.begin(); err != nil {
		return err
	}
	if err := body(); err != nil {
		return err
	}
	return w.commit()
}

func (w *worker) executeSelects() error {
	if err := w.executePointSelects(w.job.Mix.PointSelects); err != nil {
		return err
	}
	if !w.job.Mix.RangeSelects {
		return nil
	}
	if err := w.executeSimpleRanges(); err != nil {
		return err
	}
	if err := w.executeSumRanges(); err != nil {
		return err
	}
	if err := w.executeOrderRanges(); err != nil {
		return err
	}
	return w.executeDistinctRanges()
}

func (w *worker) executeWrites() error {
	if err := w.executeIndexUpdates(); err != nil {
		return err
	}
	if err := w.executeNonIndexUpdates(); err != nil {
		return err
	}
	return w.executeDeleteInserts()
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L404
func (w *worker) begin() error { return w.execute(w.beginStatement) }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L408
func (w *worker) commit() error { return w.execute(w.commitStatement) }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L412
func (w *worker) executePointSelects(n int) error {
	s := w.statement(w.tableNumber(), pointSelects)
	for range n {
		s.setNumber(0, w.random.row(w.tableSize))
		if err := w.execute(s); err != nil {
			return err
		}
	}
	return nil
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L423
func (w *worker) executeRange(c class, n int) error {
	s := w.statement(w.tableNumber(), c)
	for range n {
		id := w.random.row(w.tableSize)
		s.setNumber(0, id)
		s.setNumber(1, id+int64(w.job.Mix.RangeSize)-1)
		if err := w.execute(s); err != nil {
			return err
		}
	}
	return nil
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L436
func (w *worker) executeSimpleRanges() error {
	return w.executeRange(simpleRanges, w.job.Mix.SimpleRanges)
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L440
func (w *worker) executeSumRanges() error { return w.executeRange(sumRanges, w.job.Mix.SumRanges) }

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L444
func (w *worker) executeOrderRanges() error {
	return w.executeRange(orderRanges, w.job.Mix.OrderRanges)
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L448
func (w *worker) executeDistinctRanges() error {
	return w.executeRange(distinctRanges, w.job.Mix.DistinctRanges)
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L452
func (w *worker) executeIndexUpdates() error {
	s := w.statement(w.tableNumber(), indexUpdates)
	for range w.job.Mix.IndexUpdates {
		s.setNumber(0, w.random.row(w.tableSize))
		if err := w.execute(s); err != nil {
			return err
		}
	}
	return nil
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L462
func (w *worker) executeNonIndexUpdates() error {
	s := w.statement(w.tableNumber(), nonIndexUpdates)
	for range w.job.Mix.NonIndexUpdates {
		w.random.digits(s.texts[0])
		s.setNumber(1, w.random.row(w.tableSize))
		if err := w.execute(s); err != nil {
			return err
		}
	}
	return nil
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L473
func (w *worker) executeDeleteInserts() error {
	table := w.tableNumber()
	remove, add := w.statement(table, deletes), w.statement(table, inserts)
	for range w.job.Mix.DeleteInserts {
		id, k := w.random.row(w.tableSize), w.random.row(w.tableSize)
		remove.setNumber(0, id)
		add.setNumber(0, id)
		add.setNumber(1, k)
		w.random.digits(add.texts[2])
		w.random.digits(add.texts[3])
		if err := w.execute(remove); err != nil {
			return err
		}
		if err := w.execute(add); err != nil {
			return err
		}
	}
	return nil
}

// https://github.com/akopytov/sysbench/blob/1.0.20/src/lua/oltp_common.lua#L396
func (w *worker) tableNumber() int { return int(w.random.uniform(1, uint32(w.job.Schema.Tables))) }
