package figure

import (
	"math"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"

	"berth/core/result"
)

func hasDistribution(v *view) bool {
	for _, row := range v.rows {
		if v.merged(row) != nil {
			return true
		}
	}
	return false
}

// distribution shows latency over the share of requests that were faster, on
// the scale 1−10⁻ⁿ: each step to the right is a tenth of the requests before it.
func distribution(v *view) content {
	chart := &lineChart{
		series: v.series(),
		x:      axis{unit: v.text.T(v.ofService("figure.share-faster")), ticks: nines, write: nineText},
		y:      axis{unit: v.text.T("figure.milliseconds-log"), log: true, ticks: logTicks, write: func(t float64) string { return tickText(t, false) }},
	}
	for _, s := range v.settings {
		for _, test := range v.tests {
			p := panel{title: v.panelTitle(test, s)}
			for i, w := range v.variants {
				row, ok := v.row(w, test, s)
				if !ok {
					continue
				}
				if h := v.merged(row); h != nil {
					p.curves = append(p.curves, curve{series: i, points: [][]point{quantiles(h)}})
				}
			}
			if len(p.curves) > 0 {
				chart.panels = append(chart.panels, p)
			}
		}
	}
	return v.lineContent(v.tailFinding("figure.title.distribution"), v.ofService("figure.together"), chart, v.latencyMethod(""))
}

// quantiles of h in milliseconds at n, for the share 1−10⁻ⁿ: up to where ten
// requests are left, because beyond it single ones make the line.
func quantiles(h *hdrhistogram.Histogram) []point {
	last := min(6, math.Log10(float64(h.TotalCount())/10))
	var out []point
	for n := half; n <= last || len(out) == 0; n += 0.05 {
		us := h.ValueAtPercentile(100 * (1 - math.Pow(10, -n)))
		out = append(out, point{n, float64(max(us, 1)) / 1000})
	}
	return out
}

// half is n for the median: the axis begins there, because what is below says
// little of a service and would take most of the height.
var half = math.Log10(2)

// nines are the median and the whole n of an axis of 1−10⁻ⁿ.
func nines(low, high float64, _ int) []float64 {
	out := []float64{half}
	for n := math.Ceil(low); n <= high; n++ {
		out = append(out, n)
	}
	return out
}

// nineText writes 1−10⁻ⁿ as a percentage: 50%, 90%, 99%, 99.9%.
func nineText(n float64) string {
	if n == half {
		return "50%"
	}
	decimals := max(0, int(math.Round(n))-2)
	return strconv.FormatFloat(100*(1-math.Pow(10, -math.Round(n))), 'f', decimals, 64) + "%"
}

// merged is the histogram of a row's samples together; nil if a sample has no
// latencies that can be read, because the rest would not stand for all.
func (v *view) merged(row result.SummaryRow) *hdrhistogram.Histogram {
	var merged *hdrhistogram.Histogram
	for _, s := range v.samples(row) {
		h, err := result.DecodeHistogram(s.Latency)
		if err != nil || h.TotalCount() == 0 {
			return nil
		}
		if merged == nil {
			merged = h
		} else if merged.Merge(h) > 0 {
			return nil
		}
	}
	return merged
}
