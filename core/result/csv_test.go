package result

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
)

func pointer(v float64) *float64 { return &v }

func TestSamplesCSVHasTheContractsColumnsAndMilliseconds(t *testing.T) {
	h := NewHistogram()
	for us := int64(100); us <= 300; us++ {
		h.RecordValue(us)
	}
	latency, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	r := &Run{RunEvent: RunEvent{ID: "r1"}, Samples: []Sample{{
		Round: 2, Variant: "=evil", Service: plan.Redis, Placement: plan.Native,
		Workload: plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50},
		Requests: 201, Elapsed: 500 * time.Millisecond, Latency: latency, ServerCPU: pointer(99.94), AgentThreads: 1,
		Engine: "epoll", Bottleneck: BottleneckServer, Flags: []string{FlagTooShort, FlagCPUsShared},
	}}}
	var b bytes.Buffer
	if err := WriteSamples(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for i, column := range rows[0] {
		got[column] = rows[1][i]
	}
	for column, want := range map[string]string{
		"run": "r1", "round": "2", "variant": "'=evil", "requests": "201", "transactions": "", "seconds": "0.500000", "rps": "402.00",
		"avg_latency_ms": "0.200", "min_latency_ms": "0.100", "p50_latency_ms": "0.200", "max_latency_ms": "0.300",
		"client_cpu_pct": "", "server_cpu_pct": "99.9", "flags": "too-short;cpus-shared",
	} {
		if got[column] != want {
			t.Errorf("%s is %q, want %q", column, got[column], want)
		}
	}
}

// A test's name and a flag come from files too, where another tool's output was read in.
func TestNoCellOfATableIsAFormula(t *testing.T) {
	for _, text := range []string{"=1+1", "+1", "-a", "@SUM(A1)", "＝1+1", "\t=1", "\r=1", "\n=1", "=cmd|' /C calc'!A0"} {
		s := Sample{Variant: text, Service: text, Placement: text, Workload: plan.Workload{Test: text}, Engine: text, Bottleneck: text, Flags: []string{text}}
		c := ComparisonRow{A: text, B: text, Metric: text, Cell: plan.Cell{Test: text}, Verdict: text, Flags: []string{text}}
		row := SummaryRow{Variant: text, Service: text, Placement: text, Cell: plan.Cell{Test: text}, Reference: text, Verdict: text, Flags: []string{text}}
		var samples, summary, comparisons bytes.Buffer
		if err := errors.Join(WriteSamples(&samples, &Run{RunEvent: RunEvent{ID: text}, Samples: []Sample{s}}), WriteSummary(&summary, []SummaryRow{row}),
			WriteComparisons(&comparisons, []ComparisonRow{c})); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*bytes.Buffer{"samples": &samples, "summary": &summary, "comparisons": &comparisons} {
			rows, err := csv.NewReader(b).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for i, cell := range rows[1] {
				_, err := strconv.ParseFloat(cell, 64)
				if number := err == nil; !number && cell != "" && cell[0] != '\'' {
					t.Errorf("%s has %q in %s", name, cell, rows[0][i])
				}
			}
		}
	}
	for _, plain := range []string{"", "native", "绑核", "1-2", "'quoted'"} {
		if AsText(plain) != plain {
			t.Errorf("%q becomes %q", plain, AsText(plain))
		}
	}
}

func TestUnknownValuesAreEmptyCells(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSummary(&b, []SummaryRow{{Variant: "native", Cell: plan.Cell{Test: "SET"}, RPS: pointer(1.5), Verdict: TooFewRounds}}); err != nil {
		t.Fatal(err)
	}
	want := "native,,,SET,,,,0,1.50,,,,,,,,too-few-rounds,,,,"
	if lines := strings.Split(b.String(), "\n"); lines[1] != want {
		t.Errorf("got  %s\nwant %s", lines[1], want)
	}
	b.Reset()
	if err := WriteComparisons(&b, []ComparisonRow{{A: "docker-nat", B: "native", Metric: "rps", Rounds: 4, Ratio: pointer(0.45), PValue: pointer(0.000123456), Verdict: Slower}}); err != nil {
		t.Fatal(err)
	}
	want = "docker-nat,native,rps,,,,,4,0.4500,,,0.000123,,slower,"
	if lines := strings.Split(b.String(), "\n"); lines[1] != want {
		t.Errorf("got  %s\nwant %s", lines[1], want)
	}
}
