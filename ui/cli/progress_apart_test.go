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

func TestALineOfASampleTellsWhatTheWorkloadsDifferIn(t *testing.T) {
	p := plan.Plan{Variants: []plan.Variant{{Placement: plan.Native}},
		Loads: []plan.Load{{Tests: []string{"SET"}, PayloadBytes: []int{10}, Pipelines: []int{1, 16}, Clients: []int{50}, Rates: []int{0, 500}, Seconds: 1}}}
	p.Complete()
	var out bytes.Buffer
	pr := newProgress(&out, text.For("en"))
	pr.tell(p)
	for i, w := range p.EveryWorkload() {
		s := &result.Sample{Variant: "native", Workload: w, Requests: 1000, Elapsed: time.Second}
		if i == 3 {
			s.Errors = s.Requests
		}
		pr.observe(result.Event{Sample: s})
	}
	want := []string{
		"  1/0 native SET 10 B, pipeline 1, at full speed: 1,000 requests/s",
		"  1/0 native SET 10 B, pipeline 1, at 500/s: 1,000 requests/s",
		"  1/0 native SET 10 B, pipeline 16, at full speed: 1,000 requests/s",
		"  1/0 native SET 10 B, pipeline 16, at 500/s: failed",
	}
	if got := strings.TrimRight(out.String(), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the lines:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestAFailureThatEndsTheRunIsNotSaidTwice(t *testing.T) {
	var out bytes.Buffer
	pr := newProgress(&out, text.For("en"))
	for _, e := range []result.Event{
		{Failure: &result.FailureEvent{Text: "one sample"}}, {Phase: &result.PhaseEvent{Phase: result.PhaseStarting}},
		{Failure: &result.FailureEvent{Text: "the end"}}, {End: &result.EndEvent{Reason: result.EndFailed, Text: "the end"}},
	} {
		pr.observe(e)
	}
	if out.String() != "one sample\n" {
		t.Errorf("said: %s", out.String())
	}
}
