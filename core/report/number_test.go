package report

import (
	"testing"

	"berth/core/text"
)

func TestNumbersReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percentText(54.2), "54"}, {percentText(1.26), "1.3"}, {percentText(0), "0.0"}, {percentText(99.7), ">99"}, {percentText(-0.01), "0.0"}, {percentText(240), "240"},
		{grouped(0), "0"}, {grouped(999), "999"}, {grouped(121304.4), "121,304"}, {grouped(1234567), "1,234,567"}, {grouped(-1500), "-1,500"},
		{ratioText(0.0456), "0.046"}, {ratioText(0.456), "0.46"}, {ratioText(12.3), "12.30"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestIntervalHasTheDecimalsThatKeepItsEndsApart(t *testing.T) {
	for _, c := range []struct {
		value, low, high float64
		want             [3]string
	}{
		{54.3, 52.1, 57.4, [3]string{"54", "52", "57"}},
		{4.26, 3.9, 4.6, [3]string{"4.3", "3.9", "4.6"}},
		{0.524, 0.49, 0.561, [3]string{"0.52", "0.49", "0.56"}},
		{5, 5, 5, [3]string{"5.00", "5.00", "5.00"}},
	} {
		args := text.Args{}
		setRange(args, c.value, c.low, c.high)
		if got := [3]string{args["Value"].(string), args["Low"].(string), args["High"].(string)}; got != c.want {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}
