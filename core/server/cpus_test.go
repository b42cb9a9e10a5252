package server

import (
	"slices"
	"testing"
)

func TestCPUListsAreReadStrictly(t *testing.T) {
	online := []int{0, 1, 2, 3}
	for list, want := range map[string][]int{
		"2": {2}, "02": {2}, "0-1,3": {0, 1, 3}, "3,0-1,1": {0, 1, 3}, " 1\n": {1},
	} {
		got, err := checkCPUs(list, online)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %v, %v; want %v", list, got, err, want)
		}
	}
	for _, list := range []string{"", "4", "0-4", "1-0", "-1", "1-", "a", "1,,2", "1, 2", "0x1", "+1", "0-99999999", "1-2-3", "0-3:2"} {
		if got, err := checkCPUs(list, online); err == nil {
			t.Errorf("%q is taken for %v", list, got)
		}
	}
	if got := formatCPUs([]int{0, 1, 3, 5, 6, 7}); got != "0-1,3,5-7" {
		t.Errorf("written as %s", got)
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0-1,3")
	f.Add("02")
	f.Fuzz(func(t *testing.T, list string) {
		cpus, err := parseCPUs(list)
		if err != nil {
			return
		}
		again, err := parseCPUs(formatCPUs(cpus))
		if err != nil || !slices.Equal(cpus, again) {
			t.Errorf("%q is %v, written and read again %v, %v", list, cpus, again, err)
		}
	})
}
