//go:build !headless

package window

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
)

func TestACheckShowsBothToolsAndWhichWasTheLimit(t *testing.T) {
	r := measured(t)
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Variant == plan.DockerNAT && s.Workload.Test == "GET" {
			s.Bottleneck = result.BottleneckClient
		}
	}
	c := &fakeCore{kept: []string{r.Path}, runs: map[string]*result.Run{r.Path: r}}
	w := open(t, c)
	if said := strings.Join(texts(w.win.Content()), "\n"); !strings.Contains(said, "redis-benchmark is itself the limit") {
		t.Errorf("it is not offered:\n%s", said)
	}
	percent := func(x float64) *float64 { return &x }
	var asked []string
	c.check = func(variant string, w plan.Workload) (*run.Checked, error) {
		asked = append(asked, variant+" "+w.Test)
		return &run.Checked{Variant: variant, Workload: w, Turns: 3,
			Berth:     run.Tool{RPS: 180000, Least: 170000, Most: 190000, ClientCPU: percent(71), ServerCPU: percent(99), PerRequest: 3900 * time.Nanosecond, Bottleneck: result.BottleneckServer},
			Benchmark: run.Tool{RPS: 120000, Least: 110000, Most: 130000, ClientCPU: percent(98), ServerCPU: percent(62), PerRequest: 8200 * time.Nanosecond, Bottleneck: result.BottleneckClient}}, nil
	}
	test.Tap(button(t, w.win.Content(), "Check …"))
	top := w.win.Canvas().Overlays().Top()
	test.Tap(button(t, top, "Check"))
	w.rest()
	said := strings.Join(texts(top), "\n")
	for _, want := range []string{"redis-benchmark is itself the limit here: on Docker -p", "180,000", "120,000", "98%", "71%", "8.20", "3.90", "the server"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not shown:\n%s", want, said)
		}
	}
	if strings.Join(asked, ",") != "docker-nat GET" {
		t.Errorf("checked %v, not what the client limited", asked)
	}
	test.Tap(button(t, top, "Copy"))
	if got := w.app.Clipboard().Content(); !strings.Contains(got, "Requests/s\t180,000 (170,000–190,000)\t120,000") {
		t.Errorf("copied %q", got)
	}
	c.check = func(string, plan.Workload) (*run.Checked, error) {
		return nil, errors.New("redis-benchmark is not there")
	}
	test.Tap(button(t, top, "Check"))
	w.rest()
	if said := strings.Join(texts(top), "\n"); !strings.Contains(said, "redis-benchmark is not there") || strings.Contains(said, "180,000") {
		t.Errorf("the reason is not shown alone:\n%s", said)
	}
}
