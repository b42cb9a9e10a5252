package figure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
)

// A bench is a run made for a test: rows as stats would give them.
type bench struct {
	run         *result.Run
	rows        []result.SummaryRow
	comparisons []result.ComparisonRow
}

var classic = []string{
	"PING_INLINE", "PING_BULK", "SET", "GET", "INCR", "LPUSH", "LPOP", "SADD", "SPOP",
	"LPUSH (needed to benchmark LRANGE)", "LRANGE_100 (first 100 elements)", "LRANGE_300 (first 300 elements)",
	"LRANGE_500 (first 450 elements)", "LRANGE_600 (first 600 elements)", "MSET (10 keys)",
	"RPUSH", "RPOP", "HSET", "ZADD", "ZPOPMIN", "XADD",
}

// share is what a placement keeps of native's throughput here: about what was measured.
var share = map[string]float64{
	plan.Native: 1, plan.Pinned: 1.02, plan.DockerNAT: 0.42, plan.DockerDirect: 0.91, plan.DockerHost: 0.96, plan.Existing: 0.88,
}

func newBench(tests []string, placements []string, payloads []int, pipelines []int, rounds int) *bench {
	at := time.Date(2026, 11, 30, 20, 25, 51, 0, time.UTC)
	b := &bench{run: &result.Run{}}
	p := plan.Plan{Name: "quick", Rounds: rounds, Loads: []plan.Load{{Seconds: 1}}}
	for _, name := range placements {
		p.Variants = append(p.Variants, plan.Variant{Label: name, Service: plan.Redis, Placement: name})
	}
	b.run.Add(result.Event{Type: result.TypeRun, At: at, Run: &result.RunEvent{Schema: 1, ID: "20261130-202551-quick-1f3a", Berth: "0.1.0", Plan: p}})
	for _, name := range placements {
		b.run.Add(result.Event{Type: result.TypeServer, At: at, Server: &result.ServerEvent{Round: 1, Variant: name,
			Facts: host.Facts{"redis.version": "7.0.15", "redis.persistence": "none"}}})
	}
	for vi, name := range placements {
		for ti, test := range tests {
			for _, payload := range payloads {
				for _, pipeline := range pipelines {
					rps := 121304 * share[name] * (1 - 0.013*float64(ti%7)) * float64(pipeline)
					if len(test) > 10 && test[:6] == "LRANGE" {
						rps *= 0.14 / (1 + 0.3*float64(ti%5))
					}
					rps *= 1 - float64(payload)/5000
					row := result.SummaryRow{Variant: name, Service: plan.Redis, Placement: name, Cell: plan.Cell{Test: test, PayloadBytes: payload,
						Pipeline: pipeline, Clients: 50}, Samples: rounds, RPS: &rps, Reference: placements[0]}
					if rounds >= 6 {
						row.RPSLow, row.RPSHigh = ptr(rps*0.96), ptr(rps*(1.03+0.01*float64(vi)))
					}
					row.P50, row.P95, row.P99 = ptr(50000/rps), ptr(81000/rps), ptr(140000/rps)
					if vi > 0 {
						row.Ratio = ptr(share[name])
						row.RatioLow, row.RatioHigh = ptr(share[name]*0.97), ptr(share[name]*1.03)
						row.Verdict = result.Slower
					} else {
						row.Verdict = result.Reference
					}
					b.rows = append(b.rows, row)
				}
			}
		}
		if vi > 0 {
			verdict := result.NoDifference
			if math.Abs(share[name]-1) > 0.05 {
				verdict = result.Slower
			}
			b.comparisons = append(b.comparisons, result.ComparisonRow{A: name, B: placements[0], Metric: "rps", Rounds: rounds,
				Ratio: ptr(share[name]), RatioLow: ptr(share[name] * 0.97), RatioHigh: ptr(share[name] * 1.03), Verdict: verdict})
		}
	}
	return b
}

// withClients repeats the rows with so many clients, as a server that takes its
// throughput at 50 of them answers: what one gets of it grows until the server has no more
// to give, and then all wait.
func (b *bench) withClients(counts []int) *bench {
	var rows []result.SummaryRow
	for _, row := range b.rows {
		for _, n := range counts {
			most, alone := *row.RPS, *row.RPS/8
			rps := most * (1 - math.Exp(-float64(n)*alone/most))
			at := row
			at.Clients, at.RPS, at.RPSLow, at.RPSHigh = n, ptr(rps), nil, nil
			at.P50, at.P99 = ptr(1000*float64(n)/rps*0.95), ptr(1000*float64(n)/rps*(1.6+float64(n)/100))
			rows = append(rows, at)
		}
	}
	b.rows = rows
	return b
}

