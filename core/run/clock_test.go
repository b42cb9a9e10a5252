package run

import (
	"context"
	"slices"
	"testing"
	"time"

	"berth/core/plan"
)

func TestTheSeedFixesTheOrderOfEveryRound(t *testing.T) {
	p, err := plan.Preset("docker-network")
	if err != nil {
		t.Fatal(err)
	}
	labels := func(seed uint64, round int) []string {
		var all []string
		for _, v := range order(p.Variants, seed, round) {
			all = append(all, v.Label)
		}
		return all
	}
	if !slices.Equal(labels(7, 3), labels(7, 3)) {
		t.Error("the same seed and round gave two orders")
	}
	// Every variant comes first about equally often: 5 variants over 1000 rounds.
	first := map[string]int{}
	for round := range 1000 {
		l := labels(7, round)
		first[l[0]]++
		slices.Sort(l)
		if len(slices.Compact(l)) != len(p.Variants) {
			t.Fatalf("round %d lost a variant: %v", round, l)
		}
	}
	for label, n := range first {
		if n < 150 || n > 250 {
			t.Errorf("%s came first in %d of 1000 rounds", label, n)
		}
	}
}

func TestTimeLeftFollowsThePace(t *testing.T) {
	began := time.Now()
	c := clock{began: began, expected: 100 * time.Second, total: 10}
	if left := c.leftAt(began); left != 100*time.Second {
		t.Errorf("before anything is done %v are left, want what the plan expects", left)
	}
	c.pass(50*time.Second, 5)
	if left := c.leftAt(began.Add(100 * time.Second)); left != 100*time.Second {
		t.Errorf("at half the pace %v are left of the other half, want 100s", left)
	}
	c.pass(60*time.Second, 5)
	if left := c.leftAt(began.Add(100 * time.Second)); left != 0 {
		t.Errorf("%v are left after the end", left)
	}
}

func TestPauseHoldsUntilResumedOrCancelled(t *testing.T) {
	var p Pause
	if err := p.wait(context.Background(), func() { t.Error("held though not paused") }); err != nil {
		t.Fatal(err)
	}
	p.Set(true)
	held, done := make(chan bool), make(chan error)
	go func() { done <- p.wait(context.Background(), func() { held <- true }) }()
	<-held
	select {
	case <-done:
		t.Fatal("went on while paused")
	default:
	}
	p.Set(false)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	p.Set(true)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- p.wait(ctx, func() { held <- true }) }()
	<-held
	cancel()
	if err := <-done; err == nil {
		t.Error("cancelled while paused, and no error")
	}
}
