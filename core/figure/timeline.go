package figure

import (
	"cmp"
	"strconv"
	"time"

	"berth/core/result"
)

// timed is a sample with when it ended, and what it did a second on the way.
type timed struct {
	sample result.Sample
	end    time.Time
	ticks  []result.Event
}

// timeline pairs each finished sample with the ticks that came before it.
func (v *view) timeline() (samples []timed, rounds []result.Event) {
	var ticks []result.Event
	for _, e := range v.run.Events {
		switch {
		case e.Phase != nil:
			ticks = nil
		case e.Tick != nil:
			ticks = append(ticks, e)
		case e.Round != nil:
			rounds = append(rounds, e)
		case e.Sample != nil:
			samples = append(samples, timed{*e.Sample, e.At, ticks})
			ticks = nil
		}
	}
	return samples, rounds
}

// hasTimeline says whether it is known when samples were taken.
func hasTimeline(v *view) bool {
	samples, _ := v.timeline()
	return hasRows(v) && len(samples) > 1 && len(v.run.Imported) == 0
}

// shortRun is up to how long a run's axis is of seconds: minutes would have few round numbers in it.
const shortRun = 3 * time.Minute

// overTime shows each test's samples where they lie in the run, so that drift
// and neighbours that disturbed are seen. The rounds are marked.
func overTime(v *view) content {
	samples, rounds := v.timeline()
	start := v.run.Events[0].At
	if len(rounds) > 0 {
		start = rounds[0].At
	}
	unit, since := "figure.minutes", func(t time.Time) float64 { return t.Sub(start).Minutes() }
	if samples[len(samples)-1].end.Sub(start) < shortRun {
		unit, since = "figure.seconds", func(t time.Time) float64 { return t.Sub(start).Seconds() }
	}
	chart := &lineChart{
		series: v.series(),
		x:      axis{unit: v.text.T(unit), fromZero: true, ticks: plainTicks, write: func(t float64) string { return tickText(t, false) }},
		y:      axis{unit: v.text.T(v.ofService("figure.requests-per-second")), ticks: plainTicks, write: rateText},
	}
	for _, e := range rounds {
		chart.rules = append(chart.rules, rule{since(e.At), strconv.Itoa(e.Round.Round)})
	}
	for _, s := range v.settings {
		for _, test := range v.tests {
			p := panel{title: v.panelTitle(test, s)}
			for i, w := range v.variants {
				cv := curve{series: i, points: [][]point{nil}, dots: true}
				for _, t := range samples {
					if t.sample.Variant != w.label || t.sample.Workload.Test != test || settingOf(t.sample.Workload.Cell()) != s {
						continue
					}
					if rps := t.sample.RPS(); finite(rps) {
						cv.points[0] = append(cv.points[0], point{since(t.end.Add(-t.sample.Elapsed / 2)), rps})
						p.curves = append(p.curves, curve{series: i, points: [][]point{t.onTheWay(since)}})
					}
				}
				if len(cv.points[0]) > 0 {
					p.curves = append(p.curves, cv)
				}
			}
			if len(p.curves) > 0 {
				chart.panels = append(chart.panels, p)
			}
		}
	}
	return v.lineContent(cmp.Or(v.drifted(), v.text.T("figure.title.time")), "figure.rounds-shown", chart, v.text.T("figure.time-method"))
}

// onTheWay are the rates that a sample went through, where it was long enough
// to have some.
func (t timed) onTheWay(since func(time.Time) float64) []point {
	if len(t.ticks) < 3 {
		return nil
	}
	var out []point
	for _, e := range t.ticks {
		if finite(e.Tick.RPS) {
			out = append(out, point{since(e.At), e.Tick.RPS})
		}
	}
	return out
}

// panelTitle is a test's name, with the setting where there are several.
func (v *view) panelTitle(test string, s setting) string {
	if name := v.settingName(s); name != "" {
		return test + " · " + name
	}
	return test
}

// lineContent is what every figure of lines has around them.
func (v *view) lineContent(title, lead string, chart *lineChart, method string) content {
	c := v.content(title, lead, &barChart{}, &Marks{}, method)
	c.body, c.lines, c.drawn, c.marks = chart, true, v, nil
	return c
}
