package run

import (
	"context"
	"errors"
	"math"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/agent"
	"berth/core/host"
	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/server"
	"berth/core/text"
)

// benchmarkProgram is what Berth's own load is checked against.
const benchmarkProgram = "redis-benchmark"

// checkPairs is how often both tools take their turn in a check, and checkTurn how
// long a turn lasts at least.
const (
	checkPairs = 3
	checkTurn  = time.Second
)

// A Checked is what Berth's load and redis-benchmark each reached on one server, started as
// a run's variant was, on the same CPUs, in turn: medians over Turns.
type Checked struct {
	Variant          string
	Workload         plan.Workload
	Turns            int // of each
	Busy             int // of both: those in which other work used the CPUs
	Berth, Benchmark Tool
}

// A Tool is what one of the two did.
type Tool struct {
	RPS         float64
	Least, Most float64 // requests a second of its slowest and its fastest turn
	// CPU used meanwhile, in percent of one core; nil is unknown.
	ClientCPU, ServerCPU, ProxyCPU *float64
	PerRequest                     time.Duration // of client CPU; 0 is unknown
	Bottleneck                     string        // result's, in most turns
}

// Limits that a check can find.
const (
	CheckBenchmark = "benchmark" // redis-benchmark was at the limit of its CPU, Berth's load was not
	CheckBoth      = "both"      // so were both
	CheckBerth     = "berth"     // Berth's load alone was
	CheckNeither   = "neither"   // something else was the limit: the server, docker-proxy, the machine, waiting
)

// Limit says which of the two was the limit.
func (c Checked) Limit() string {
	benchmark, berth := c.Benchmark.Bottleneck == result.BottleneckClient, c.Berth.Bottleneck == result.BottleneckClient
	switch {
	case benchmark && berth:
		return CheckBoth
	case benchmark:
		return CheckBenchmark
	case berth:
		return CheckBerth
	}
	return CheckNeither
}

// Text says what c shows in a sentence; name is the variant's for people.
func (c Checked) Text(words *text.Catalogue, name string) string {
	return words.T("run.check-"+c.Limit(), text.Args{"Variant": name, "Test": c.Workload.Test,
		"Percent": strconv.Itoa(int(math.Round(100 * math.Abs(c.Berth.RPS/max(1, c.Benchmark.RPS)-1)))), "Fewer": c.Berth.RPS < c.Benchmark.RPS,
		"Limit": words.T("run.limit-" + c.Berth.Bottleneck)}) + c.busy(words)
}

// busy says that other work spoils c, if there was some.
func (c Checked) busy(words *text.Catalogue) string {
	if c.Busy == 0 {
		return ""
	}
	return words.T("run.check-busy", text.Args{"Busy": c.Busy, "Turns": 2 * c.Turns})
}

// Checkable are the workloads of r's variant that redis-benchmark can be given too: as fast
// as possible, on a server that Berth starts, and not of a test that empties what it pops from, since
// redis-benchmark does not fill it again.
func Checkable(r *result.Run, variant string) []plan.Workload {
	v, ok := r.Plan.Variant(variant)
	if !ok || v.Service != plan.Redis || v.Placement == plan.Existing || v.Placement == plan.StandIn {
		return nil
	}
	var all []plan.Workload
	for _, w := range r.Plan.Workloads(v) {
		test, err := redisload.Lookup(r.Plan.Load(w.Load).Suite, w.Test)
		if err == nil && w.Rate == 0 && benchmarkTest(test) != nil && slices.ContainsFunc(r.Samples, func(s result.Sample) bool {
			return s.Variant == variant && s.Workload.Cell() == w.Cell()
		}) {
			all = append(all, w)
		}
	}
	return all
}

// ToCheck is the variant and the workload of r where a check says most: the one most of whose samples
// were limited by the client, and among those alike the fastest. limited is how many of its
// samples were; ok is false where nothing can be checked.
func ToCheck(r *result.Run) (variant string, w plan.Workload, limited int, ok bool) {
	fastest := 0.0
	for _, v := range r.Plan.Variants {
		for _, candidate := range Checkable(r, v.Label) {
			n, rps := 0, 0.0
			for i := range r.Samples {
				s := &r.Samples[i]
				if s.Variant != v.Label || s.Workload.Cell() != candidate.Cell() {
					continue
				}
				rps = max(rps, s.RPS())
				if s.Bottleneck == result.BottleneckClient {
					n++
				}
			}
			if !ok || n > limited || n == limited && rps > fastest {
				variant, w, limited, fastest, ok = v.Label, candidate, n, rps, true
			}
		}
	}
	return variant, w, limited, ok
}

