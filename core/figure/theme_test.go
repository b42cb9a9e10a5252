package figure

import (
	"math"
	"testing"

	"github.com/wcharczuk/go-chart/v2/drawing"
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
