package oltp

import (
	"context"
	"testing"
	"time"
)

// A statusObserver reads the server's counters exactly around the measured part.
type statusObserver struct {
	t           *testing.T
	m           *mariadb
	phases      []Phase
	ticks       []Tick
	checkpoints []Stretch
	count       map[string]int64
}

func serverCounters() []string {
	return []string{"Com_select", "Com_update", "Com_insert", "Com_delete", "Com_begin", "Com_commit"}
}

func (o *statusObserver) Phase(p Phase) {
	o.phases = append(o.phases, p)
	for _, name := range serverCounters() {
		switch p {
		case Measuring:
			if o.count == nil {
				o.count = map[string]int64{}
			}
			o.count[name] -= o.m.status(o.t, name)
		case Measured:
			o.count[name] += o.m.status(o.t, name)
		}
	}
}

func (o *statusObserver) Tick(t Tick) { o.ticks = append(o.ticks, t) }

func (o *statusObserver) Checkpoint(s Stretch) { o.checkpoints = append(o.checkpoints, s) }

func (o *statusObserver) sum(names ...string) (n int64) {
	for _, name := range names {
		n += o.count[name]
	}
	return n
}

func TestOneTransactionIsTwentyQueriesOfWhichTheServerSawEach(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Threads, job.Events, job.Duration = 1, 50, 0
	o := &statusObserver{t: t, m: m}
	r, err := Run(context.Background(), job, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Events: 50, Read: 50 * 14, Write: 50 * 4, Other: 50 * 2}); r.Counts != want {
		t.Errorf("reported %+v, want %+v", r.Counts, want)
	}
	if got := o.sum("Com_select"); got != r.Read {
		t.Errorf("the server saw %d reads, reported were %d", got, r.Read)
	}
	if got := o.sum("Com_update", "Com_insert", "Com_delete"); got != r.Write {
		t.Errorf("the server saw %d writes, reported were %d", got, r.Write)
	}
	if got := o.sum("Com_begin", "Com_commit"); got != r.Other {
		t.Errorf("the server saw %d others, reported were %d", got, r.Other)
	}
}

func TestQueriesOfEachScriptAreCountedByTheServerToo(t *testing.T) {
	m := startMariadb(t)
	for script, want := range map[string]Counts{
		ReadOnly:       {Read: 14, Other: 2},
		WriteOnly:      {Write: 4, Other: 2},
		PointSelect:    {Read: 1},
		UpdateIndex:    {Write: 1},
		UpdateNonIndex: {Write: 1},
		Insert:         {Write: 1},
	} {
		for _, textProtocol := range []bool{false, true} {
			name := script
			if textProtocol {
				name += " as text"
			}
			t.Run(name, func(t *testing.T) {
				job := m.job()
				job.Script, job.Threads, job.Events, job.Duration, job.TextProtocol = script, 1, 20, 0, textProtocol
				m.prepared(t, job)
				t.Cleanup(func() {
					if err := Cleanup(context.Background(), job, nil); err != nil {
						t.Error(err)
					}
				})
				o := &statusObserver{t: t, m: m}
				r, err := Run(context.Background(), job, o)
				if err != nil {
					t.Fatal(err)
				}
				if got := (Counts{Events: 1, Read: r.Read / 20, Write: r.Write / 20, Other: r.Other / 20}); got != (Counts{1, want.Read, want.Write, want.Other, 0, 0}) || r.Events != 20 {
					t.Errorf("%d transactions of %+v, want %+v", r.Events, got, want)
				}
				if got := o.sum(serverCounters()...); got != r.Queries() {
					t.Errorf("the server saw %d queries, reported were %d", got, r.Queries())
				}
			})
		}
	}
}

func TestDeletingARowThatIsGoneCountsAsOther(t *testing.T) {
	m := startMariadb(t)
	job := m.job()
	job.Script, job.Schema.Tables, job.Schema.TableSize = Delete, 1, 10
	job.Threads, job.Events, job.Duration = 1, 200, 0
	m.prepared(t, job)
	r, err := Run(context.Background(), job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Write > 10 || r.Write == 0 || r.Write+r.Other != 200 {
		t.Errorf("%+v: 200 deletes of 10 rows", r.Counts)
	}
}

// On two rows, eight threads run into each other all the time.
func TestADeadlockRestartsTheTransactionInsideItsOwnLatency(t *testing.T) {
	m := startMariadb(t, "--innodb-lock-wait-timeout=1")
	job := m.job()
	job.Schema.Tables, job.Schema.TableSize = 1, 2
	job.Script, job.Threads, job.Duration = WriteOnly, 8, time.Second
	m.prepared(t, job)
	o := &statusObserver{t: t, m: m}
	r, err := Run(context.Background(), job, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Cut != "" || r.Errors == 0 || r.Events == 0 {
		t.Fatalf("%+v, cut %q: want transactions and deadlocks", r.Counts, r.Cut)
	}
	if r.FirstErrors["1213"] == "" && r.FirstErrors["1205"] == "" {
		t.Errorf("no text of the first error: %v", r.FirstErrors)
	}
	// The server counts the statement that failed; sysbench and Berth count it as an error.
	if got := o.sum(serverCounters()...); got != r.Queries()+r.Errors {
		t.Errorf("the server saw %d queries, reported were %d and %d errors", got, r.Queries(), r.Errors)
	}
	// All threads were busy from start to end, so restarts lie within latencies.
	busy := summarize(r.Threads).Sum
	if least := time.Duration(0.9 * float64(job.Threads) * float64(r.Elapsed)); busy < least {
		t.Errorf("transactions took %v together, want at least %v", busy, least)
	}
}

func TestAnErrorThatIsNotIgnoredEndsTheJobAndKeepsWhatWasMeasured(t *testing.T) {
	m := startMariadb(t)
	job := m.job()
	job.Schema.Tables, job.Schema.TableSize = 1, 2
	job.Script, job.Threads, job.Duration, job.IgnoreErrors = WriteOnly, 8, 5*time.Second, nil
	m.prepared(t, job)
	r, err := Run(context.Background(), job, nil)
	if err != nil && Kind(err) != KindDeadlock {
		t.Fatal(err)
	}
	if r.Cut == "" || r.Elapsed > 4*time.Second {
		t.Errorf("cut %q after %v, want a deadlock at once", r.Cut, r.Elapsed)
	}
}

func TestTicksAddUpToNoMoreThanTheResult(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration, job.Interval, job.WarmUp = 500*time.Millisecond, 100*time.Millisecond, 100*time.Millisecond
	o := &statusObserver{t: t, m: m}
	r, err := Run(context.Background(), job, o)
	if err != nil {
		t.Fatal(err)
	}
	var sum Counts
	for _, tick := range o.ticks {
		sum = sum.plus(tick.Counts)
		if tick.Total != sum {
			t.Errorf("after %v the total is %+v, the intervals' sum %+v", tick.Elapsed, tick.Total, sum)
		}
	}
	if len(o.ticks) < 3 || sum.Events == 0 || sum.Events > r.Events {
		t.Errorf("%d ticks with %d transactions of %d", len(o.ticks), sum.Events, r.Events)
	}
	want := []Phase{Connecting, Preparing, WarmingUp, Measuring, Measured}
	if len(o.phases) != len(want) {
		t.Fatalf("phases %v, want %v", o.phases, want)
	}
	for i := range want {
		if o.phases[i] != want[i] {
			t.Fatalf("phases %v, want %v", o.phases, want)
		}
	}
	if got := r.Latency.TotalCount(); got != r.Events {
		t.Errorf("%d latencies of %d transactions", got, r.Events)
	}
}
