package result

import (
	"strings"
	"testing"
)

func TestHistogramComesBackWhole(t *testing.T) {
	h := NewHistogram()
	for v := int64(1); v < 70_000_000; v = v*3/2 + 1 {
		if err := h.RecordValues(v, v%7+1); err != nil {
			t.Fatal(err)
		}
	}
	text, err := EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text, "\n\" ") {
		t.Errorf("not fit for a line of JSON: %q", text)
	}
	back, err := DecodeHistogram(text)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Equals(back) || back.TotalCount() != h.TotalCount() {
		t.Errorf("%d values came back as %d, or others", h.TotalCount(), back.TotalCount())
	}
	for _, p := range []float64{0, 50, 95, 99, 99.9, 100} {
		if a, b := h.ValueAtQuantile(p), back.ValueAtQuantile(p); a != b {
			t.Errorf("percentile %v: %d came back as %d", p, a, b)
		}
	}
}

func TestHistogramsMergeAfterDecoding(t *testing.T) {
	sum := NewHistogram()
	for _, v := range []int64{100, 5000} {
		h := NewHistogram()
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		text, err := EncodeHistogram(h)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeHistogram(text)
		if err != nil {
			t.Fatal(err)
		}
		if dropped := sum.Merge(back); dropped != 0 {
			t.Errorf("%d dropped", dropped)
		}
	}
	if sum.TotalCount() != 2 || sum.Min() != 100 {
		t.Errorf("merged: %d values from %d", sum.TotalCount(), sum.Min())
	}
}

func TestNoLatenciesAreNoText(t *testing.T) {
	if text, err := EncodeHistogram(nil); text != "" || err != nil {
		t.Errorf("nil: %q, %v", text, err)
	}
	if text, err := EncodeHistogram(NewHistogram()); text != "" || err != nil {
		t.Errorf("empty: %q, %v", text, err)
	}
	if h, err := DecodeHistogram(""); err != nil || h.TotalCount() != 0 {
		t.Errorf("%v, %v", h, err)
	}
}

func FuzzDamagedHistogramIsAnError(f *testing.F) {
	h := NewHistogram()
	if err := h.RecordValue(42); err != nil {
		f.Fatal(err)
	}
	text, err := EncodeHistogram(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add("not a histogram")
	f.Add("HISTFAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if h, err := DecodeHistogram(text); (h == nil) == (err == nil) {
			t.Errorf("%q: %v, %v", text, h, err)
		}
	})
}
