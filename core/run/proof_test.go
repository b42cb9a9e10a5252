//go:build proof

package run

import (
	"testing"

	"berth/core/need"
	"berth/core/result"
	"berth/core/stats"
)

// TestTheSameServerUnderTwoNamesInRealRuns is the A/A proof on this machine: real, very
// short runs of one native server under two names. Of 20 at most 3 may show a difference
// in the first family: with a level of 5%, more come by chance in 1.6% of such proofs. It
// takes a minute, and is run by `make proof` alone.
func TestTheSameServerUnderTwoNamesInRealRuns(t *testing.T) {
	need.Redis(t)
	const runs, rounds, most = 20, 4, 3
	wrong := 0
	for i := range runs {
		p := short(rounds)
		p.Seed = uint64(i + 1)
		p.Loads[0].Tests = []string{"SET", "GET"}
		r, err := Execute(t.Context(), Options{Plan: p})
		if err != nil {
			t.Fatal(err)
		}
		c := stats.Compare(r, "")[0]
		if c.Test != "" || c.Rounds != rounds || c.PValue == nil {
			t.Fatalf("run %d gave %+v", i+1, c)
		}
		if c.Verdict != result.NoDifference {
			wrong++
		}
		t.Logf("run %2d: ratio %.3f (%.3f to %.3f), p %.3f, could have seen %2.0f%%: %s",
			i+1, *c.Ratio, *c.RatioLow, *c.RatioHigh, *c.PValue, 100**c.SmallestDetectable, c.Verdict)
	}
	t.Logf("%d of %d runs show a difference, at most %d may", wrong, runs, most)
	if wrong > most {
		t.Error("the method finds differences where there are none")
	}
	nothingLeft(t)
}
