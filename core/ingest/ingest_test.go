package ingest

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

// runOf reads files in and replays what comes of them.
func runOf(t *testing.T, given Given, files ...File) *result.Run {
	t.Helper()
	events, err := Events("20261201-120000-import-0001", "test", files, given, time.Unix(1_800_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	r := &result.Run{}
	for _, e := range events {
		r.Add(e)
	}
	return r
}

// told are the samples in few words.
func told(r *result.Run) []string {
	var out []string
	for _, s := range r.Samples {
		w := s.Workload
		out = append(out, fmt.Sprintf("%d %s %s/%s %s d%d P%d c%d n%d %.2f", s.Round, s.Variant, s.Service, s.Placement, w.Test, w.PayloadBytes, w.Pipeline, w.Clients, s.Requests, s.RPS()))
	}
	return out
}

func check(t *testing.T, r *result.Run, want ...string) {
	t.Helper()
	if got := told(r); !slices.Equal(got, want) {
		t.Errorf("read\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range r.Samples {
		if !slices.Equal(s.Flags, []string{result.FlagImported}) || s.Bottleneck != "" || s.ClientCPU != nil {
			t.Errorf("a sample says more than was read: %+v", s)
		}
	}
}

func file(t *testing.T, path string) File {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return File{filepath.Base(path), raw}
}

func ms(p *float64) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *p)
}

func latency(s result.Sample) string {
	l := s.Reported.Latency
	return strings.Join([]string{ms(l.Avg), ms(l.Min), ms(l.P50), ms(l.P95), ms(l.P99), ms(l.P999), ms(l.Max)}, " ")
}

// The files are what redis-benchmark 7.0.15 printed.
func TestWhatRedisBenchmark7Prints(t *testing.T) {
	r := runOf(t, Given{}, file(t, "testdata/redis-7-quiet.txt"))
	check(t, r,
		"1 redis-7-quiet redis/ SET d0 P0 c0 n0 49382.71",
		"1 redis-7-quiet redis/ LPUSH_FOR_LRANGE d0 P0 c0 n0 31695.72",
		"1 redis-7-quiet redis/ LRANGE_100 d0 P0 c0 n0 25252.53")
	if got := latency(r.Samples[2]); got != "- - 1.079 - - - -" {
		t.Errorf("latency %s", got)
	}
	r = runOf(t, Given{PayloadBytes: 100, Pipeline: 1, Clients: 50, Requests: 20_000}, file(t, "testdata/redis-7-csv.txt"))
	check(t, r,
		"1 redis-7-csv redis/ SET d100 P1 c50 n20000 37807.18",
		"1 redis-7-csv redis/ GET d100 P1 c50 n20000 44843.05")
	if got := latency(r.Samples[1]); got != "0.818 0.128 0.807 1.119 1.631 - 2.407" {
		t.Errorf("latency %s", got)
	}
	r = runOf(t, Given{Pipeline: 16}, file(t, "testdata/redis-7-full.txt"))
	check(t, r,
		"1 redis-7-full redis/ PING_INLINE d100 P16 c50 n20000 487804.88",
		"1 redis-7-full redis/ PING_BULK d100 P16 c50 n20000 540540.56",
		"1 redis-7-full redis/ SET d100 P16 c50 n20000 392156.88")
	if got := latency(r.Samples[0]); got != "1.488 0.800 1.399 1.991 2.375 - 2.631" {
		t.Errorf("latency %s", got)
	}
	if s := r.Samples[0]; math.Abs(s.Elapsed.Seconds()*487804.88-20_000) > 0.01 {
		t.Errorf("it took %v", s.Elapsed)
	}
}

// The files are held to redis-benchmark's own by package redisload.
func TestWhatRedisBenchmark28Prints(t *testing.T) {
	for format, want := range map[string]string{"quiet": "c0 n0", "csv": "c0 n0", "full": "c50 n1000"} {
		r := runOf(t, Given{}, file(t, "../redisload/testdata/one-2.8-"+format+".golden"))
		payload := map[bool]int{true: 3}[format == "full"]
		check(t, r, fmt.Sprintf("1 one-2.8-%s redis/ MSET d%d P0 %s 81004.46", format, payload, want))
		if format != "full" {
			continue
		}
		if got := latency(r.Samples[0]); got != "- - 1.000 10.000 10.000 90.000 100.000" {
			t.Errorf("latency %s", got)
		}
	}
}

const summary = `SQL statistics:
    queries performed:
        read:                            1834
        write:                           524
        other:                           262
        total:                           2620
    transactions:                        131    (43.12 per sec.)
    queries:                             2620   (862.41 per sec.)
    ignored errors:                      3      (1.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          3.0380s
    total number of events:              131

Latency (ms):
         min:                                    1.61
         avg:                                    3.50
         max:                                   32.59
         95th percentile:                        7.04
         sum:                                  458.57
`

const intervals = `[ 1s ] thds: 2 tps: 48.00 qps: 960.00 (r/w/o: 672.00/192.00/96.00) lat (ms,95%): 9.06 err/s: 0.00 reconn/s: 0.00
[ 2s ] thds: 2 tps: 52.00 qps: 1040.00 (r/w/o: 728.00/208.00/104.00) lat (ms,95%): 8.06 err/s: 0.00 reconn/s: 0.00
`

func TestWhatSysbenchPrints(t *testing.T) {
	whole := "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 2\n\n" + intervals + summary
	r := runOf(t, Given{}, File{"my.txt", []byte(whole + whole)})
	check(t, r, "1 mysql mysql/ sysbench d0 P1 c2 n2620 862.41", "2 mysql mysql/ sysbench d0 P1 c2 n2620 862.41")
	if s := r.Samples[0]; latency(s) != "3.500 1.610 - 7.040 - - 32.590" || s.Transactions != 131 || s.TPS() != 43.12 || s.Errors != 3 || s.Elapsed != 3038*time.Millisecond {
		t.Errorf("%+v, latency %s", s, latency(s))
	}
	command := "$ sysbench /usr/share/sysbench/oltp_read_only.lua --tables=4 --threads=8 --time=300 run\n"
	r = runOf(t, Given{}, File{"my.txt", []byte(command + intervals + intervals + command + intervals + summary)})
	check(t, r,
		"1 mysql mysql/ oltp_read_only d0 P1 c2 n0 1000.00",
		"2 mysql mysql/ oltp_read_only d0 P1 c2 n0 1000.00",
		"3 mysql mysql/ oltp_read_only d0 P1 c2 n2620 862.41")
	if s := r.Samples[0]; s.TPS() != 50 || s.Elapsed != 0 || latency(s) != "- - - - - - -" {
		t.Errorf("of intervals alone: %+v", s)
	}
}

func TestAnArticleSaysWhereEachServerRan(t *testing.T) {
	article := "我用 redis-benchmark 测了几种启动方式，redis-server 的版本是 2.8。\r\n" +
		"启动命令：redis-server /etc/redis.conf\r\n测试命令：redis-benchmark -h 127.0.0.1 -q -d 100\r\nSET: 99403.58 requests per second\r\n" +
		"  1. $ redis-benchmark -n 500000 -t set -P 16 -c 20 -q\u00a0\r\n  1. SET: 480000.00 requests per second \r\n" +
		"taskset -c 02 redis-server /etc/redis.conf\nredis-benchmark -q -d 100\nSET: 99700.90 requests per second\n" +
		"docker run -v /a:/b -p 6379:6379 –name r -d redis\nredis-benchmark -q -d 100\nSET: 49776.01 requests per second\nSET: 50000.00 requests per second\n" +
		"docker run --net=\"host\" -d redis\nredis-benchmark -q -d 100\nSET: 97751.71 requests per second\n" +
		"docker run -d redis\n$ ./src/redis-benchmark -q\nLRANGE_500 (first 450 elements): 5781.68 requests per second\n" +
		"sysbench oltp_read_write --threads=4 run\n" + intervals
	r := runOf(t, Given{}, File{"article.txt", []byte(article)})
	check(t, r,
		"1 native redis/native SET d100 P1 c50 n100000 99403.58",
		"1 native redis/native SET d3 P16 c20 n500000 480000.00",
		"1 pinned redis/pinned SET d100 P1 c50 n100000 99700.90",
		"1 docker-nat redis/docker-nat SET d100 P1 c50 n100000 49776.01",
		"2 docker-nat redis/docker-nat SET d100 P1 c50 n100000 50000.00",
		"1 docker-host redis/docker-host SET d100 P1 c50 n100000 97751.71",
		"1 docker-direct redis/docker-direct LRANGE_500 d3 P1 c50 n100000 5781.68",
		"1 mysql mysql/ oltp_read_write d0 P1 c2 n0 1000.00")
	if r.Plan.Rounds != 2 || len(r.Plan.Variants) != 6 || r.Plan.Variants[1].CPUs != "02" {
		t.Errorf("the plan is %+v", r.Plan)
	}
	if !slices.Equal(r.Imported, []string{"article.txt"}) || r.End == nil || r.End.Reason != result.EndDone {
		t.Errorf("%v, end %+v", r.Imported, r.End)
	}
}

func TestACommandIsToldFromASentence(t *testing.T) {
	for line, want := range map[string]bool{
		"redis-server": true, "src/redis-server --port 1": true, "启动命令：./src/redis-server /etc/redis.conf": true, "start: redis-server": true,
		"$ cd src && ./redis-server --daemonize yes": true, "user@host:~$ redis-server --port 1": true,
		"redis-server was started":        true, // as a line that begins with it may be
		"We started redis-server as root": false, "用 redis-server 启动": false, "my-redis-server --port 1": false, "redis-servers --port 1": false,
	} {
		if _, ok := commandIn(clean(line), "redis-server"); ok != want {
			t.Errorf("%q: %v", line, ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"SET: 1.5 requests per second, p50=0.1 msec", "====== SET ======\n1 requests completed in 1 seconds\n50.00% <= 1 milliseconds\n1.00 requests per second",
		"\"test\",\"rps\"\n\"SET\",\"1.0\"", intervals + summary, "docker run --net host redis", "taskset -c", "redis-benchmark -d", "\xff\xfeS\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		events, err := Events("id", "test", []File{{"a.txt", raw}}, Given{}, time.Time{})
		if err != nil {
			return
		}
		for _, e := range events {
			if s := e.Sample; s != nil && (!(s.RPS() > 0) || math.IsInf(s.RPS(), 0) || s.Elapsed < 0 || s.Requests < 0 || s.Workload.Clients < 0 || s.Workload.PayloadBytes < 0) {
				t.Errorf("%+v", s)
			}
		}
	})
}

func TestValkeysToolsAreKnown(t *testing.T) {
	r := runOf(t, Given{}, File{"v.txt", []byte("taskset 0x2 ./valkey-server --port 1\nvalkey-benchmark -q -P 4\nSET: 1000.00 requests per second\n")})
	check(t, r, "1 pinned redis/pinned SET d3 P4 c50 n100000 1000.00")
	if r.Samples[0].Engine != "valkey-benchmark" {
		t.Errorf("the tool is %s", r.Samples[0].Engine)
	}
}

func TestSeveralFilesAreVariantsByTheirNames(t *testing.T) {
	quiet := func(name, more string) File {
		return File{name, []byte(more + "SET: 1000.00 requests per second\nSET: 1100.00 requests per second\n")}
	}
	r := runOf(t, Given{}, quiet("day1/native.txt", ""), quiet("day2/native.txt", ""), quiet("docker.log", "redis-server\n"), quiet("both.txt", "redis-server\nGET: 1.00 requests per second\ntaskset -c 1 redis-server\n"))
	var labels []string
	for _, v := range r.Plan.Variants {
		labels = append(labels, v.Label+"/"+v.Placement)
	}
	if want := []string{"day1/native/", "day2/native/", "docker/native", "both native/native", "both pinned/pinned"}; !slices.Equal(labels, want) {
		t.Errorf("labels %q, want %q", labels, want)
	}
}

func TestUTF16OfPowerShellIsRead(t *testing.T) {
	raw := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("SET: 1000.00 requests per second\r\n")) {
		raw = append(raw, byte(u), byte(u>>8))
	}
	check(t, runOf(t, Given{}, File{"win.txt", raw}), "1 win redis/ SET d0 P0 c0 n0 1000.00")
}

func TestATextWithoutOutputIsRefused(t *testing.T) {
	for name, raw := range map[string]string{
		"empty": "", "prose": "redis-benchmark says that SET makes 99403 requests per second.\nSETs per second: many\n",
		"zero": "SET: 0.00 requests per second\n", "table": "\"a\",\"1\"\n\"SET\",\"x\"\n", "half": "====== SET ======\n  100 requests completed in 0.1 seconds\n",
		"binary": "\x00\xff\xfe\x89PNG\r\n", "intervals of nothing": "[ 1s ] thds: 2 tps: 0.00 qps: 0.00 (r/w/o: 0/0/0) lat (ms,95%): 0.00\n",
	} {
		_, err := Events("id", "test", []File{{name + ".txt", []byte(raw)}}, Given{}, time.Now())
		if err == nil || !strings.Contains(text.For("en").Error(err), name+".txt holds no output of redis-benchmark") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Events("id", "test", []File{{"long.txt", make([]byte, MaxBytes+1)}}, Given{}, time.Now()); err == nil || !strings.Contains(text.For("en").Error(err), "longer than 16 MiB") {
		t.Errorf("too long: %v", err)
	}
}

func TestLabelsCanBePlanned(t *testing.T) {
	r := runOf(t, Given{}, File{strings.Repeat("x", 300) + "\x1b[31m.txt", []byte("SET: 1000.00 requests per second\nredis-server\nSET: 1000.00 requests per second\n")},
		File{"b", []byte("SET: 1000.00 requests per second\n")})
	for _, v := range r.Plan.Variants {
		p := plan.Plan{Name: "x", Host: "127.0.0.1", Rounds: 1, Variants: []plan.Variant{v}, Loads: []plan.Load{{Tests: []string{"SET"}, Seconds: 1}}}
		p.Variants[0].Placement = plan.Native
		if err := p.Check(); err != nil {
			t.Errorf("%q: %v", v.Label, err)
		}
	}
}
