package figure

import (
	"math"
	"testing"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/plan"
)

// lightness is CIE L*, 0 to 100: what a grey copy leaves of a colour.
func lightness(c drawing.Color) float64 {
	y := luminance(c)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

func TestFirstSixVariantsDifferInGrey(t *testing.T) {
	for i := range 6 {
		for j := range i {
			if d := math.Abs(lightness(variantColor(i)) - lightness(variantColor(j))); d < 7 {
				t.Errorf("variants %d and %d are %.1f apart in lightness", j, i, d)
			}
		}
	}
}

func TestTextCanBeReadInEveryTheme(t *testing.T) {
	for name, th := range themes {
		for what, c := range map[string]drawing.Color{"ink": th.ink, "muted": th.muted} {
			// 4.5 is WCAG's AA for text of this size.
			if got := contrast(c, th.background); got < 4.5 {
				t.Errorf("%s: %s has a contrast of %.1f", name, what, got)
			}
		}
	}
}

func TestColoursComeAgainHatched(t *testing.T) {
	n := len(variantColors)
	for i := range 2 * n {
		for j := range i {
			if variantColor(i) == variantColor(j) && patternOf(i, themes[Light]) == patternOf(j, themes[Light]) {
				t.Errorf("variants %d and %d look the same", j, i)
			}
		}
	}
	if variantColor(-1) != variantColor(n-1) {
		t.Error("an index below 0 has no colour")
	}
}

func TestAPlacementHasItsColourInEveryRun(t *testing.T) {
	of := func(vs ...plan.Variant) map[string]int { return VariantColors(plan.Plan{Variants: vs}) }
	redis := func(label, placement string) plan.Variant {
		return plan.Variant{Label: label, Service: plan.Redis, Placement: placement}
	}
	nat, native := redis("nat", plan.DockerNAT), redis("native", plan.Native)
	if a, b := of(native, redis("pinned", plan.Pinned), nat), of(nat, native); a["nat"] != b["nat"] || a["native"] != b["native"] || a["nat"] == a["native"] {
		t.Errorf("colours %v and %v", a, b)
	}
	got := of(redis("second", plan.DockerHost), native, redis("valkey", plan.Native), plan.Variant{Label: "db", Service: plan.MySQL, Placement: plan.Native},
		plan.Variant{Label: "db2", Service: plan.MySQL, Placement: plan.DockerNAT})
	seen := map[int]bool{}
	for label, index := range got {
		if seen[index] {
			t.Errorf("%s has the colour of another: %v", label, got)
		}
		seen[index] = true
	}
	if got["valkey"] != 1 || got["db"] != 7 || got["db2"] != 2 {
		t.Errorf("further variants take the next that are free: %v", got)
	}
}
