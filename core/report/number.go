package report

import (
	"math"
	"strconv"
	"strings"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// lossPercent is how much less than the reference a ratio is, in percent; below
// 0 where it is more.
func lossPercent(ratio float64) float64 { return 100 * (1 - ratio) }

// setRange writes a value and its interval with the same decimals, as few as
// keep the interval's ends apart.
func setRange(args text.Args, value, low, high float64) {
	decimals := 0
	for decimals < 2 && high-low < 2*math.Pow(10, -float64(decimals)) {
		decimals++
	}
	args["Value"], args["Low"], args["High"] = digits(value, decimals), digits(low, decimals), digits(high, decimals)
}

// setTimes writes a multiple and its interval: 3.2 times, 12 times.
func setTimes(args text.Args, value, low, high float64) {
	decimals := 1
	if value >= 9.95 {
		decimals = 0
	}
	args["Value"], args["Low"], args["High"] = digits(value, decimals), digits(low, decimals), digits(high, decimals)
}

// percentText writes a percentage whole; with a decimal where the whole number
// would hide it, and never as all where something is left.
func percentText(p float64) string {
	switch {
	case math.Abs(p) < 1.95:
		return digits(p, 1)
	case p >= 99.5 && p < 100:
		return ">99"
	}
	return whole(p)
}

func whole(x float64) string { return digits(x, 0) }

// digits writes x with so many decimals, and never a negative zero.
func digits(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// grouped writes a count with its thousands separated: 121,304.
func grouped(x float64) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if x <= -0.5 {
		return "-" + s
	}
	return s
}

// workloadNames tell workloads apart with no more than the run varies within a service.
type workloadNames struct {
	payload, pipeline, clients, threads, rate, load bool
	scripts                                         map[string]bool // tests that are MySQL's
}

func namesOf(rows []result.SummaryRow) workloadNames {
	n := workloadNames{scripts: map[string]bool{}}
	first := map[string]result.SummaryRow{}
	for _, s := range rows {
		f, ok := first[s.Service]
		if !ok {
			f, first[s.Service] = s, s
		}
		n.load = n.load || s.Load != f.Load
		if s.Service == plan.MySQL {
			n.scripts[s.Test] = true
			n.threads = n.threads || s.Clients != f.Clients
			continue
		}
		n.payload = n.payload || s.PayloadBytes != f.PayloadBytes
		n.pipeline = n.pipeline || s.Pipeline != f.Pipeline
		n.clients = n.clients || s.Clients != f.Clients
		n.rate = n.rate || s.Rate != f.Rate
	}
	return n
}

func (n workloadNames) of(c result.ComparisonRow) string {
	return n.name(c.Cell)
}

func (n workloadNames) ofSummary(s result.SummaryRow) string {
	return n.name(s.Cell)
}

// name is "SET", or "SET -d 500 -P 16 -c 50" in redis-benchmark's letters and sysbench's, which are
// the same in every language.
func (n workloadNames) name(c plan.Cell) string {
	test := c.Test
	if n.scripts[test] {
		if n.threads {
			test += " --threads=" + strconv.Itoa(c.Clients)
		}
		return test
	}
	if n.payload && c.PayloadBytes > 0 { // 0 is unknown, in what other tools reported
		test += " -d " + strconv.Itoa(c.PayloadBytes)
	}
	if n.pipeline && c.Pipeline > 0 {
		test += " -P " + strconv.Itoa(c.Pipeline)
	}
	if n.clients && c.Clients > 0 {
		test += " -c " + strconv.Itoa(c.Clients)
	}
	if n.rate && c.Rate > 0 { // Valkey's letters
		test += " --rps " + strconv.Itoa(c.Rate)
	}
	return test
}