// withRates repeats the rows at so many requests a second, 0 as fast as it goes: a server
// keeps up until it has no more to give, and then what is due waits.
func (b *bench) withRates(rates []int) *bench {
	var rows []result.SummaryRow
	for _, row := range b.rows {
		for _, rate := range rates {
			most := *row.RPS
			at := row
			at.Rate, at.RPSLow, at.RPSHigh = rate, nil, nil
			switch share := float64(rate) / most; {
			case rate == 0:
			case share < 1:
				at.RPS, at.P50, at.P99 = ptr(float64(rate)), ptr(0.05+0.02/(1-share)), ptr(0.12+0.1/(1-share))
			default:
				at.RPS, at.P50, at.P99 = ptr(most), ptr(500*(share-1)+2), ptr(990*(share-1)+5)
			}
			rows = append(rows, at)
		}
	}
	b.rows = rows
	return b
}

// withSamples gives the rows samples that they could come from.
func (b *bench) withSamples(latencies bool) *bench {
	random := rand.New(rand.NewPCG(1, 7))
	for i, row := range b.rows {
		before := len(b.run.Samples)
		b.addSamples(row, random, latencies)
		var rates []float64
		for _, s := range b.run.Samples[before:] {
			rates = append(rates, s.RPS())
		}
		slices.Sort(rates)
		b.rows[i].RPS = ptr((rates[(len(rates)-1)/2] + rates[len(rates)/2]) / 2)
	}
	return b
}

func (b *bench) addSamples(row result.SummaryRow, random *rand.Rand, latencies bool) {
	for round := range row.Samples {
		rps := *row.RPS * (1 + 0.03*random.NormFloat64())
		latency := ""
		if latencies {
			latency = histogram(rps, random)
		}
		s := result.Sample{Round: round + 1, Variant: row.Variant, Service: row.Service, Placement: row.Placement, Latency: latency,
			Workload: plan.Workload{Test: row.Test, PayloadBytes: row.PayloadBytes, Pipeline: row.Pipeline, Clients: row.Clients},
			Requests: int64(rps), Elapsed: time.Second, ServerCPU: ptr(97), ClientCPU: ptr(55 * share[row.Placement])}
		if row.Placement == plan.DockerNAT {
			s.ServerCPU, s.ProxyCPU = ptr(52), ptr(88)
		}
		b.run.Samples = append(b.run.Samples, s)
	}
}

// withEvents lays the samples out in time, round by round, with ticks in those of
// the first test.
func (b *bench) withEvents() *bench {
	at := time.Date(2026, 11, 30, 20, 26, 0, 0, time.UTC)
	add := func(after time.Duration, e result.Event) {
		at = at.Add(after)
		e.At = at
		b.run.Events = append(b.run.Events, e)
	}
	for round := 1; round <= b.rows[0].Samples; round++ {
		add(0, result.Event{Type: result.TypeRound, Round: &result.RoundEvent{Round: round}})
		for _, s := range b.run.Samples {
			if s.Round != round {
				continue
			}
			add(time.Second, result.Event{Type: result.TypePhase, Phase: &result.PhaseEvent{Phase: result.PhaseMeasuring}})
			if s.Workload.Test == b.rows[0].Test {
				for i := range 5 {
					add(time.Second/5, result.Event{Type: result.TypeTick, Tick: &result.TickEvent{RPS: s.RPS() * (0.96 + 0.02*float64(i))}})
				}
			} else {
				at = at.Add(s.Elapsed)
			}
			add(0, result.Event{Type: result.TypeSample, Sample: &s})
		}
		at = at.Add(3 * time.Second)
	}
	return b
}

// histogram of some requests at a rate, as a sample keeps it.
func histogram(rps float64, random *rand.Rand) string {
	h := hdrhistogram.New(1, 60_000_000, 3)
	for range 4000 {
		us := 50_000_000 / rps * math.Exp(0.35*random.NormFloat64())
		if err := h.RecordValue(int64(min(max(1, us), 59e6))); err != nil {
			panic(err)
		}
	}
	latency, err := result.EncodeHistogram(h)
	if err != nil {
		panic(err)
	}
	return latency
}

func ptr(v float64) *float64 { return &v }

// A scene is one picture: looked at by eye, and kept as golden.
type scene struct {
	name   string
	figure string
	bench  *bench
	o      Options
}

