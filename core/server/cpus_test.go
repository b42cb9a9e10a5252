package server

import (
	"slices"
	"testing"
)

func TestOnlyCPUsOfThisMachineAreAccepted(t *testing.T) {
	online := []int{0, 1, 2, 3}
	for list, want := range map[string][]int{"2": {2}, "02": {2}, "0-1,3": {0, 1, 3}} {
		got, err := checkCPUs(list, online)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v; want %v", list, got, err, want)
		}
	}
	for list, id := range map[string]string{
		"": "server.bad-cpus", "a": "server.bad-cpus", "1-0": "server.bad-cpus", "-1": "server.bad-cpus", "0-3:2": "server.bad-cpus",
		"4": "server.no-such-cpu", "0-4": "server.no-such-cpu",
	} {
		_, err := checkCPUs(list, online)
		wants(t, err, id)
	}
}
