package report

import (
	"fmt"
	"strings"

	"berth/core/plan"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/text"
)

// Quiet is what v shows as redis-benchmark -q prints it, for scripts that read that: a line
// a test with the median of the rounds, under a line that begins with # for each mode, payload, pipeline
// and number of clients. MySQL, which redis-benchmark knows nothing of, is left out.
func (v View) Quiet(r *result.Run, c *text.Catalogue) string {
	var b strings.Builder
	head := ""
	for _, s := range v.Summary(r) {
		if s.Service == plan.MySQL || s.RPS == nil || s.P50 == nil {
			continue
		}
		// The options as redis-benchmark takes them; the same in every language.
		h := "# " + result.Name(r, s.Variant, c) + ":"
		for _, option := range []struct {
			name  string
			value int
		}{{"d", s.PayloadBytes}, {"P", s.Pipeline}, {"c", s.Clients}} {
			if option.value > 0 { // 0 is unknown, in what other tools reported
				h += fmt.Sprintf(" -%s %d", option.name, option.value)
			}
		}
		if h += "\n"; h != head {
			b.WriteString(h)
			head = h
		}
		title := s.Test
		if t, err := redisload.Lookup(r.Plan.Load(s.Load).Suite, s.Test); err == nil {
			title = t.Title
		}
		b.WriteString(redisload.QuietLine(title, *s.RPS, *s.P50))
	}
	return b.String()
}
