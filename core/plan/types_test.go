package plan

import (
	"strings"
	"testing"
)

func TestEveryFaultIsNamedBesideOnesOfType(t *testing.T) {
	_, err := Read([]byte(`rounds = "six"
hots = "x"
[load]
tests = "SET"
clients = [1, "two"]
seconds = true
pipelines = [0]
[[variant]]
placement = "native"
tls = "yes"
[[variant]]
placement = "nowhere"
colour = "red"
`))
	if err == nil {
		t.Fatal("the plan passes")
	}
	want := []string{
		`line 1: rounds: takes a whole number, not "six"`,
		`line 2: hots: there is no such key`,
		`line 4: load.tests: takes a list of texts such as ["SET", "GET"], not "SET"`,
		`line 5: load.clients: takes a list of whole numbers such as [1, 2], not "two"`,
		`line 6: load.seconds: takes a number, not true`,
		`line 7: load.pipelines: 0 is not possible`,
		`line 10: variant[1].tls: takes true or false, not "yes"`,
		`line 12: variant[2].placement: there is no mode nowhere`,
		`line 13: variant.colour: there is no such key`,
	}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d faults, want %d:\n%v", len(got), len(want), err)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("said %s, want %s", got[i], want[i])
		}
	}
}
