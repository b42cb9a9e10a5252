package result

import (
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestMergerAgreesWithTheLibrary(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	var m Merger
	for range 2 { // the second time over the memory of the first
		m.Reset()
		want := NewHistogram()
		for range 5 {
			h := NewHistogram()
			for range 2000 {
				if err := h.RecordValues(1+source.Int64N(latencyMax>>source.IntN(27)), 1+source.Int64N(1<<source.IntN(40))); err != nil {
					t.Fatal(err)
				}
			}
			want.Merge(h)
			s, err := EncodeHistogram(h)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Add(s); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.Histogram(); !got.Equals(want) || got.TotalCount() != want.TotalCount() {
			t.Fatalf("merged %d latencies, want %d", got.TotalCount(), want.TotalCount())
		}
	}
}

func TestMergerOfNothingIsEmpty(t *testing.T) {
	var m Merger
	if err := m.Add(""); err != nil || m.Histogram().TotalCount() != 0 {
		t.Errorf("an empty latency was refused or counted: %v", err)
	}
}

func TestMergerTakesOtherBoundsToo(t *testing.T) {
	other := hdrhistogram.New(1, 60_000_000, 2)
	other.RecordValues(500, 3)
	b, err := other.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	own := NewHistogram()
	own.RecordValues(400, 2)
	s, err := EncodeHistogram(own)
	if err != nil {
		t.Fatal(err)
	}
	var m Merger
	for _, add := range []string{string(b), s} {
		if err := m.Add(add); err != nil {
			t.Fatal(err)
		}
	}
	if h := m.Histogram(); h.TotalCount() != 5 || h.Min() != 400 || h.Max() < 500 {
		t.Errorf("merged %d latencies from %d to %d µs", h.TotalCount(), h.Min(), h.Max())
	}
}

func FuzzMergerRefusesWhatTheLibraryRefuses(f *testing.F) {
	h := NewHistogram()
	h.RecordValues(300, 7)
	h.RecordValues(latencyMax, 1)
	good, err := EncodeHistogram(h)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add("HISTFAAA")
	f.Fuzz(func(t *testing.T, s string) {
		var m Merger
		if m.Add(s) != nil {
			return
		}
		want, err := DecodeHistogram(s)
		if err != nil {
			t.Fatalf("merged %q, which the library refuses: %v", s, err)
		}
		if got := m.Histogram().TotalCount(); got != want.TotalCount() {
			t.Fatalf("merged %d latencies of %q, the library reads %d", got, s, want.TotalCount())
		}
	})
}