// benchmarkTest are the arguments that make redis-benchmark send test; nil where it would not send
// the same. Its own LRANGE tests fill the list first, within the same process: the command
// itself, on the list that Berth left, is what Berth sends.
func benchmarkTest(test redisload.Test) []string {
	switch {
	case strings.HasSuffix(test.Name, "POP"), strings.HasPrefix(test.Name, "ZPOP"), strings.HasPrefix(test.Name, "LPUSH_"):
		return nil
	case strings.HasPrefix(test.Name, "LRANGE"):
		return test.Args
	case strings.HasPrefix(test.Name, "PING") && !test.Inline:
		return []string{"-t", "ping_mbulk"}
	}
	return []string{"-t", strings.ToLower(test.Name)}
}

// Check starts r's variant again as r has it, and loads it with w by Berth's agent and by
// redis-benchmark in turn, both on the agent's CPUs and with its number of threads. say, which may be nil,
// is told what is being done, for people. Nothing of it is left, however it ends.
func Check(ctx context.Context, r *result.Run, variant string, w plan.Workload, lang string, say func(string)) (c *Checked, err error) {
	words := text.For(lang)
	tell := func(id string, args text.Args) {
		if say != nil {
			say(words.T(id, args))
		}
	}
	program, err := exec.LookPath(benchmarkProgram)
	if err != nil {
		return nil, text.Err("run.check-no-benchmark", nil, nil)
	}
	v, _ := r.Plan.Variant(variant)
	if !slices.Contains(Checkable(r, variant), w) {
		return nil, text.Err("run.check-unfit", text.Args{"Variant": variant, "Test": w.Test}, nil)
	}
	if err := available(ctx, []plan.Variant{v}); err != nil {
		return nil, err
	}
	s := newSession(ctx, r.Plan, Options{Lang: lang}, nil, r)
	defer s.cancel(nil)
	s.place(host.ReadTopology())
	s.launcher, err = server.NewLauncher(ctx, server.Options{RunID: r.ID, Host: s.plan.Host, Port: s.plan.Port, Lang: lang, Variants: []plan.Variant{v}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.launcher.Close()) }()
	if err := s.launcher.Prepare(ctx, []plan.Variant{v}, say); err != nil {
		return nil, err
	}
	tell("run.check-starting", text.Args{"Variant": result.Name(r, variant, words)})
	srv, err := s.launcher.Start(ctx, v)
	if err != nil {
		return nil, err
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, srv.Stop(stopping))
	}()
	guest := srv.Endpoint
	if guest.User, guest.Password, err = srv.Guest(ctx); err != nil {
		return nil, err
	}
	w.Requests, w.Duration = 0, max(w.Duration, checkTurn)
	var ours, theirs []result.Sample
	for turn := 1; turn <= checkPairs; turn++ {
		args := text.Args{"Turn": turn, "Turns": checkPairs}
		tell("run.check-berth-turn", args)
		own, err := s.checkBerth(ctx, srv, w)
		if err != nil {
			return nil, err
		}
		tell("run.check-benchmark-turn", args)
		other, err := s.checkBenchmark(ctx, program, srv, guest, w, own.RPS())
		if err != nil {
			return nil, err
		}
		ours, theirs = append(ours, *own), append(theirs, *other)
	}
	busy := 0
	for _, s := range slices.Concat(ours, theirs) {
		if otherWork(&s) > muchOtherWork {
			busy++
		}
	}
	return &Checked{Variant: variant, Workload: w, Turns: checkPairs, Busy: busy, Berth: toolOf(ours), Benchmark: toolOf(theirs)}, nil
}

// checkBerth measures w with an agent, and leaves the keys for redis-benchmark.
func (s *session) checkBerth(ctx context.Context, srv *server.Server, w plan.Workload) (*result.Sample, error) {
	running, release := whileRunning(ctx, srv)
	defer release()
	job := s.job(1, srv, w)
	job.Redis.Cleanup = false
	res, err := agent.Run(running, job, nil)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err == nil:
		err = srv.Failure()
	}
	if err == nil && res.Cut != "" {
		err = text.Err("run.cut", text.Args{"Reason": res.Cut}, nil)
	}
	if err != nil {
		return nil, err
	}
	return s.measured(1, srv, w, res), nil
}

