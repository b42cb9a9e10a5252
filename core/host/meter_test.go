package host

import (
	"math"
	"testing"
	"time"
)

func TestMachineIsInPercentOfOneCore(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after Meter
		busy, steal   float64
		ok            bool
	}{
		{"idle", Meter{cpus: 2}, Meter{cpus: 2, total: 2, idle: 2}, 0, 0, true},
		{"one of two busy", Meter{cpus: 2, total: 10, idle: 5}, Meter{cpus: 2, total: 12, idle: 6}, 100, 0, true},
		{"both busy, a tenth stolen", Meter{cpus: 2}, Meter{cpus: 2, total: 2, steal: 0.2}, 200, 20, true},
		{"no time passed", Meter{cpus: 2, total: 1}, Meter{cpus: 2, total: 1}, 0, 0, false},
		{"idle time went back, as it may", Meter{cpus: 1, idle: 5}, Meter{cpus: 1, total: 1, idle: 4.9}, 100, 0, true},
	} {
		busy, steal, ok := Machine(c.before, c.after)
		if math.Abs(busy-c.busy) > 1e-9 || math.Abs(steal-c.steal) > 1e-9 || ok != c.ok {
			t.Errorf("%s: %v %v %v, want %v %v %v", c.name, busy, steal, ok, c.busy, c.steal, c.ok)
		}
	}
}

func TestMachineSeesWhatThisProcessBurns(t *testing.T) {
	before, err := ReadMeter()
	if err != nil {
		t.Fatal(err)
	}
	start, used := time.Now(), usage()
	burnProcess(used + 400*time.Millisecond)
	elapsed := time.Since(start)
	after, err := ReadMeter()
	if err != nil {
		t.Fatal(err)
	}
	busy, _, ok := Machine(before, after)
	own := 100 * float64(usage()-used) / float64(elapsed)
	if most := 100 * float64(after.cpus); !ok || busy < own*0.9 || busy > most {
		t.Errorf("machine %.0f%% busy (%v), this process alone %.0f%%, all CPUs %.0f%%", busy, ok, own, most)
	}
}
