package figure

import (
	"cmp"
	"strings"

	"berth/core/result"
)

func hasCPU(v *view) bool {
	for _, row := range v.rows {
		if v.cpuCell(row).state == measured {
			return true
		}
	}
	return false
}

// cpu shows what share of a core the server, the load client and docker-proxy
// used while each test was measured: the mean of the rounds, stacked.
func cpu(v *view) content {
	return v.bars(cmp.Or(v.proxyFinding(), v.text.T("figure.title.cpu")), "figure.percent-of-core", "figure.mean-of", v.cpuCell, v.text.T("figure.cpu-method"))
}

func (v *view) cpuCell(row result.SummaryRow) cell {
	var parts [3]mean
	for _, s := range v.samples(row) {
		for i, p := range []*float64{s.ServerCPU, s.ClientCPU, s.ProxyCPU} {
			parts[i].add(known(p))
		}
	}
	c := cell{}
	var said []string
	for _, p := range parts {
		c.parts = append(c.parts, p.value())
		c.value += p.value()
		if p.count > 0 {
			c.state = measured
			said = append(said, grouped(p.value(), 0))
		}
	}
	c.labels = []string{strings.Join(said, " + "), grouped(c.value, 0) + "%"}
	return c
}

// A mean of the values that are known.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(v *float64) {
	if v != nil && *v >= 0 {
		m.sum += *v
		m.count++
	}
}

func (m *mean) value() float64 {
	if m.count == 0 {
		return 0
	}
	return m.sum / float64(m.count)
}
