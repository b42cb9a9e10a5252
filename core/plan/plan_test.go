package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPresetsAreWhatTheyPromise(t *testing.T) {
	for name, want := range map[string]struct {
		modes    []string
		tests    int
		payloads []int
		rounds   int
	}{
		"quick":          {[]string{Native, Pinned, DockerNAT, DockerHost}, 4, []int{100}, 4},
		"docker-network": {[]string{Native, Pinned, DockerNAT, DockerDirect, DockerHost}, 15, []int{100}, 6},
		"payload":        {[]string{Native, Pinned, DockerNAT}, 15, []int{100, 500}, 6},
	} {
		p, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		var modes []string
		for _, v := range p.Variants {
			modes = append(modes, v.Placement)
		}
		if !slices.Equal(modes, want.modes) || len(p.Loads) != 1 || len(p.Loads[0].Tests) != want.tests || !slices.Equal(p.Loads[0].PayloadBytes, want.payloads) || p.Rounds != want.rounds {
			t.Errorf("%s: modes %v, %d tests, payloads %v, %d rounds", name, modes, len(p.Loads[0].Tests), p.Loads[0].PayloadBytes, p.Rounds)
		}
		if got := len(p.Variants) * len(p.EveryWorkload()) * p.Rounds; got != p.Samples() {
			t.Errorf("%s: %d samples by its workloads, %d by Samples", name, got, p.Samples())
		}
	}
	quick, _ := Preset("quick")
	if d := quick.Expected(); d < 40*time.Second || d > 80*time.Second {
		t.Errorf("quick is expected to take %v, about a minute was promised", d)
	}
}

