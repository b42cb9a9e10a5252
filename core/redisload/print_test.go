package redisload

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// golden compares what was printed with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// sampleReport has 1,000 latencies from 0.1 ms to 100 ms.
func sampleReport() Report {
	h := newHistogram()
	for i := range int64(1000) {
		us := 100 + i
		if i >= 990 {
			us = (i - 989) * 10_000
		}
		record(h, time.Duration(us)*time.Microsecond, 1)
	}
	return Report{
		Title:      "MSET (10 keys)",
		Job:        Job{Clients: 50, PayloadBytes: 3, Threads: 1},
		Result:     Result{Requests: 1000, Elapsed: 12345 * time.Microsecond, Latency: h},
		Save:       "3600 1 300 100",
		AppendOnly: "no",
	}
}

func TestReportsArePrintedLikeThoseOfRedisBenchmark(t *testing.T) {
	threads := sampleReport()
	threads.Job.Threads, threads.Job.Reconnect, threads.Save, threads.AppendOnly = 2, true, "", ""
	reports := map[string]Report{"one": sampleReport(), "threads": threads, "nothing": {Title: "SET", Job: Job{Clients: 1, PayloadBytes: 3}}}
	for name, r := range reports {
		for _, compat := range []string{Compat28, Compat7} {
			for how, print := range map[string]func(*bytes.Buffer) error{
				"full":  func(b *bytes.Buffer) error { return r.Full(b, compat) },
				"quiet": func(b *bytes.Buffer) error { return r.Quiet(b, compat) },
				"csv": func(b *bytes.Buffer) error {
					if err := CSVHeader(b, compat); err != nil {
						return err
					}
					return r.CSV(b, compat)
				},
			} {
				var b bytes.Buffer
				if err := print(&b); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"-"+compat+"-"+how+".golden", b.Bytes())
			}
		}
	}
}

func TestATitleWithQuotesIsOneField(t *testing.T) {
	r := sampleReport()
	r.Title = `SET k "a,b"`
	for _, compat := range []string{Compat28, Compat7} {
		var b bytes.Buffer
		if err := r.CSV(&b, compat); err != nil {
			t.Fatal(err)
		}
		row, err := csv.NewReader(&b).Read()
		if err != nil || row[0] != r.Title {
			t.Errorf("%s: it reads as %q (%v)", compat, row, err)
		}
	}
}