var (
	two   = []string{plan.Native, plan.DockerNAT}
	four  = []string{plan.Native, plan.Pinned, plan.DockerNAT, plan.DockerHost}
	five  = []string{plan.Native, plan.Pinned, plan.DockerNAT, plan.DockerDirect, plan.DockerHost}
	six   = append(append([]string{}, five...), plan.Existing)
	quick = []string{"PING_INLINE", "SET", "GET", "LRANGE_100 (first 100 elements)"}
)

func scenes() []scene {
	one := []int{1}
	hundred := []int{100}
	var out []scene
	add := func(name, figure string, b *bench, o Options) {
		out = append(out, scene{name, figure, b, o})
	}
	add("one-bar", Throughput, newBench([]string{"SET"}, []string{plan.Native}, hundred, one, 1), Options{Width: 900, Height: 420})
	add("quick", Throughput, newBench(quick, four, hundred, one, 4), Options{})
	for _, theme := range []string{Dark, Print} {
		add("quick-"+theme, Throughput, newBench(quick, four, hundred, one, 6), Options{Theme: theme, Width: 1280, Height: 720})
	}
	add("classic", Throughput, newBench(classic[:15], five, hundred, one, 6), Options{})
	add("classic-window", Throughput, newBench(classic[:15], five, hundred, one, 6), Options{Width: 860, Height: 480})
	add("largest", Throughput, newBench(classic, six, hundred, one, 6), Options{Width: 1600, Height: 900})
	add("payloads", Throughput, newBench(quick, four, []int{100, 500}, one, 6), Options{})
	add("payloads-classic", Throughput, newBench(classic[:15], five[:3], []int{100, 500}, one, 6), Options{Width: 1600, Height: 900})
	add("pipelines", Throughput, newBench(quick, two, hundred, []int{1, 16}, 6), Options{Width: 1280, Height: 720})
	add("small", Throughput, newBench(quick, four, hundred, one, 4), Options{Width: 480, Height: 320})
	add("p99", Throughput, newBench(quick, four, hundred, one, 4), Options{Metric: MetricP99, Width: 1280, Height: 720})

	absent := newBench(quick, four, hundred, one, 4)
	absent.rows[1].RPS, absent.rows[1].Ratio = ptr(0), ptr(0)
	absent.rows[6].RPS = nil
	absent.rows[9].RPS = ptr(math.NaN())
	absent.rows[10].Ratio = ptr(math.Inf(1))
	absent.run.Failures = []result.FailureEvent{{Variant: plan.DockerNAT, Workload: &plan.Workload{Test: "SET", PayloadBytes: 100, Pipeline: 1, Clients: 50}, Text: "reset"}}
	absent.rows[2].Flags = []string{result.FlagClientBound}
	absent.rows[3].Flags = []string{result.FlagClientBound, result.FlagCPUsShared}
	add("absent", Throughput, absent, Options{Width: 1280, Height: 720})

	zero := newBench(quick, two, hundred, one, 4)
	for i := range zero.rows {
		zero.rows[i].RPS, zero.rows[i].Ratio = ptr(0), nil
	}
	zero.comparisons = nil
	add("all-zero", Throughput, zero, Options{Width: 900, Height: 480})

	names := newBench(quick[:2], four, hundred, one, 6)
	names.run.Edits = map[string]string{
		"title":                 "Was kostet der Container? Größe & <Wert> \"é\" 日本語 한국어 with a title that goes on and on until it has to be broken over two lines",
		"name:" + plan.Native:   "redis-server 7.0.15 started by hand on the host, default configuration, jemalloc 5.2.1, transparent huge pages off",
		"name:docker-nat":       "Docker <b>published</b> & proxied",
		"name:" + plan.Pinned:   "绑核",
		"name:docker-host":      "rocket 🚀 host",
		"name:" + plan.Existing: "x",
	}
	add("names", Throughput, names, Options{Width: 1280, Height: 720})

	for _, lang := range []string{"zh-Hans", "zh-Hant"} {
		add("quick-"+lang, Throughput, newBench(quick, four, hundred, one, 6), Options{Lang: lang, Width: 1280, Height: 720})
	}
	for _, figure := range []string{Relative, Rounds, Latency, CPU} {
		add(figure, figure, newBench(quick, four, hundred, one, 6).withSamples(true), Options{})
		add(figure+"-largest", figure, newBench(classic, six, hundred, one, 6).withSamples(false), Options{Width: 1600, Height: 900, Theme: Print})
	}
	add("distribution", Distribution, newBench(quick, four, hundred, one, 4).withSamples(true), Options{})
	add("distribution-print", Distribution, newBench(quick[:1], four, hundred, one, 4).withSamples(true), Options{Width: 900, Height: 560, Theme: Print})
	add("time", Time, newBench(quick, four, hundred, one, 6).withSamples(false).withEvents(), Options{Width: 1280, Height: 720})
	add("time-classic", Time, newBench(classic[:15], five, hundred, one, 4).withSamples(false).withEvents(), Options{Theme: Dark})
	add("sweep", "sweep-payload", newBench(quick, four, []int{10, 100, 1000, 2000, 4000}, one, 6), Options{})
	add("sweep-two", "sweep-pipeline", newBench(quick[:2], two, []int{100, 500}, []int{1, 4, 16, 64}, 6), Options{Width: 1280, Height: 720})
	loads := []int{1, 2, 5, 10, 20, 50, 100, 200}
	add("load-curve", LoadCurve, newBench(quick[1:3], four, hundred, one, 6).withClients(loads), Options{})
	add("load-curve-many", LoadCurve, newBench(quick, six, hundred, one, 6).withClients(loads), Options{Width: 1280, Height: 720, Theme: Dark})
	add("load-curve-print", LoadCurve, newBench(quick[:1], two, hundred, one, 3).withClients(loads[:3]), Options{Width: 640, Height: 400, Theme: Print})
	rates := []int{0, 10_000, 20_000, 40_000, 60_000, 80_000, 100_000}
	add("load-curve-rates", LoadCurve, newBench(quick[1:3], four, hundred, one, 6).withRates(rates), Options{})
	add("sweep-rate", "sweep-rate", newBench(quick[1:3], four, hundred, one, 6).withRates(rates), Options{Width: 1280, Height: 720})
	add("sweep-clients", "sweep-clients", newBench(quick[1:3], four, hundred, one, 6).withClients(loads), Options{Width: 1280, Height: 720, Lang: "zh-Hans"})
	add("path", Path, newBench(quick, five, hundred, one, 6).withSamples(false), Options{Width: 1280, Height: 560})
	withMySQL := newBench(quick, two, hundred, one, 6)
	withMySQL.run.Plan.Variants = append(withMySQL.run.Plan.Variants, plan.Variant{Label: plan.MySQL, Service: plan.MySQL, Placement: plan.Native})
	withMySQL.rows = append(withMySQL.rows, result.SummaryRow{Variant: plan.MySQL, Service: plan.MySQL, Placement: plan.Native,
		Cell: plan.Cell{Test: "oltp_read_write", Clients: 4}, Samples: 6, RPS: ptr(16432), Reference: plan.Native, Verdict: result.Reference})
	withMySQL.run.Failures = []result.FailureEvent{{Variant: plan.MySQL, Workload: &plan.Workload{Test: "oltp_read_write", Clients: 4}, Text: "gone away"}}
	add("baseline", Baseline, withMySQL, Options{Width: 1280, Height: 720})
	add("without-baseline", Throughput, withMySQL, Options{Width: 900, Height: 480})
	both := answered()
	add("answers", Baseline, &bench{run: both, rows: stats.Summarize(both, ""), comparisons: stats.Compare(both, "")}, Options{})
	demo := newBench(quick, []string{plan.StandIn}, hundred, one, 4)
	for i := range demo.rows {
		demo.rows[i].RPS = ptr(80000 - 7000*float64(i))
		demo.rows[i].Flags = []string{result.FlagStandIn}
	}
	// Every figure in every theme, small.
	plain := func() *bench { return newBench(quick[1:3], five, hundred, one, 6) }
	of := map[string]*bench{
		Baseline: plain().addMySQL("oltp_read_write"), LoadCurve: plain().withClients(loads[3:]),
		"sweep-payload":  newBench(quick[1:3], five, []int{10, 100, 1000}, one, 6),
		"sweep-pipeline": newBench(quick[1:3], five, hundred, []int{1, 4, 16}, 6),
		"sweep-clients":  plain().withClients(loads), "sweep-rate": plain().withRates(rates[1:]),
	}
	for _, figure := range All() {
		b := of[figure]
		if b == nil {
			b = sampled(plain())
		}
		for _, theme := range []string{Light, Dark, Print} {
			add("each-"+figure+"-"+theme, figure, b, Options{Width: 640, Height: 420, Theme: theme})
		}
	}
	add("stand-in", Throughput, demo, Options{Width: 1000, Height: 560})
	return out
}

func (s scene) draw() (*Figure, error) {
	f, err := drawRows(s.figure, s.bench.run, s.bench.rows, s.bench.comparisons, s.o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return f, nil
}
