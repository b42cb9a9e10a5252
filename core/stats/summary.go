package stats

import (
	"math"
	"runtime"
	"slices"
	"sync"

	// benchmath has the order-statistic interval of a median, as benchstat prints it.
	"golang.org/x/perf/benchmath"

	"berth/core/plan"
	"berth/core/result"
)

// Summarize gives a row for each variant and workload that has samples,
// compared with the variant labelled reference ("" is the plan's), in the plan's order.
func Summarize(r *result.Run, reference string) []result.SummaryRow {
	t := newTable(r)
	references := t.references(reference)
	type place struct {
		variant string
		plan.Cell
	}
	compared := map[place]result.ComparisonRow{}
	for _, c := range Compare(r, reference) { // which takes each service's own reference
		if c.Test != "" {
			compared[place{c.A, c.Cell}] = c
		}
	}
	var rows []result.SummaryRow
	var cells []*cell
	for _, v := range t.variants {
		reference := references[t.service(v)]
		for _, w := range t.workloads {
			c := t.cell(v, w)
			if c == nil {
				continue
			}
			row := result.SummaryRow{
				Variant: v, Service: c.sample.Service, Placement: c.sample.Placement,
				Cell: w, Samples: len(c.samples), Reference: reference, Flags: c.flags,
			}
			row.RPS, row.RPSLow, row.RPSHigh = median(c.samples)
			row.TPS = transactions(c.samples)
			if v == reference {
				row.Verdict = result.Reference
			} else if with, ok := compared[place{v, w}]; ok {
				row.Ratio, row.RatioLow, row.RatioHigh = with.Ratio, with.RatioLow, with.RatioHigh
				row.PValue, row.Verdict = with.PValue, with.Verdict
				row.Flags = union(append(slices.Clone(c.flags), t.differs(v, reference, c, t.cell(reference, w))...))
			}
			if t.fewer(c) {
				row.Flags = union(append(slices.Clone(row.Flags), FlagFewer))
			}
			rows, cells = append(rows, row), append(cells, c)
		}
	}
	fillPercentiles(rows, cells)
	return rows
}

// median of the samples' requests a second, with its order-statistic interval
// from 6 samples on.
func median(samples []*result.Sample) (center, low, high *float64) {
	if len(samples) == 0 {
		return nil, nil, nil
	}
	rates := make([]float64, len(samples))
	for i, s := range samples {
		rates[i] = s.RPS()
	}
	// NewSample sorts the slice that it is given: rates is ours.
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(rates, &benchmath.DefaultThresholds), 1-alpha)
	if math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) || len(samples) < rankRounds {
		return &s.Center, nil, nil
	}
	return &s.Center, &s.Lo, &s.Hi
}

// transactions is the median of the samples' transactions a second; nil where none
// are counted, as of Redis.
func transactions(samples []*result.Sample) *float64 {
	var rates []float64
	for _, s := range samples {
		if s.TPS() > 0 {
			rates = append(rates, s.TPS())
		}
	}
	m, ok := Median(rates)
	if !ok {
		return nil
	}
	return &m
}

// fillPercentiles sets each row's percentiles from the merged histograms of its
// cell. Decoding is most of the work of a summary, so every CPU takes a share.
func fillPercentiles(rows []result.SummaryRow, cells []*cell) {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(rows)) {
		workers.Go(func() {
			var m result.Merger
			for i := range next {
				rows[i].P50, rows[i].P95, rows[i].P99 = percentiles(&m, cells[i].samples)
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	workers.Wait()
}

// percentiles in milliseconds of the samples' latencies together; nil if a
// sample has none that can be read, because the rest would not stand for all.
func percentiles(m *result.Merger, samples []*result.Sample) (p50, p95, p99 *float64) {
	if len(samples) == 1 && samples[0].Reported != nil { // percentiles of several cannot be put together
		l := samples[0].Reported.Latency
		return l.P50, l.P95, l.P99
	}
	m.Reset()
	for _, s := range samples {
		if s.Latency == "" || m.Add(s.Latency) != nil {
			return nil, nil, nil
		}
	}
	h := m.Histogram()
	if h.TotalCount() == 0 {
		return nil, nil, nil
	}
	at := h.ValueAtPercentilesSlice([]float64{50, 95, 99})
	ms := make([]float64, len(at))
	for i, us := range at {
		ms[i] = float64(us) / 1000
	}
	return &ms[0], &ms[1], &ms[2]
}

// Median of xs; false if there are none.
func Median(xs []float64) (float64, bool) {
	if len(xs) == 0 {
		return 0, false
	}
	s := slices.Clone(xs)
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2, true
}
