package figure

import (
	"math"
	"strconv"
	"strings"
)

// finite says whether v may be drawn.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// known is v where it is a number that may be drawn, and nil where not.
func known(v *float64) *float64 {
	if v == nil || !finite(*v) {
		return nil
	}
	return v
}

// number writes v with thousands separated, and with as many decimals as three
// digits need.
func number(v float64) string {
	decimals := 0
	switch a := math.Abs(v); {
	case a == 0 || a >= 99.95:
	case a >= 9.995:
		decimals = 1
	case a >= 0.9995:
		decimals = 2
	default:
		decimals = 3
	}
	return grouped(v, decimals)
}

func grouped(v float64, decimals int) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	var b strings.Builder
	if v < 0 {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString("." + fraction)
	}
	return b.String()
}

// short writes v in at most five characters: 49.8k, 1.25M.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= 0.9995*unit.size {
			return strings.ReplaceAll(number(v/unit.size), ",", "") + unit.name
		}
	}
	return number(v)
}

// tickText writes a round number as an axis has it, in full or short.
func tickText(v float64, inShort bool) string {
	s := number(v)
	if inShort {
		s = short(v)
	}
	digits := strings.TrimRight(s, "GMk")
	if strings.Contains(digits, ".") {
		return strings.TrimRight(strings.TrimRight(digits, "0"), ".") + s[len(digits):]
	}
	return s
}

// percent writes a ratio as a share of a hundred, with a decimal where the
// whole number would hide it.
func percent(ratio float64) string {
	p := ratio * 100
	if p > 0 && p < 9.95 {
		return grouped(p, 1) + "%"
	}
	return grouped(p, 0) + "%"
}

// percentRange writes an interval of percentages whole, with a decimal where both ends would come out alike.
func percentRange(low, high float64) string {
	decimals := 0
	if grouped(low, 0) == grouped(high, 0) {
		decimals = 1
	}
	return grouped(low, decimals) + "–" + grouped(high, decimals)
}

// ticks are round numbers from 0 to at most high, about count of them.
func ticks(high float64, count int) []float64 {
	// What is below a billionth has no round steps that floating point can add up.
	if !(high > 1e-9) || !finite(high) {
		return []float64{0}
	}
	step := roundStep(high / float64(max(count, 1)))
	var out []float64
	for i := 0; float64(i)*step <= high*(1+1e-9); i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// roundStep is the smallest of 1, 2, 2.5, 5 × 10ⁿ that is not below s.
func roundStep(s float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(s)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= s*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// trimmed writes v with as many decimals as it has, at most two.
func trimmed(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}
