package redisload

import (
	"context"
	"math"
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

func TestTooFewReadingsSayNothing(t *testing.T) {
	w, requests := watched(400*time.Millisecond, func(x float64) float64 { return 1e5 * step(x, 0.1, 1) })
	if w.unsettled(400*time.Millisecond, requests) || (&watch{}).unsettled(time.Second, 1000) || (&watch{}).unsettled(0, 0) {
		t.Error("a verdict without enough readings")
	}
}

// A server that is busy with something else while measuring begins is as one that was
// not warm.
func TestAServerBusyAtFirstHadNotSettled(t *testing.T) {
	address := realServer(t)
	job := jobFor(address, "PING_BULK")
	job.Duration, job.Requests = 2*time.Second, 0
	busy := make(chan string, 1)
	r, err := Run(context.Background(), job, &atMeasuring{func() {
		// About a fifth of a second of the server's only thread.
		go func() { busy <- ask(t, address, "EVAL", "for i = 1, 3e7 do end return 'done'", "0") }()
	}})
	if err != nil {
		t.Fatal(err)
	}
	if said := <-busy; said != "done" {
		t.Fatalf("the script says %q", said)
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
