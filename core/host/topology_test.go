package host

import (
	"slices"
	"testing"
)

func TestParseCPUs(t *testing.T) {
	for _, c := range []struct {
		list string
		want []int
	}{
		{"2", []int{2}},
		{"02", []int{2}},
		{"0-1,3", []int{0, 1, 3}},
		{"3, 0-1,1\n", []int{0, 1, 3}},
		{"", nil}, {"a", nil}, {"1-", nil}, {"3-1", nil}, {"-1", nil}, {"1,,2", nil}, {"0-999999999", nil},
	} {
		got, err := ParseCPUs(c.list)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%q: %v, %v; want %v", c.list, got, err, c.want)
		}
	}
}

func TestFormatCPUsIsReadBack(t *testing.T) {
	for _, c := range []struct {
		cpus []int
		want string
	}{
		{nil, ""}, {[]int{2}, "2"}, {[]int{1, 0}, "0,1"}, {[]int{0, 1, 2, 5}, "0-2,5"}, {[]int{0, 2, 3, 4}, "0,2-4"},
	} {
		got := FormatCPUs(c.cpus)
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.cpus, got, c.want)
		}
		if back, err := ParseCPUs(got); got != "" && (err != nil || !slices.Equal(back, slices.Sorted(slices.Values(c.cpus)))) {
			t.Errorf("%v came back as %v, %v", c.cpus, back, err)
		}
	}
}

func FuzzParseCPUs(f *testing.F) {
	f.Add("0-1,3")
	f.Fuzz(func(t *testing.T, list string) {
		cpus, err := ParseCPUs(list)
		if err != nil {
			return
		}
		if back, err := ParseCPUs(FormatCPUs(cpus)); err != nil || !slices.Equal(back, cpus) {
			t.Errorf("%q: %v came back as %v, %v", list, cpus, back, err)
		}
	})
}

func TestTopologyIsOfTheCPUsAllowed(t *testing.T) {
	topology := ReadTopology()
	if !slices.Equal(topology.IDs(), CPUs()) || len(topology) == 0 {
		t.Errorf("topology %v, CPUs %v", topology, CPUs())
	}
	for _, c := range topology {
		if slices.Contains(c.Siblings, c.ID) {
			t.Errorf("CPU %d is its own sibling", c.ID)
		}
	}
}
