package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// A rate is what each of three rounds of a variant measured in a second.
type rate struct {
	label, service string
	requests       int64
	queriesEach    int64 // of a transaction
}

func printed(flags []string, rates ...rate) string {
	r := &result.Run{End: &result.EndEvent{Reason: result.EndDone}}
	r.Plan.Rounds = 3
	for i, v := range rates {
		r.Plan.Variants = append(r.Plan.Variants, plan.Variant{Label: v.label, Service: v.service, Placement: plan.Native})
		for round := 1; round <= 3; round++ {
			s := result.Sample{Round: round, Variant: v.label, Service: v.service, Placement: plan.Native, Requests: v.requests, Elapsed: time.Second, Flags: flags,
				Workload: plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50}}
			if v.service == plan.MySQL {
				s.Workload, s.Transactions = plan.Workload{Test: "oltp_read_write", Pipeline: 1, Clients: 4}, v.requests/v.queriesEach
			}
			if i == 0 && round == 1 {
				s.Flags = append([]string{result.FlagSteal}, flags...)
			}
			r.Samples = append(r.Samples, s)
		}
	}
	var b bytes.Buffer
	(&terminal{out: &b, words: text.For("en")}).printRun(r)
	return b.String()
}

func TestMySQLHasItsOwnTableOfQueriesAndTransactions(t *testing.T) {
	got := printed(nil, rate{"native", plan.Redis, 100_000, 0}, rate{"mysql", plan.MySQL, 12_000, 20}, rate{"mysql-docker", plan.MySQL, 6_000, 20})
	for _, want := range []string{
		"100 bytes, pipeline 1, 50 clients: median requests/s\n",
		"4 threads: median queries/s and transactions/s; in brackets the ratio to mysql,",
		"\noltp_read_write, queries/s       12,000  6,000 (0.50)\n",
		"\noltp_read_write, transactions/s     600           300\n",
		"Redis (Native process) answers 8.3 times as many SET requests as MySQL answers oltp_read_write queries",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestAFlagOfEveryValueIsSaidOnceAndMarksNone(t *testing.T) {
	got := printed([]string{result.FlagCPUsShared}, rate{"native", plan.Redis, 100_000, 0}, rate{"b", plan.Redis, 90_000, 0})
	if strings.Count(got, "*") != 2 || !strings.Contains(got, "\nAll values: load client and server shared CPUs\n* the hypervisor took CPU time\n") {
		t.Errorf("printed\n%s", got)
	}
}

func TestACellWithoutAValueSaysWhy(t *testing.T) {
	set := plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50}
	get := set
	get.Test = "GET"
	r := &result.Run{End: &result.EndEvent{Reason: result.EndStopped}, Failures: []result.FailureEvent{{Variant: "b", Workload: &get}}}
	r.Plan.Rounds = 1
	for _, label := range []string{"native", "b", "c"} {
		r.Plan.Variants = append(r.Plan.Variants, plan.Variant{Label: label, Service: plan.Redis, Placement: plan.Native})
	}
	sample := func(label string, w plan.Workload, flags ...string) {
		r.Samples = append(r.Samples, result.Sample{Round: 1, Variant: label, Service: plan.Redis, Placement: plan.Native, Requests: 50_000, Elapsed: time.Second, Workload: w, Flags: flags})
	}
	sample("native", set)
	sample("native", get)
	sample("b", set)
	sample("c", get, result.FlagCut)
	var b bytes.Buffer
	(&terminal{out: &b, words: text.For("en")}).printRun(r)
	for _, want := range []string{"\nSET   50,000  50,000 (1.00)  not measured\n", "\nGET   50,000         failed     cut short\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
