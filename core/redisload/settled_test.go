package redisload

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// watched is what is seen of a part of so long, whose rate at a share of its time, 0 to 1,
// is given.
func watched(length time.Duration, rate func(share float64) float64) (w *watch, requests int64) {
	w = &watch{}
	const step = time.Millisecond
	done := 0.0
	for at := step; at <= length; at += step {
		done += rate(float64(at)/float64(length)) * step.Seconds()
		if at%watchEvery == 0 {
			w.add(Tick{Elapsed: at, Requests: int64(done)})
		}
	}
	return w, int64(done)
}

func TestAFirstFifthUnlikeAllOthersIsAWarmUpThatHadNotSettled(t *testing.T) {
	const rate = 100_000.0
	for name, c := range map[string]struct {
		rate func(share float64) float64
		want bool
	}{
		"flat":                  {func(float64) float64 { return rate }, false},
		"a slow beginning":      {func(x float64) float64 { return rate * (1 - 0.3*math.Exp(-x/0.1)) }, true},
		"a slow approach":       {func(x float64) float64 { return rate * (1 - 0.3*math.Exp(-x/0.3)) }, true},
		"a fast beginning":      {func(x float64) float64 { return rate * (1 + 0.3*math.Exp(-x/0.1)) }, true},
		"three percent":         {func(x float64) float64 { return rate * (1 - 0.03*step(x, 0, 0.2)) }, false},
		"ten percent":           {func(x float64) float64 { return rate * (1 - 0.10*step(x, 0, 0.2)) }, true},
		"a burst in the middle": {func(x float64) float64 { return rate * (1 - 0.5*step(x, 0.5, 0.6)) }, false},
		"bursts all along":      {func(x float64) float64 { return rate * (1 - 0.3*step(math.Mod(x, 0.25), 0, 0.1)) }, false},
		"nothing at first":      {func(x float64) float64 { return rate * step(x, 0.1, 1) }, true},
		"nothing later":         {func(x float64) float64 { return rate * step(x, 0, 0.3) }, false},
	} {
		for _, length := range []time.Duration{time.Second, 5 * time.Second, 3 * time.Minute} {
			w, requests := watched(length, c.rate)
			if len(w.seen) >= mostWatched {
				t.Errorf("%s, %v: %d readings are kept", name, length, len(w.seen))
			}
			if got := w.unsettled(length, requests); got != c.want {
				t.Errorf("%s, %v: not settled is %v", name, length, got)
			}
		}
	}
}

// step is 1 from from on until to, else 0.
func step(x, from, to float64) float64 {
	if x >= from && x < to {
		return 1
	}
	return 0
}

func TestNoiseIsSeldomTakenForAWarmUp(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for noise, most := range map[float64]float64{0.01: 0.005, 0.03: 0.03, 0.1: 0.1, 0.3: 0.1} {
		const runs = 2000
		flagged := 0
		for range runs {
			var rates [fifths]float64
			for i := range rates {
				rates[i] = 1e5 * math.Exp(noise*random.NormFloat64())
			}
			w, requests := watched(time.Second, func(x float64) float64 { return rates[min(int(x*fifths), fifths-1)] })
			if w.unsettled(time.Second, requests) {
				flagged++
			}
		}
		if share := float64(flagged) / runs; share > most {
			t.Errorf("fifths that vary by %v are taken for an unsettled warm-up in %v of runs", noise, share)
		}
	}
}

func TestTooFewReadingsSayNothing(t *testing.T) {
	w, requests := watched(400*time.Millisecond, func(x float64) float64 { return 1e5 * step(x, 0.1, 1) })
	if w.unsettled(400*time.Millisecond, requests) || (&watch{}).unsettled(time.Second, 1000) || (&watch{}).unsettled(0, 0) {
		t.Error("a verdict without enough readings")
	}
}

// A server that is kept from answering while measuring begins is as one that was not warm. It
// is paused before the first request, for longer than the first fifth and shorter than two, so
// that no reply falls into that fifth and every other has some, whatever else the machine does.
func TestAServerBusyAtFirstHadNotSettled(t *testing.T) {
	address := realServer(t)
	job := jobFor(address, "PING_BULK")
	job.Duration, job.Requests = 4*time.Second, 0
	r, err := Run(context.Background(), job, &atMeasuring{func() { ask(t, address, "CLIENT", "PAUSE", "1000") }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Latency.Max() < 800_000 {
		t.Fatalf("the server answered within %d µs: it was not paused", r.Latency.Max())
	}
	if !r.Unsettled {
		t.Errorf("%d requests in %v count as settled", r.Requests, r.Elapsed)
	}
}

// atMeasuring does something when measuring begins.
type atMeasuring struct{ do func() }

func (o *atMeasuring) Phase(p Phase) {
	if p == Measuring {
		o.do()
	}
}
func (o *atMeasuring) Tick(Tick) {}
