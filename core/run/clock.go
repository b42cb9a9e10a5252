package run

import (
	"time"

	"berth/core/plan"
)

// settled is how much of a plan must be done before its own pace foretells the rest.
const settled = 5 * time.Second

// A clock foretells how long a session still takes: what the plan expects of
// the rest, at the pace of what is done.
type clock struct {
	began    time.Time
	expected time.Duration // of the whole session
	passed   time.Duration // of expected, for what is done
	done     int           // samples
	total    int
}

func (c *clock) begin(p plan.Plan, rounds int) {
	p.Rounds = rounds
	*c = clock{began: time.Now(), total: p.Samples(), expected: p.Expected()}
}

// pass notes that something is done that was expected to take d, with so many samples.
func (c *clock) pass(d time.Duration, samples int) {
	c.passed += d
	c.done += samples
}

func (c *clock) left() time.Duration { return c.leftAt(time.Now()) }

func (c *clock) leftAt(now time.Time) time.Duration {
	rest := max(0, c.expected-c.passed)
	if c.passed < settled {
		return rest
	}
	return time.Duration(float64(rest) * float64(now.Sub(c.began)) / float64(c.passed))
}
