package plan

import "testing"

func TestAKeyThatWouldChangeNothingIsRefused(t *testing.T) {
	for _, c := range []struct {
		options []string
		refused bool
	}{
		{[]string{"modes=native", "oltp.seconds=3"}, true},
		{[]string{"oltp.seconds=3", "modes=native,mysql"}, false}, // whatever the order
		{[]string{"modes=mysql", "seconds=3"}, true},
		{[]string{"modes=mysql", "load.tests=SET"}, true},
		{[]string{"modes=mysql", "oltp.seconds=3", "rounds=4"}, false},
		{[]string{"modes=native", "seconds=3", "load.clients=5"}, false},
	} {
		var p Plan
		if err := p.SetAll(c.options); (err != nil) != c.refused {
			t.Errorf("%v: %v", c.options, err)
		}
	}
}
