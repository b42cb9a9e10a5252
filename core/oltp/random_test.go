package oltp

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"berth/core/need"
)

// sysbenchDraws are n row numbers up to size that sysbench itself draws.
func sysbenchDraws(t *testing.T, draw string, n, size int) []float64 {
	t.Helper()
	script := filepath.Join(t.TempDir(), "draw.lua")
	lua := "function event() for i = 1, " + strconv.Itoa(n) + " do print(sysbench.rand.default(1, " + strconv.Itoa(size) + ")) end end\n"
	if err := os.WriteFile(script, []byte(lua), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sysbench", script, "--rand-type="+draw, "--rand-seed=7", "--events=1", "--time=0", "run").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, line := range bytes.Fields(out) {
		if v, err := strconv.ParseFloat(string(line), 64); err == nil && len(all) < n {
			all = append(all, v)
		}
	}
	if len(all) != n {
		t.Fatalf("%d draws of %d", len(all), n)
	}
	return all
}

// distance is the greatest difference of two samples' distribution functions
// (Kolmogorov and Smirnov).
func distance(a, b []float64) float64 {
	sort.Float64s(a)
	sort.Float64s(b)
	d, i, j := 0.0, 0, 0
	for i < len(a) && j < len(b) {
		v := min(a[i], b[j])
		for i < len(a) && a[i] == v {
			i++
		}
		for j < len(b) && b[j] == v {
			j++
		}
		d = max(d, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return d
}

func TestRowsAreDrawnAsSysbenchDrawsThem(t *testing.T) {
	need.Sysbench(t)
	const n, size = 50_000, 10_000
	for _, name := range Draws() {
		t.Run(name, func(t *testing.T) {
			d := DefaultJob().Draw
			d.Type = name
			r := newRandom(d, 7, 0)
			ours := make([]float64, n)
			for i := range ours {
				ours[i] = float64(r.row(size))
				if ours[i] < 1 || ours[i] > size {
					t.Fatalf("drew %v", ours[i])
				}
			}
			// Two samples of one distribution are further apart once in a thousand times.
			far := 1.95 * math.Sqrt(2.0/n)
			if got := distance(ours, sysbenchDraws(t, name, n, size)); got > far {
				t.Errorf("%.4f apart, want below %.4f", got, far)
			}
		})
	}
}

func TestThreeQuartersOfSpecialDrawsFallInTheMiddleHundredth(t *testing.T) {
	r := newRandom(DefaultJob().Draw, 1, 0)
	const n, size = 100_000, 100_000
	middle := 0
	for range n {
		if v := r.row(size); v >= size/2-size/200 && v <= size/2+size/200+1 {
			middle++
		}
	}
	if share := float64(middle) / n; share < 0.75 || share > 0.80 {
		t.Errorf("%.3f of draws in the middle hundredth", share)
	}
}

func TestTextsAreGroupsOfElevenDigits(t *testing.T) {
	r := newRandom(DefaultJob().Draw, 1, 0)
	c, pad := make([]byte, cBytes), make([]byte, padBytes)
	r.digits(c)
	r.digits(pad)
	if !regexp.MustCompile(`^(\d{11}-){9}\d{11}$`).Match(c) || !regexp.MustCompile(`^(\d{11}-){4}\d{11}$`).Match(pad) {
		t.Errorf("c %q, pad %q", c, pad)
	}
	seen := map[byte]int{}
	for range 1000 {
		r.digits(c)
		for _, b := range c {
			seen[b]++
		}
	}
	for digit := byte('0'); digit <= '9'; digit++ {
		if share := float64(seen[digit]) / 110_000; share < 0.097 || share > 0.103 {
			t.Errorf("digit %c has a share of %.4f", digit, share)
		}
	}
}

func TestAUniqueSequenceRepeatsNothing(t *testing.T) {
	s := newUniqueSequence(1, 2)
	seen := map[uint32]bool{}
	for range 200_000 {
		v := s.next()
		if seen[v] {
			t.Fatalf("%d twice", v)
		}
		seen[v] = true
	}
}

func TestArrivalsHaveTheRateAndTheSpreadOfAPoissonProcess(t *testing.T) {
	a := newArrivals(1000, newRandom(DefaultJob().Draw, 3, 0))
	const n = 20_000
	gaps := make([]float64, n)
	last := time.Duration(0)
	for i := range gaps {
		due, full := a.take(0)
		if full {
			t.Fatal("full")
		}
		gaps[i] = (due - last).Seconds()
		last = due
	}
	mean, square := 0.0, 0.0
	for _, g := range gaps {
		mean += g / n
	}
	for _, g := range gaps {
		square += (g - mean) * (g - mean) / n
	}
	if mean < 0.00097 || mean > 0.00103 {
		t.Errorf("mean gap %.6f s at 1000 a second", mean)
	}
	// An exponential's deviation is its mean.
	if ratio := math.Sqrt(square) / mean; ratio < 0.97 || ratio > 1.03 {
		t.Errorf("deviation is %.3f of the mean", ratio)
	}
}

func TestTransactionsThatNobodyTakesWaitInTheirOrderUntilTheQueueIsFull(t *testing.T) {
	a := newArrivals(100, newRandom(DefaultJob().Draw, 3, 0))
	queue, _ := a.state(10 * time.Second)
	if queue < 900 || queue > 1100 {
		t.Errorf("%d wait after 10 s at 100 a second", queue)
	}
	first, _ := a.take(10 * time.Second)
	second, _ := a.take(10 * time.Second)
	if first >= second || second > time.Second {
		t.Errorf("the first two were due at %v and %v", first, second)
	}
	if _, full := a.take(time.Hour); !full {
		t.Error("the queue is never full")
	}
}

func TestTheBucketsAreSysbenchs(t *testing.T) {
	// Values that sysbench 1.0.20 printed with --histogram.
	for ms, want := range map[float64]string{1.6: "1.608", 1.66: "1.667", 5.12: "5.090", 32.59: "32.525", 0.0001: "0.001", 2e6: "100000.000"} {
		got := strconv.FormatFloat(bucketMilli(bucketOf(time.Duration(ms*float64(time.Millisecond)))), 'f', 3, 64)
		if got != want {
			t.Errorf("%v ms is in bucket %s, want %s", ms, got, want)
		}
	}
}

func TestPercentilesAreTheBucketsOfTheirRank(t *testing.T) {
	var b Buckets
	for i := range 100 {
		b[bucketOf(time.Duration(i+1)*time.Millisecond)]++
	}
	for percent, ms := range map[int]int{1: 1, 50: 50, 95: 95, 99: 99, 100: 100} {
		want := bucketMilli(bucketOf(time.Duration(ms) * time.Millisecond))
		if got := b.Percentile(percent); got != want {
			t.Errorf("percentile %d is %.3f, want %.3f", percent, got, want)
		}
	}
}

func TestThroughputIsFlatWhenThreeSecondsAgree(t *testing.T) {
	for text, want := range map[string]bool{"": false, "100 100": false, "10 100 100 100": true, "100 100 90": false, "0 0 0": false, "50 99 103 100": true} {
		var perSecond []float64
		for _, f := range strings.Fields(text) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatal(err)
			}
			perSecond = append(perSecond, v)
		}
		if got := flat(perSecond); got != want {
			t.Errorf("flat(%s) is %v", text, got)
		}
	}
}
