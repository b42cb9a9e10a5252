package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"berth/core/oltp"
	"berth/core/redisload"
	"berth/core/result"
)

// loadMySQL gives the result of what was measured also beside an error.
func loadMySQL(ctx context.Context, job oltp.Job, o *observer) (*Result, error) {
	measured, err := oltp.Run(ctx, job, transactions{o})
	if measured.Latency == nil || err != nil && measured.Events == 0 {
		return nil, err
	}
	latency, encodeErr := result.EncodeHistogram(measured.Latency)
	return &Result{
		Requests: measured.Queries(), Transactions: measured.Events, Errors: measured.Errors, Reconnects: measured.Reconnects,
		Elapsed: measured.Elapsed, Latency: latency, FirstErrors: measured.FirstErrors,
		Engine: measured.Engine, Threads: len(measured.Threads), Cut: measured.Cut, CPU: o.cpu(nil),
		State:     state(job, measured.WarmUp),
		Unsettled: job.UntilFlat && !measured.WarmUp.Flat,
	}, errors.Join(encodeErr, err)
}

// state is what a job met when it began to be measured, and how that was reached.
func state(job oltp.Job, w oltp.WarmUp) string {
	s := fmt.Sprintf("%d tables of %d rows", job.Schema.Tables, job.Schema.TableSize)
	switch took := w.Took.Round(100 * time.Millisecond); {
	case job.WarmUp == 0:
		return s + "; no warm-up"
	case w.Flat:
		return fmt.Sprintf("%s; warmed up for %v, until throughput was flat", s, took)
	default:
		return fmt.Sprintf("%s; warmed up for %v, the limit", s, took)
	}
}

// transactions tells an observer of a MySQL job in Redis's terms.
type transactions struct{ *observer }

// Phase passes on the phases that both have; that statements are prepared is
// part of connecting.
func (t transactions) Phase(p oltp.Phase) {
	if p != oltp.Preparing {
		t.observer.Phase(redisload.Phase(p))
	}
}

func (t transactions) Tick(k oltp.Tick) {
	tick := Tick{Tick: redisload.Tick{Elapsed: k.Elapsed, Requests: k.Total.Queries(), Errors: k.Total.Errors}, Transactions: k.Total.Events}
	if len(k.Latency) > 0 {
		tick.P95 = k.Latency[0]
	}
	t.w.write(Event{Tick: &tick})
}

// makeTables makes and fills the tables that MySQL is loaded on; its result
// says only how long that took.
func makeTables(ctx context.Context, job oltp.Job, w *writer) (*Result, error) {
	began := time.Now()
	err := oltp.Prepare(ctx, job, func(p oltp.Progress) {
		w.write(Event{Rows: &Rows{Made: p.Rows, Total: p.Total}})
	})
	if err != nil {
		return nil, err
	}
	return &Result{Elapsed: time.Since(began)}, nil
}
