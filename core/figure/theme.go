package figure

import (
	"math"
	"slices"

	"github.com/wcharczuk/go-chart/v2/drawing"

	"berth/core/plan"
)

// Themes that a figure can be drawn in.
const (
	Light = "light"
	Dark  = "dark"
	Print = "print" // white, black, and hatched bars that a grey printer keeps apart
)

// A theme is the colours of everything but the variants.
type theme struct {
	background, ink, muted, grid, axis, watermark drawing.Color
	hatched                                       bool
}

var themes = map[string]theme{
	Light: {
		background: hex("#FFFFFF"), ink: hex("#1B222C"), muted: hex("#596473"),
		grid: hex("#E3E7EC"), axis: hex("#8A94A3"), watermark: veil("#D55E00"),
	},
	Dark: {
		background: hex("#171B21"), ink: hex("#EEF1F5"), muted: hex("#A9B3C1"),
		grid: hex("#2C333D"), axis: hex("#69748A"), watermark: veil("#FF9A4D"),
	},
	Print: {
		background: hex("#FFFFFF"), ink: hex("#000000"), muted: hex("#333333"),
		grid: hex("#DDDDDD"), axis: hex("#555555"), watermark: veil("#000000"), hatched: true,
	},
}

// variantColors are Okabe and Ito's blue, orange, bluish green, yellow,
// vermillion and reddish purple, with Paul Tol's wine and cyan between them in
// such an order that any two of the first six differ in lightness as well: by 7
// of L*'s 100 or more, so that a grey copy keeps them apart.
// https://jfly.uni-koeln.de/color/ and https://personal.sron.nl/~pault/
var variantColors = []drawing.Color{
	hex("#0072B2"), hex("#E69F00"), hex("#009E73"), hex("#882255"),
	hex("#88CCEE"), hex("#F0E442"), hex("#D55E00"), hex("#CC79A7"),
}

// VariantColor is the colour of an index that VariantColors gives, in every figure and
// in the window. After the eighth they come again, hatched in figures.
func VariantColor(index int) (r, g, b uint8) {
	c := variantColor(index)
	return c.R, c.G, c.B
}

// VariantColors gives each variant of p, by its label, the index of its colour. The first
// Redis of a placement has the colour that this placement has in every run, and
// the first MySQL the one that MySQL has; the others take the next that are free.
func VariantColors(p plan.Plan) map[string]int {
	colors, taken := map[string]int{}, map[int]bool{}
	for _, v := range p.Variants {
		if own := ownColor(v); own >= 0 && !taken[own] {
			colors[v.Label], taken[own] = own, true
		}
	}
	next := 0
	for _, v := range p.Variants {
		if _, has := colors[v.Label]; has {
			continue
		}
		for taken[next] {
			next++
		}
		colors[v.Label], taken[next] = next, true
	}
	return colors
}

// ownColor is the index that v's placement, or MySQL, has in every run; -1 if there is none.
func ownColor(v plan.Variant) int {
	if v.Service == plan.MySQL {
		return len(plan.Placements)
	}
	return slices.Index(plan.Placements, v.Placement)
}

func variantColor(index int) drawing.Color {
	n := len(variantColors)
	return variantColors[((index%n)+n)%n]
}

// mix is a with part of b in it, 0 to 1.
func mix(a, b drawing.Color, part float64) drawing.Color {
	m := func(x, y uint8) uint8 { return uint8(float64(x)*(1-part) + float64(y)*part + 0.5) }
	return drawing.Color{R: m(a.R, b.R), G: m(a.G, b.G), B: m(a.B, b.B), A: 255}
}

// veil is a colour that what lies under it is read through.
func veil(s string) drawing.Color {
	c := hex(s)
	c.A = 46
	return c
}

func hex(s string) drawing.Color { return drawing.ColorFromHex(s[1:]) }

// luminance is WCAG's relative luminance, 0 to 1.
// https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
func luminance(c drawing.Color) float64 {
	f := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*f(c.R) + 0.7152*f(c.G) + 0.0722*f(c.B)
}

// contrast of two colours as WCAG has it, 1 to 21.
func contrast(a, b drawing.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
