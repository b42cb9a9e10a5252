package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"berth/core/plan"
)

// The columns of the three tables. What is not known is an empty cell.
var (
	sampleColumns = strings.Split("run,round,variant,service,placement,test,payload_bytes,pipeline,clients,requests,transactions,errors,misses,seconds,rps,"+
		"avg_latency_ms,min_latency_ms,p50_latency_ms,p95_latency_ms,p99_latency_ms,p99_9_latency_ms,max_latency_ms,"+
		"client_cpu_pct,server_cpu_pct,proxy_cpu_pct,machine_cpu_pct,steal_pct,agent_threads,engine,bottleneck,flags", ",")
	summaryColumns = strings.Split("variant,service,placement,test,payload_bytes,pipeline,clients,samples,rps,rps_low,rps_high,reference,ratio,ratio_low,ratio_high,"+
		"p_value,verdict,p50_latency_ms,p95_latency_ms,p99_latency_ms,flags", ",")
	comparisonColumns = strings.Split("a,b,metric,test,payload_bytes,pipeline,clients,rounds,ratio,ratio_low,ratio_high,p_value,smallest_detectable,verdict,flags", ",")
)

// WriteSamples writes samples.csv: a line for each sample, in the order they
// were measured. Latencies are in milliseconds.
func WriteSamples(w io.Writer, r *Run) error {
	return writeTable(w, sampleColumns, func(row func(...string)) error {
		for i := range r.Samples {
			s := &r.Samples[i]
			latency, err := latencyCells(s)
			if err != nil {
				return fmt.Errorf("round %d, %s, %s: %w", s.Round, s.Variant, s.Workload.Test, err)
			}
			transactions := ""
			if s.Transactions > 0 {
				transactions = strconv.FormatInt(s.Transactions, 10)
			}
			requests, errors, misses, seconds, threads := strconv.FormatInt(s.Requests, 10), strconv.FormatInt(s.Errors, 10), strconv.FormatInt(s.Misses, 10),
				fixed(s.Elapsed.Seconds(), 6), strconv.Itoa(s.AgentThreads)
			if s.Reported != nil { // no tool says all of them
				for _, cell := range []*string{&requests, &errors, &misses, &threads} {
					*cell = strings.TrimPrefix(*cell, "0")
				}
				if s.Elapsed == 0 {
					seconds = ""
				}
			}
			cells := append([]string{r.ID, strconv.Itoa(s.Round), s.Variant, s.Service, s.Placement}, workloadCells(s.Workload.Cell())...)
			cells = append(cells, requests, transactions, errors, misses, seconds, fixed(s.RPS(), 2))
			cells = append(cells, latency...)
			cells = append(cells, known(s.ClientCPU, 1), known(s.ServerCPU, 1), known(s.ProxyCPU, 1), known(s.MachineCPU, 1), known(s.Steal, 1),
				threads, s.Engine, s.Bottleneck, flagCell(s.Workload.Cell(), s.Flags))
			row(cells...)
		}
		return nil
	})
}

// workloadCells are test, payload, pipeline and clients. A pipeline of 0, and clients, are not known, and of an
// unknown pipeline a payload of 0 is not either.
func workloadCells(c plan.Cell) []string {
	cells := []string{c.Test, strconv.Itoa(c.PayloadBytes), strconv.Itoa(c.Pipeline), strconv.Itoa(c.Clients)}
	if c.Pipeline == 0 && c.PayloadBytes == 0 {
		cells[1] = ""
	}
	for i, n := range []int{c.Pipeline, c.Clients} {
		if n == 0 {
			cells[2+i] = ""
		}
	}
	return cells
}

// latencyCells are average, minimum, p50, p95, p99, p99.9 and maximum in
// milliseconds; empty where the sample has no reply.
func latencyCells(s *Sample) ([]string, error) {
	if s.Reported != nil {
		l := s.Reported.Latency
		var cells []string
		for _, ms := range []*float64{l.Avg, l.Min, l.P50, l.P95, l.P99, l.P999, l.Max} {
			cells = append(cells, known(ms, 3))
		}
		return cells, nil
	}
	h, err := DecodeHistogram(s.Latency)
	if err != nil {
		return nil, err
	}
	cells := make([]string, 7)
	if h.TotalCount() == 0 {
		return cells, nil
	}
	for i, us := range []float64{h.Mean(), float64(h.Min()), float64(h.ValueAtQuantile(50)), float64(h.ValueAtQuantile(95)),
		float64(h.ValueAtQuantile(99)), float64(h.ValueAtQuantile(99.9)), float64(h.Max())} {
		cells[i] = fixed(us/1000, 3)
	}
	return cells, nil
}

// WriteSummary writes summary.csv.
func WriteSummary(w io.Writer, rows []SummaryRow) error {
	return writeTable(w, summaryColumns, func(row func(...string)) error {
		for _, s := range rows {
			cells := append([]string{s.Variant, s.Service, s.Placement}, workloadCells(s.Cell)...)
			row(append(cells, strconv.Itoa(s.Samples), known(s.RPS, 2), known(s.RPSLow, 2), known(s.RPSHigh, 2), s.Reference,
				known(s.Ratio, 4), known(s.RatioLow, 4), known(s.RatioHigh, 4), significant(s.PValue), s.Verdict,
				known(s.P50, 3), known(s.P95, 3), known(s.P99, 3), flagCell(s.Cell, s.Flags))...)
		}
		return nil
	})
}

// WriteComparisons writes comparisons.csv. The rows of the first family have
// no test, payload, pipeline or clients: those cells are empty.
func WriteComparisons(w io.Writer, rows []ComparisonRow) error {
	return writeTable(w, comparisonColumns, func(row func(...string)) error {
		for _, c := range rows {
			workload := make([]string, 4)
			if c.Test != "" {
				workload = workloadCells(c.Cell)
			}
			row(append(append([]string{c.A, c.B, c.Metric}, workload...), strconv.Itoa(c.Rounds),
				known(c.Ratio, 4), known(c.RatioLow, 4), known(c.RatioHigh, 4), significant(c.PValue), known(c.SmallestDetectable, 4),
				c.Verdict, flagCell(c.Cell, c.Flags))...)
		}
		return nil
	})
}

// flagCell is a row's flags, joined by ";". The columns have neither a load's name nor a rate:
// where a plan has several, "load:NAME" and "rate:20000" come first, so that no two rows are alike.
func flagCell(c plan.Cell, flags []string) string {
	var all []string
	if c.Load != "" {
		all = append(all, "load:"+c.Load)
	}
	if c.Rate > 0 {
		all = append(all, "rate:"+strconv.Itoa(c.Rate))
	}
	return strings.Join(append(all, flags...), ";")
}

func writeTable(w io.Writer, columns []string, rows func(row func(...string)) error) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	row := func(cells ...string) {
		for i, cell := range cells {
			if _, err := strconv.ParseFloat(cell, 64); err != nil { // a number may be negative
				cells[i] = AsText(cell)
			}
		}
		out.Write(cells) // its error is Error's
	}
	if err := rows(row); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// AsText is a text that a user or a file chose, made safe for a spreadsheet, which would
// take one that begins with an operator for a formula: also one of those as wide as a
// Chinese character. https://owasp.org/www-community/attacks/CSV_Injection
func AsText(s string) string {
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + s
	}
	return s
}

func fixed(v float64, digits int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

func known(v *float64, digits int) string {
	if v == nil {
		return ""
	}
	return fixed(*v, digits)
}

// significant writes a probability with three significant digits.
func significant(v *float64) string {
	if v == nil || math.IsNaN(*v) {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 3, 64)
}
