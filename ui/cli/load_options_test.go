package cli

import "testing"

func TestNumbersAreDecimalAsRedisBenchmarkReadsThem(t *testing.T) {
	n := int64(0)
	v := decimal(&n, 100_000)
	if n != 100_000 || v.String() != "100000" {
		t.Errorf("the default is %d, shown as %s", n, v)
	}
	if err := v.Set("010"); err != nil || n != 10 {
		t.Errorf("010 is %d (%v), want 10", n, err)
	}
	for _, s := range []string{"0x10", "1_000", "1e5", "", "9223372036854775808"} {
		if err := v.Set(s); err == nil {
			t.Errorf("%q was taken as %d", s, n)
		}
	}
	port := 0
	if err := decimal(&port, 6379).Set("-1"); err != nil || port != -1 {
		t.Errorf("-1 is %d (%v): its range is checked elsewhere", port, err)
	}
}
