package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"berth/core/agent"
	"berth/core/need"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/text"
)

// A realRedis is a redis-server of the test's own.
type realRedis struct {
	port    string
	folder  string
	control *redis.Client
}

// freePort is a loopback port that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// startRedis starts one on a free loopback port; it ends with the test.
func startRedis(t *testing.T, options ...string) *realRedis {
	t.Helper()
	need.Redis(t)
	port := freePort(t)
	r := &realRedis{port: port, folder: t.TempDir()}
	args := append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", r.folder, "--save", "", "--logfile", filepath.Join(r.folder, "log")}, options...)
	cmd := exec.Command("redis-server", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	r.control = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, Protocol: 2, PoolSize: 1, MaxRetries: -1})
	t.Cleanup(func() { r.control.Close() })
	for until := time.Now().Add(5 * time.Second); ; {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
			return r
		}
		if time.Now().After(until) {
			log, _ := os.ReadFile(filepath.Join(r.folder, "log"))
			t.Fatalf("redis-server does not start: %v\n%s", err, log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (r *realRedis) do(t *testing.T, args ...any) {
	t.Helper()
	if err := r.control.Do(context.Background(), args...).Err(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// calls is how often a server carried a command out.
func (r *realRedis) calls(t *testing.T, command string) int {
	t.Helper()
	info, err := r.control.Info(context.Background(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`cmdstat_` + command + `:calls=(\d+)`).FindStringSubmatch(info)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// load runs berth load against r.
func (r *realRedis) load(t *testing.T, args ...string) said {
	t.Helper()
	return berth(t, machine{}, append([]string{"load", "-p", r.port}, args...)...)
}

// withoutFigures replaces what differs from run to run, and leaves of each
// distribution its first line.
func withoutFigures(s string) string {
	s = regexp.MustCompile(` *\d+\.\d+`).ReplaceAllString(s, " N")
	s = regexp.MustCompile(`<= \d+ milliseconds`).ReplaceAllString(s, "<= N milliseconds")
	s = regexp.MustCompile(`cumulative count \d+`).ReplaceAllString(s, "cumulative count N")
	return regexp.MustCompile(`(?m)(^.*% <= N milliseconds.*\n)(.*% <= N milliseconds.*\n)+`).ReplaceAllString(s, "$1")
}

func TestLoadPrintsAsRedisBenchmarkDoes(t *testing.T) {
	r := startRedis(t)
	for _, compat := range []string{"2.8", "7"} {
		for name, flag := range map[string]string{"quiet": "-q", "csv": "--csv", "full": "-e"} {
			s := r.load(t, "-t", "ping,set,lrange_100,mset", "-n", "2000", "--compat", compat, flag)
			if s.code != exitDone {
				t.Fatalf("%s: exit code %d: %s", name, s.code, s.err)
			}
			golden(t, "load-"+compat+"-"+name+".out", withoutFigures(s.out))
		}
	}
}

// theReal runs redis-benchmark, and leaves out the progress that it rewrites.
func theReal(t *testing.T, port string, args ...string) string {
	t.Helper()
	need.RedisBenchmark(t)
	out, err := exec.Command("redis-benchmark", append([]string{"-p", port}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		b.WriteString(line[strings.LastIndex(line, "\r")+1:])
	}
	return withoutFigures(b.String())
}

// TestARealRedisBenchmarkPrintsTheSame compares every byte but the figures.
// XADD came to redis-benchmark with 7.2: an older one does not have that last test.
func TestARealRedisBenchmarkPrintsTheSame(t *testing.T) {
	r := startRedis(t)
	need.RedisBenchmark(t)
	version, err := exec.Command("redis-benchmark", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"the suite, quiet": {"-n", "1000", "-q"},
		"the suite, CSV":   {"-n", "1000", "--csv"},
		"the suite, full":  {"-n", "1000"},
		"tests of choice":  {"-n", "1000", "-q", "-t", "mset,lrange,ping,GET"},
		"one of a group":   {"-n", "1000", "--csv", "-t", "lrange_300"},
		"two threads":      {"-n", "1000", "-t", "set", "--threads", "2"},
		"one thread":       {"-n", "1000", "-t", "set", "--threads", "1"},
		"new connections":  {"-n", "1000", "-t", "set", "-k", "0"},
		"own command":      {"-n", "1000", "-r", "10", "SET", "key:__rand_int__", "v"},
		"own, CSV":         {"-n", "1000", "--csv", "HSET", "h", "f", "Ünï"},
		"own, quiet":       {"-n", "1000", "-q", "ZADD", "z", "1", "a"},
	} {
		want := theReal(t, r.port, args...)
		got := r.load(t, args...)
		if got.code != exitDone {
			t.Errorf("%s: exit code %d: %s", name, got.code, got.err)
		}
		ours := withoutFigures(got.out)
		if regexp.MustCompile(`^redis-benchmark (6|7\.0)`).Match(version) {
			ours = regexp.MustCompile(`(?ms)^("XADD",.*?\n|XADD: .*?\n|====== XADD =.*?max\n.*?\n)`).ReplaceAllString(ours, "")
		}
		if diff := cmp.Diff(want, ours); diff != "" {
			t.Errorf("%s (-redis-benchmark +berth):\n%s", name, diff)
		}
	}
}

func TestXADDComesLastWhereTheServerHasIt(t *testing.T) {
	if s := startRedis(t).load(t, "-n", "1000", "--csv"); !strings.Contains(s.out, "\n\"XADD\",") || strings.Count(s.out, "\n") != 22 {
		t.Errorf("the suite has %d lines, want a header and 21:\n%s", strings.Count(s.out, "\n"), s.out)
	}
	without := startRedis(t, "--rename-command", "XADD", "")
	if s := without.load(t, "-n", "1000", "--csv"); s.code != exitDone || strings.Contains(s.out, "XADD") || strings.Count(s.out, "\n") != 21 {
		t.Errorf("exit code %d, %d lines, want a header and 20:\n%s%s", s.code, strings.Count(s.out, "\n"), s.out, s.err)
	}
}

func TestRequestsAreExactAsTheServerCountsThem(t *testing.T) {
	r := startRedis(t)
	for _, more := range [][]string{{"-P", "1"}, {"-P", "7"}, {"-P", "100"}, {"-P", "7", "-c", "5000"}, {"-P", "7", "--threads", "3"}, {"-k", "0"}, {"-P", "7", "--json"}} {
		r.do(t, "CONFIG", "RESETSTAT")
		s := r.load(t, append([]string{"-n", "3001", "-c", "13", "-t", "set,incr", "-q"}, more...)...)
		if s.code != exitDone {
			t.Errorf("%v: exit code %d: %s", more, s.code, s.err)
		}
		if set, incr := r.calls(t, "set"), r.calls(t, "incr"); set != 3001 || incr != 3001 {
			t.Errorf("%v: the server counts %d SET and %d INCR, want 3001", more, set, incr)
		}
	}
}

func TestNothingIsPreparedOrRemovedUnlessAskedFor(t *testing.T) {
	r := startRedis(t)
	r.do(t, "CONFIG", "RESETSTAT")
	if s := r.load(t, "-n", "1000", "-t", "set,lpop,get", "-q"); s.code != exitDone || !strings.Contains(s.err, "LPOP: 1,000 of 1,000 replies were nil") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if n := r.calls(t, "rpush") + r.calls(t, "unlink") + r.calls(t, "del"); n != 0 {
		t.Errorf("%d commands prepared or removed something", n)
	}
	if v, err := r.control.Get(context.Background(), "key:__rand_int__").Result(); err != nil || len(v) != 3 {
		t.Errorf("the key holds %q: %v", v, err)
	}
	r.do(t, "FLUSHALL")
	if s := r.load(t, "-n", "1000", "-t", "lpop,spop,get", "-q", "--prefill", "--prefix", "mine:"); s.code != exitDone || strings.Contains(s.err, "nil") {
		t.Errorf("exit code %d: %s", s.code, s.err)
	}
	if n := r.control.DBSize(context.Background()).Val(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

func TestADatabaseThatHoldsDataIsWarnedOfBeforeItIsWrittenTo(t *testing.T) {
	r := startRedis(t)
	r.do(t, "SET", "somebodys", "1")
	warning := "database 0 of 127.0.0.1:" + r.port + " holds 1 key, and this load writes to it"
	for _, c := range []struct {
		args  []string
		warns bool
	}{
		{[]string{"-t", "get"}, false},
		{[]string{"GET", "somebodys"}, false},
		{[]string{"-t", "set", "--dbnum", "1"}, false},
		{[]string{"-t", "incr", "--prefix", "mine:"}, false},
		{[]string{"PING"}, false},
		{[]string{"INCR", "somebodys"}, true},
	} {
		s := r.load(t, append([]string{"-n", "1000", "-q"}, c.args...)...)
		r.do(t, "FLUSHALL")
		r.do(t, "SET", "somebodys", "1")
		if got := strings.Contains(s.err, warning); s.code != exitDone || got != c.warns {
			t.Errorf("%v: exit code %d, warned %v, want %v: %s", c.args, s.code, got, c.warns, s.err)
		}
	}
}

func TestOptionsReachTheServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	r := startRedis(t, "--unixsocket", socket, "--requirepass", "s3cret", "--user", "ada", "on", ">l0ve", "~*", "+@all")
	r.control = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + r.port, Password: "s3cret", Protocol: 2})
	t.Cleanup(func() { r.control.Close() })
	for name, args := range map[string][]string{
		"password":        {"-p", r.port, "-a", "s3cret"},
		"user":            {"-h", "127.0.0.1", "-p", r.port, "--user", "ada", "-a", "l0ve"},
		"URI":             {"-u", "redis://ada:l0ve@127.0.0.1:" + r.port + "/0"},
		"URI, no user":    {"-u", "redis://s3cret@127.0.0.1:" + r.port},
		"socket":          {"-s", socket, "-a", "s3cret"},
		"RESP3":           {"-p", r.port, "-a", "s3cret", "-3"},
		"other database":  {"-p", r.port, "-a", "s3cret", "--dbnum", "0", "--seed", "7", "--precision", "2", "-e"},
		"for a time":      {"-p", r.port, "-a", "s3cret", "--rps", "20000", "--duration", "0.1", "--warmup", "0.05"},
		"glued to values": {"-p" + r.port, "-as3cret", "-n1500", "-c20"},
	} {
		r.do(t, "CONFIG", "RESETSTAT")
		s := berth(t, machine{}, append(append([]string{"load"}, args...), "-q", "-t", "set")...)
		if n := r.calls(t, "set"); s.code != exitDone || n < 1500 {
			t.Errorf("%s: exit code %d after %d SET: %s", name, s.code, n, s.err)
		}
	}
	s := berth(t, machine{}, "load", "-p", r.port, "-a", "s3cret", "-n", "2000", "-r", "10", "-d", "5", "--dbnum", "3", "SET", "k:__rand_int__", "<__data__>")
	if s.code != exitDone || !strings.Contains(s.out, "====== SET k:__rand_int__ <__data__> ======\n") {
		t.Errorf("exit code %d: %s%s", s.code, s.out, s.err)
	}
	three := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + r.port, Password: "s3cret", Protocol: 2, DB: 3})
	t.Cleanup(func() { three.Close() })
	if n, v := three.DBSize(context.Background()).Val(), three.Get(context.Background(), "k:000000000007").Val(); n != 10 || len(v) != len("<>")+5 {
		t.Errorf("%d keys, and the value is %q", n, v)
	}
}

func TestTLSOptionsReachTheJob(t *testing.T) {
	o := newLoadOptions(text.For("en"))
	args := "-u rediss://ada:l0ve@db.example:7000/2 --sni inner --cacert ca.pem --cacertdir cas --cert c.pem --key k.pem --insecure"
	if err := o.read(strings.Fields(args), nil); err != nil {
		t.Fatal(err)
	}
	want := redisload.Target{Network: "tcp", Address: "db.example:7000", User: "ada", Password: "l0ve", Database: 2,
		TLS: &redisload.TLS{ServerName: "inner", CACert: "ca.pem", CACertDir: "cas", Cert: "c.pem", Key: "k.pem", InsecureSkipVerify: true}}
	if diff := cmp.Diff(want, o.job.Target); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheLastArgumentComesFromStandardInput(t *testing.T) {
	r := startRedis(t)
	var out, errw bytes.Buffer
	term := &terminal{in: strings.NewReader("from\nthere"), out: &out, err: &errw, words: text.For("en"), core: machine{}}
	if code := term.main(context.Background(), []string{"load", "-p", r.port, "-n", "1000", "-q", "-x", "SET", "k"}); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errw.String())
	}
	if v := r.control.Get(context.Background(), "k").Val(); v != "from\nthere" {
		t.Errorf("the value is %q", v)
	}
	if !strings.HasPrefix(out.String(), "SET k: ") {
		t.Errorf("it printed %q", out.String())
	}
}

func TestJSONHasWhatTheFiguresRestOn(t *testing.T) {
	r := startRedis(t)
	s := r.load(t, "-n", "50000", "-t", "set,spop", "--json", "--threads", "auto", "--seed", "7")
	lines := strings.Split(strings.TrimSpace(s.out), "\n")
	if s.code != exitDone || len(lines) != 2 {
		t.Fatalf("exit code %d, %d lines: %s", s.code, len(lines), s.err)
	}
	if !strings.Contains(s.err, "--threads auto: ") {
		t.Errorf("standard error has no word of the threads: %q", s.err)
	}
	var d loadDocument
	if err := json.Unmarshal([]byte(lines[1]), &d); err != nil {
		t.Fatal(err)
	}
	if d.Test != "SPOP" || d.Requests != 50000 || d.Misses != 50000 || d.RPS <= 0 || d.Latency.P50 <= 0 || d.ClientCPU == nil || d.ServerCPU == nil ||
		d.Threads < 1 || d.Engine == "" || d.Seed != 7 || d.Bottleneck == "" {
		t.Errorf("it has %+v", d)
	}
}

func TestAShortTestSaysSo(t *testing.T) {
	r := startRedis(t)
	if s := r.load(t, "-n", "500", "-t", "set", "-q"); s.code != exitDone || !strings.Contains(s.err, "too short to stand on: SET;") {
		t.Errorf("exit code %d: %q", s.code, s.err)
	}
	if s := r.load(t, "-n", "5000", "--rps", "25000", "-t", "set", "-q"); s.code != exitDone || strings.Contains(s.err, "too short") {
		t.Errorf("exit code %d: %q", s.code, s.err)
	}
}

func TestAClientThatIsTheLimitIsNamedOnce(t *testing.T) {
	var out, errw bytes.Buffer
	l := &loading{terminal: &terminal{out: &out, err: &errw, words: text.For("en")}, o: &loadOptions{}}
	r := &agent.Result{Requests: 100_000, Elapsed: time.Second}
	for _, title := range []string{"GET", "SET", "INCR"} {
		s := r.Sample()
		s.Bottleneck = result.BottleneckClient
		if title == "INCR" {
			s.Bottleneck = result.BottleneckServer
		}
		l.tell(testJob{title: title}, r, s)
	}
	l.tellLast()
	if got := errw.String(); !strings.Contains(got, "Berth's client was the limit, not the server") || !strings.Contains(got, "in: GET, SET;") || strings.Count(got, "\n") != 1 || out.Len() > 0 {
		t.Errorf("it said %q", got)
	}
}

func TestAnInterruptEndsALoopAndIdleConnections(t *testing.T) {
	need.Linux(t)
	r := startRedis(t)
	for name, args := range map[string][]string{
		"loop": {"-l", "-q", "-n", "2000", "-t", "set"},
		"idle": {"-I", "-c", "30"},
	} {
		cmd := process(t, asBerth, append([]string{"load", "-p", r.port}, args...)...)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.until(t, name, func() bool {
			if name == "loop" {
				return r.calls(t, "set") >= 3*2000
			}
			return r.clients(t) >= 31
		})
		began := time.Now()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: it took %v to stop", name, took)
		}
		if name == "loop" && strings.Count(out.String(), "SET: ") < 2 {
			t.Errorf("%s: it printed %q", name, out.String())
		}
	}
}

// until waits for what a running command brings about.
func (r *realRedis) until(t *testing.T, name string, is func() bool) {
	t.Helper()
	for most := time.Now().Add(10 * time.Second); !is(); {
		if time.Now().After(most) {
			t.Fatalf("%s: it does not come about", name)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (r *realRedis) clients(t *testing.T) int {
	t.Helper()
	list, err := r.control.ClientList(context.Background()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(list, "\n")
}

func TestAnInterruptKeepsWhatWasMeasured(t *testing.T) {
	need.Linux(t)
	r := startRedis(t)
	cmd := process(t, asBerth, "load", "-p", r.port, "--csv", "-n", "1000000000", "-t", "set")
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.until(t, "load", func() bool { return r.calls(t, "set") > 20_000 })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its exit code is looked at
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 || cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(errw.String(), "SET was cut short: stopped before the end") {
		t.Errorf("exit code %d, rows %q (%v): %s", cmd.ProcessState.ExitCode(), rows, err, errw.String())
	}
}

// TestWhatRedisBenchmarkTakesIsTakenAndSaid has arguments that redis-benchmark bends
// to what it can do: the same is sent, and standard error says what was bent.
func TestWhatRedisBenchmarkTakesIsTakenAndSaid(t *testing.T) {
	r := startRedis(t)
	need.RedisBenchmark(t)
	for _, c := range []struct {
		args, says string
		clients    int
	}{
		{"-t nothing,set,foo", "-t: there is no test nothing, foo in the suite modern", 5},
		{"-t set -d -7", "-d -7 is taken as 1", 5},
		{"-t set -P -7", "-P -7 is taken as 1", 5},
		{"-t set -r -7", "-r -7 is taken as 0", 5},
		{"-t set -c -7", "-c -7 is taken as 1", 1},
		{"-t set --threads -7", "--threads -7 is taken as 0", 5},
		{"-t set --user ada", "--user without -a is not sent", 5},
		{"-t set --enable-tracking", "", 5},
	} {
		args := append([]string{"-n", "1000", "-c", "5", "-q"}, strings.Fields(c.args)...)
		r.do(t, "FLUSHALL")
		theReal(t, r.port, args...)
		want := r.keys(t)
		r.do(t, "FLUSHALL")
		r.do(t, "CONFIG", "RESETSTAT")
		s := r.load(t, args...)
		if s.code != exitDone || strings.Count(s.out, "SET: ") != 1 || !strings.Contains(s.err, c.says) {
			t.Errorf("%s: exit code %d: %s%s", c.args, s.code, s.out, s.err)
		}
		if diff := cmp.Diff(want, r.keys(t)); diff != "" {
			t.Errorf("%s leaves other keys and lengths (-redis-benchmark +berth):\n%s", c.args, diff)
		}
		if set := r.calls(t, "set"); set != 1000 {
			t.Errorf("%s: %d SET", c.args, set)
		}
		tracking := r.calls(t, `client\|tracking`)
		if want := map[bool]int{true: 5}[strings.Contains(c.args, "tracking")]; tracking != want {
			t.Errorf("%s: %d CLIENT TRACKING, want %d", c.args, tracking, want)
		}
	}
}

// keys are the names of all keys and how long their values are.
func (r *realRedis) keys(t *testing.T) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, key := range r.control.Keys(context.Background(), "*").Val() {
		all[key] = r.control.StrLen(context.Background(), key).Val()
	}
	return all
}

// TestLittleIsSentBesideTheLoad counts what arrives at the server beside what
// redis-benchmark sends too: CONFIG GET twice, SELECT once a connection.
func TestLittleIsSentBesideTheLoad(t *testing.T) {
	r := startRedis(t)
	for _, c := range []struct {
		args []string
		info int // INFO cpu, before and after each test
	}{
		{[]string{"-t", "set,get", "--dbnum", "3"}, 4},
		{[]string{"-t", "set,get", "--dbnum", "3", "-k", "0"}, 4},
		{[]string{"--dbnum", "3", "GET", "x"}, 2},
	} {
		r.do(t, "FLUSHALL")
		r.do(t, "CONFIG", "RESETSTAT")
		if s := r.load(t, append([]string{"-n", "1000", "-c", "20", "-q"}, c.args...)...); s.code != exitDone {
			t.Fatalf("%v: exit code %d: %s", c.args, s.code, s.err)
		}
		tests := c.info / 2
		info := r.calls(t, "info") // first, since it is by INFO that the server is asked
		sent, config := r.calls(t, "dbsize")+r.calls(t, `command\|info`), r.calls(t, `config\|get`)
		if sent > 1+tests || info != c.info || config != 2 {
			t.Errorf("%v: %d DBSIZE and COMMAND INFO, %d INFO, %d CONFIG GET", c.args, sent, info, config)
		}
		// One each for asking beforehand, and for -k 0 one a request.
		most := 1 + tests*20
		if slices.Contains(c.args, "-k") {
			most = 1 + tests*(1000+20)
		}
		if n := r.calls(t, "select"); n > most {
			t.Errorf("%v: %d SELECT, want at most %d", c.args, n, most)
		}
	}
}

// TestEveryPlaceOfMaxclientsCanBeUsed loads over as many connections as the server takes.
func TestEveryPlaceOfMaxclientsCanBeUsed(t *testing.T) {
	r := startRedis(t, "--maxclients", "60")
	r.control.Close()
	for _, args := range [][]string{{}, {"--prefill"}, {"--prefill", "--warmup", "0.1"}, {"--threads", "2"}} {
		s := r.load(t, append([]string{"-n", "3000", "-c", "60", "-t", "set,lpop", "-q"}, args...)...)
		if s.code != exitDone {
			t.Errorf("%v: exit code %d: %s", args, s.code, s.err)
		}
	}
	// With a new connection for each batch, the server may see the one before as open still.
	if s := r.load(t, "-n", "3000", "-c", "60", "-k", "0", "-t", "set", "-q"); s.code != exitDone || strings.Contains(s.err, "replies were errors") {
		t.Errorf("-k 0: exit code %d: %s", s.code, s.err)
	}
	if s := r.load(t, "-n", "3000", "-c", "61", "-t", "set", "-q"); s.code != exitFailed || !strings.Contains(s.err, "takes no more connections") {
		t.Errorf("one too many: exit code %d: %s", s.code, s.err)
	}
}

// TestAServerThatIsGoneInMidTestIsNamed ends a server under load for good.
func TestAServerThatIsGoneInMidTestIsNamed(t *testing.T) {
	need.Linux(t)
	r := startRedis(t)
	cmd := process(t, asBerth, "load", "-p", r.port, "--json", "-n", "1000000000", "-t", "set")
	var out, errw bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errw
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.until(t, "load", func() bool { return r.calls(t, "set") > 20_000 })
	began := time.Now()
	_ = r.control.Shutdown(context.Background()).Err() // it ends without a reply
	_ = cmd.Wait()                                     // its exit code is looked at
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	var d loadDocument
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	if d.Requests < 20_000 || d.Reconnects != 0 || d.Outage < 9 || d.Cut == "" {
		t.Errorf("%d requests, %d reconnects, outage %v s, cut %q", d.Requests, d.Reconnects, d.Outage, d.Cut)
	}
	for _, says := range []string{"nothing listens there any more", "s, without a reply, are not in its figures"} {
		if !strings.Contains(errw.String(), says) {
			t.Errorf("it does not say %q: %s", says, errw.String())
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || strings.Contains(errw.String(), "lost and opened again") {
		t.Errorf("exit code %d: %s", code, errw.String())
	}
}

func TestACommandThatBlocksIsNamed(t *testing.T) {
	r := startRedis(t)
	if s := r.load(t, "-q", "-n", "10", "BLPOP", "nokey", "0"); s.code != exitFailed || s.out != "" || !strings.Contains(s.err, "if it is one that blocks") {
		t.Errorf("exit code %d: %s%s", s.code, s.out, s.err)
	}
}

// TestLevelsOfTheCumulativeDistributionAreRedisBenchmarks compares the milliseconds
// that both print, wherever both print a line.
func TestLevelsOfTheCumulativeDistributionAreRedisBenchmarks(t *testing.T) {
	r := startRedis(t)
	need.RedisBenchmark(t)
	levels := func(out string) map[string]string {
		all := map[string]string{}
		for _, after := range strings.Split(out, "Cumulative distribution of latencies:")[1:] {
			levels, _, _ := strings.Cut(after, "Summary:")
			for _, m := range regexp.MustCompile(`<= ((\d+\.\d)\d\d) milliseconds`).FindAllStringSubmatch(levels, -1) {
				all[m[2]] = m[1]
			}
		}
		return all
	}
	args := []string{"-n", "3000", "-P", "30", "-t", "lrange_600"}
	raw, err := exec.Command("redis-benchmark", append([]string{"-p", r.port}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want, got := levels(string(raw)), levels(r.load(t, args...).out)
	both := 0
	for tenth, level := range got {
		if real, printed := want[tenth]; printed {
			both++
			if real != level {
				t.Errorf("a level is %s, and redis-benchmark's %s", level, real)
			}
		}
	}
	if both == 0 {
		t.Errorf("no level in common: %v, %v", want, got)
	}
}

func TestLoadArgumentsThatCannotBeUsedStartNothing(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"-n 0", "the load has no end"},
		{"-n -5", "the load has no end"},
		{"-n many", `-n cannot be "many"; write a number in digits`},
		{"-n 1e5", `-n cannot be "1e5"; write a number in digits, like 100000`},
		{"-n", "needs an argument: 'n'"},
		{"-p 0", "there is no port 0"},
		{"-p 70000", "there is no port 70000"},
		{"-Z", "'Z'"},
		{"--no-such", "unknown flag: --no-such"},
		{"--tls --tls-ciphers NULL", "--tls-ciphers: NULL is no cipher suite that can be chosen"},
		{"--tls --tls-ciphersuites TLS_AES_128_GCM_SHA256", "--tls-ciphersuites must name "},
		{"--dbnum -1", "there is no database -1"},
		{"--threads few", "--threads cannot be few"},
		{"--rps -1", "a rate of -1"},
		{"--duration -1", "the load has no end"},
		{"--warmup -1", "a warm-up of -1s is not possible"},
		{"--suite old", "there is no suite old"},
		{"--compat 5", "--compat cannot be 5"},
		{"-t nothing", "-t chooses no test: there is no nothing in the suite modern"},
		{"-t ,", "-t chooses no test; choose from PING_INLINE"},
		{"-t hset --compat 2.8", "-t chooses no test: there is no hset in the suite classic"},
		{"-u http://127.0.0.1", "the URI of -u cannot be read"},
		{"-u redis://a:secret%zz@h", "the URI of -u cannot be read"},
		{"-h", "needs an argument: 'h'"},
	} {
		s := berth(t, newCore(t), append([]string{"load"}, strings.Fields(c.args)...)...)
		if s.code != exitUnusable || s.out != "" || strings.Count(s.err, "\n") != 1 || !strings.Contains(s.err, c.says) || strings.Contains(s.err, "secret") {
			t.Errorf("%s: exit code %d, %q, want one sentence with %q", c.args, s.code, s.err+s.out, c.says)
		}
	}
}

func TestLoadTellsItsHelpAndVersionAndTakesHForTheHost(t *testing.T) {
	for _, lang := range text.Languages {
		golden(t, "load-help."+lang+".out", berthIn(t, lang, newCore(t), "load", "--help").out)
	}
	if s := berth(t, newCore(t), "help", "load"); s.out != berth(t, newCore(t), "load", "--help").out {
		t.Errorf("berth help load prints %q", s.out)
	}
	if s := berth(t, newCore(t), "load", "--version"); s.code != exitDone || !strings.HasPrefix(s.out, "berth load ") {
		t.Errorf("exit code %d: %q", s.code, s.out)
	}
	r := startRedis(t)
	if s := r.load(t, "-h", "127.0.0.1", "-n", "1000", "-t", "ping_inline", "-q"); s.code != exitDone || slices.Contains(strings.Fields(s.out), "Usage:") {
		t.Errorf("exit code %d: %s", s.code, fmt.Sprint(s.out, s.err))
	}
}
