package server

import (
	"slices"
	"testing"
	"time"

	"berth/core/plan"
)

// benchmarkReady prints the median time from a start to the first answered PING.
func benchmarkReady(b *testing.B, v plan.Variant) {
	l := newLauncher(b)
	if err := l.Prepare(b.Context(), []plan.Variant{v}, nil); err != nil {
		b.Fatal(err)
	}
	var ready []time.Duration
	for b.Loop() {
		s, err := l.Start(b.Context(), v)
		if err != nil {
			b.Fatal(err)
		}
		ready = append(ready, s.Ready)
		if err := s.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(ready)
	b.ReportMetric(ready[len(ready)/2].Seconds(), "s-to-ready(median)")
}