// checkBenchmark has redis-benchmark send as many requests as Berth's rate makes in w's time.
func (s *session) checkBenchmark(ctx context.Context, program string, srv *server.Server, as server.Endpoint, w plan.Workload, rps float64) (*result.Sample, error) {
	requests := max(int64(rps*w.Duration.Seconds()), 1000)
	args, err := s.benchmarkArgs(as, w, requests)
	if err != nil {
		return nil, err
	}
	running, release := whileRunning(ctx, srv)
	defer release()
	cmd := exec.CommandContext(running, program, args...)
	cmd.WaitDelay = time.Second
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	before := readUse(srv)
	began := time.Now()
	if err = host.Bound(s.agent.CPUs, cmd.Start); err == nil {
		err = cmd.Wait()
	}
	wall := time.Since(began)
	m := readUse(srv).since(before, wall)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if failed := srv.Failure(); failed != nil {
		return nil, failed
	}
	rate, readable := benchmarkRate(out.String())
	if err != nil || !readable {
		return nil, text.Err("run.check-failed", text.Args{"Log": text.Line(strings.TrimSpace(said.String()+" "+out.String()), 200)}, err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.ClientCPU = share(used, wall)
	m.Requests, m.Elapsed, m.AgentThreads = requests, time.Duration(float64(requests)/rate*float64(time.Second)), s.agent.Threads
	m.Bottleneck = result.Bottleneck(m, s.cpus)
	return &m, nil
}

func (s *session) benchmarkArgs(e server.Endpoint, w plan.Workload, requests int64) ([]string, error) {
	test, err := redisload.Lookup(s.plan.Load(w.Load).Suite, w.Test)
	if err != nil {
		return nil, err
	}
	args := []string{"-s", e.Address}
	if e.Network != "unix" {
		h, port, err := net.SplitHostPort(e.Address)
		if err != nil {
			return nil, err
		}
		args = []string{"-h", h, "-p", port}
	}
	args = append(args, "--user", e.User, "-a", e.Password, "-n", strconv.FormatInt(requests, 10), "-c", strconv.Itoa(w.Clients), "-P", strconv.Itoa(w.Pipeline), "-d", strconv.Itoa(w.PayloadBytes), "--csv")
	if w.Keyspace > 0 {
		args = append(args, "-r", strconv.FormatInt(w.Keyspace, 10))
	}
	if s.agent.Threads > 1 {
		args = append(args, "--threads", strconv.Itoa(s.agent.Threads))
	}
	return append(args, benchmarkTest(test)...), nil
}

// benchmarkRate reads the requests a second from redis-benchmark --csv: the second field of
// the last line.
func benchmarkRate(out string) (float64, bool) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	fields := strings.Split(strings.TrimSpace(lines[len(lines)-1]), `","`)
	if len(fields) < 2 {
		return 0, false
	}
	rate, err := strconv.ParseFloat(strings.Trim(fields[1], `"`), 64)
	return rate, err == nil && rate > 0
}

// A use is what CPU meters say beside redis-benchmark at one moment; nil is unknown.
type use struct {
	server, proxy *time.Duration
	machine       *host.Meter
}

func readUse(srv *server.Server) use {
	var u use
	sum := func(pids []int) *time.Duration {
		var all time.Duration
		for _, pid := range pids {
			used, err := host.ProcessCPU(pid)
			if err != nil {
				return nil
			}
			all += used
		}
		if len(pids) == 0 {
			return nil
		}
		return &all
	}
	u.server, u.proxy = sum(srv.PIDs), sum(srv.ProxyPIDs)
	if m, err := host.ReadMeter(); err == nil {
		u.machine = &m
	}
	return u
}

// since is a sample with the CPU used between two readings.
func (u use) since(before use, wall time.Duration) result.Sample {
	var s result.Sample
	if u.server != nil && before.server != nil {
		s.ServerCPU = share(*u.server-*before.server, wall)
	}
	if u.proxy != nil && before.proxy != nil {
		s.ProxyCPU = share(*u.proxy-*before.proxy, wall)
	}
	if u.machine != nil && before.machine != nil {
		if busy, steal, ok := host.Machine(*before.machine, *u.machine); ok {
			s.MachineCPU, s.Steal = &busy, &steal
		}
	}
	return s
}

func share(used, of time.Duration) *float64 {
	if of <= 0 {
		return nil
	}
	percent := 100 * used.Seconds() / of.Seconds()
	return &percent
}

// toolOf has the medians of samples.
func toolOf(samples []result.Sample) Tool {
	of := func(get func(result.Sample) *float64) *float64 {
		var all []float64
		for _, s := range samples {
			if x := get(s); x != nil {
				all = append(all, *x)
			}
		}
		if len(all) < len(samples) {
			return nil
		}
		slices.Sort(all)
		return &all[len(all)/2]
	}
	rps := of(func(s result.Sample) *float64 { x := s.RPS(); return &x })
	slowest, fastest := math.Inf(1), 0.0
	for _, s := range samples {
		slowest, fastest = min(slowest, s.RPS()), max(fastest, s.RPS())
	}
	t := Tool{RPS: *rps, Least: slowest, Most: fastest,
		ClientCPU: of(func(s result.Sample) *float64 { return s.ClientCPU }),
		ServerCPU: of(func(s result.Sample) *float64 { return s.ServerCPU }),
		ProxyCPU:  of(func(s result.Sample) *float64 { return s.ProxyCPU }),
	}
	if t.ClientCPU != nil && t.RPS > 0 {
		t.PerRequest = time.Duration(*t.ClientCPU / 100 / t.RPS * float64(time.Second))
	}
	count := map[string]int{}
	for _, s := range samples {
		if count[s.Bottleneck]++; count[s.Bottleneck] > count[t.Bottleneck] || t.Bottleneck == "" {
			t.Bottleneck = s.Bottleneck
		}
	}
	return t
}
