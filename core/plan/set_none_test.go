package plan

import "testing"

func TestSettingZeroLeavesTheOtherStopRule(t *testing.T) {
	p, err := Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetAll([]string{"requests=1000", "seconds=0"}); err != nil {
		t.Fatal(err)
	}
	if l := p.Loads[0]; l.Requests != 1000 || l.Seconds != 0 {
		t.Errorf("%d requests and %v seconds", l.Requests, l.Seconds)
	}
}

func TestCPUsOfNoPinnedModeAreNotIgnored(t *testing.T) {
	p, err := Preset("quick")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetAll([]string{"modes=native", "cpus=99"}); err == nil {
		t.Error("cpus passes in a plan that binds no server")
	}
}

func TestAnImageThatIsNoNameIsAFault(t *testing.T) {
	p := Plan{Variants: []Variant{{Placement: DockerHost, Image: "BAD IMAGE"}}}
	p.Complete()
	p.Loads[0].Tests, p.Loads[0].Seconds = []string{"SET"}, 1
	if err := p.Check(); err == nil {
		t.Error("the image passes")
	}
	p.Variants[0].Image = "redis:7.2"
	if err := p.Check(); err != nil {
		t.Error(err)
	}
}