func TestEveryFaultIsNamedWithItsKeyAndLine(t *testing.T) {
	_, err := Read([]byte(`name = "mine"
rounds = -1
host = "192.168.1.7"
reference = "nobody"

[load]
tests = ["SET", "GTE"]
payload_bytes = [-3]
clients = [0]
seconds = 0.0
requests = 0

[[variant]]
placement = "native"
cpus = "2"

[[variant]]
label = "native"
placement = "docker"
image = "redis:7.2"
persistence = "maybe"

[[variant]]
placement = "pinned"
cpus = "two"
password = "hush"
`))
	var faults Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v", err)
	}
	want := map[string]int{
		"rounds": 2, "host": 3, "reference": 4, "load.tests": 7, "load.payload_bytes": 8, "load.clients": 9, "load.seconds": 10,
		"variant[1].cpus": 15, "variant[2].label": 18, "variant[2].placement": 19, "variant[2].image": 20, "variant[2].persistence": 21,
		"variant[3].cpus": 25, "variant[3].password": 26,
	}
	got := map[string]int{}
	for _, f := range faults {
		got[f.Key] = f.Line
	}
	for key, line := range want {
		if got[key] != line {
			t.Errorf("%s: line %d, want %d", key, got[key], line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("faults: %v", err)
	}
	if strings.Contains(err.Error(), "hush") {
		t.Error("the password is in the error text")
	}
	if strings.Contains(err.Error(), "plan.") {
		t.Errorf("a sentence is missing from the catalogue:\n%v", err)
	}
}

func TestUnknownKeysAndBrokenTOMLAreNamedWithTheirLine(t *testing.T) {
	for in, want := range map[string]string{
		"rounds = 4\ncolour = 1\n":           "line 2: colour: ",
		"[load]\ntests = [\"SET\"]\nspeed=1": "line 3: load.speed: ",
		"rounds = \"four\"\n":                "line 1: rounds: ",
		"rounds = 4\n[load\n":                "line 2: TOML: ",
		"rounds = 0\n[load]\ntests = [\"SET\"]\nseconds = 1.0\n[[variant]]\nplacement = \"native\"\n": "line 1: rounds: ",
	} {
		_, err := Read([]byte(in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", in, err, want)
		}
	}
}

func TestAPlanSurvivesWritingAndReading(t *testing.T) {
	p, _ := Preset("payload")
	p.Variants = append(p.Variants, Variant{Label: "mine", Service: Redis, Placement: Existing, Host: "localhost", Port: 6380, User: "u", Password: "hush"})
	raw, err := p.Write()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), "hush") {
		t.Error("the password was written")
	}
	q, err := Read(raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	again, _ := q.Write()
	if string(again) != string(raw) {
		t.Errorf("wrote\n%s\nread back as\n%s", raw, again)
	}
}

func TestSetTakesTheKeysOfTheFile(t *testing.T) {
	p, _ := Preset("quick")
	for key, value := range map[string]string{"rounds": "2", "payload": "100, 500", "load.tests": "set,get", "seconds": "0.2", "modes": "native,pinned", "port": "auto"} {
		if err := p.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Set("variant.pinned.cpus", "02"); err != nil {
		t.Fatal(err)
	}
	p.Complete()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if p.Samples() != 2*2*2*2 || p.Loads[0].Tests[0] != "SET" || p.Variants[1].CPUs != "02" {
		t.Errorf("got %+v", p)
	}
	for key, value := range map[string]string{"colour": "red", "rounds": "many", "variant.nobody.cpus": "1", "variant.pinned.size": "1", "payload": "1,x"} {
		if err := p.Set(key, value); err == nil {
			t.Errorf("--set %s=%s was taken", key, value)
		}
	}
}

func TestWhatIsSetOfAModeCountsInAnyOrder(t *testing.T) {
	for _, options := range [][]string{{"cpus=2", "modes=pinned"}, {"modes=pinned", "cpus=2"}, {"variant.pinned.cpus=2", "modes=pinned"}} {
		p, _ := Preset("quick")
		if err := p.SetAll(options); err != nil || len(p.Variants) != 1 || p.Variants[0].CPUs != "2" {
			t.Errorf("%v: %v, %+v", options, err, p.Variants)
		}
	}
	p, _ := Preset("quick")
	if err := p.SetAll([]string{"requests=1000", "seconds=1"}); err == nil {
		t.Error("two stop rules were taken, and one dropped")
	}
	if err := p.SetAll([]string{"port=6390", "modes=existing"}); err != nil || p.Variants[0].Port != 6390 || p.Port != 0 {
		t.Errorf("the only server is an existing one, and port means another: %v, %+v", err, p)
	}
	if err := p.SetAll([]string{"rounds"}); err == nil {
		t.Error("an option without a value was taken")
	}
}

func TestAMySQLVariantHasItsOwnWorkloads(t *testing.T) {
	p, err := Read([]byte(`rounds = 2
[load]
tests = ["SET", "GET"]
seconds = 0.5
[oltp]
threads = [2, 4]
seconds = 1.0
[[variant]]
placement = "native"
[[variant]]
service = "mysql"
placement = "docker-nat"
`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Variants[1].Label != "mysql" || p.Samples() != 2*(2+2) || len(p.EveryWorkload()) != 4 {
		t.Errorf("label %s, %d samples, %d workloads", p.Variants[1].Label, p.Samples(), len(p.EveryWorkload()))
	}
	if w := p.Workloads(p.Variants[1])[1]; w.Test != "oltp_read_write" || w.Clients != 4 || w.Keyspace != 400_000 || w.Duration != time.Second {
		t.Errorf("got %+v", w)
	}
	_, err = Read([]byte("[oltp]\nscripts = [\"bulk\"]\ntables = -1\nrand_type = \"zipf\"\n[[variant]]\nservice = \"mysql\"\nplacement = \"native\"\n"))
	for _, want := range []string{"line 2: oltp.scripts", "line 3: oltp.tables", "line 4: oltp.rand_type"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range PresetNames {
		p, _ := Preset(name)
		raw, _ := p.Write()
		f.Add(raw)
	}
	f.Add([]byte("[[variant]]\nplacement=1"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Read(raw)
		if err != nil {
			return
		}
		if err := p.Check(); err != nil {
			t.Errorf("read without a fault, and then: %v", err)
		}
	})
}
