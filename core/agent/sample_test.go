package agent

import (
	"testing"
	"time"

	"berth/core/redisload"
	"berth/core/result"
)

func TestASampleHasItsBusiestThreadAndCPUInPercentOfOneCore(t *testing.T) {
	client := 750 * time.Millisecond
	r := &Result{Requests: 10, Elapsed: 500 * time.Millisecond, CPU: CPU{Client: &client, Threads: []time.Duration{250 * time.Millisecond, 450 * time.Millisecond}}}
	s := r.Sample()
	if s.ClientCPU == nil || *s.ClientCPU != 150 || s.BusiestThread == nil || *s.BusiestThread != 90 || s.ServerCPU != nil {
		t.Errorf("client %v, busiest thread %v, server %v", s.ClientCPU, s.BusiestThread, s.ServerCPU)
	}
}

func TestAResultComesBackAsItWasMeasured(t *testing.T) {
	h := result.NewHistogram()
	for us := int64(100); us <= 1000; us += 100 {
		if err := h.RecordValue(us); err != nil {
			t.Fatal(err)
		}
	}
	measured := redisload.Result{Requests: 10, Errors: 2, Misses: 3, Reconnects: 4, Elapsed: time.Second, Latency: h, Service: h,
		FirstErrors: map[string]string{"OOM": "OOM no"}, Engine: redisload.EngineEpoll, Threads: 2, State: "k: empty", Unsettled: true, Cut: "stopped"}
	line, err := newResult(measured, CPU{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := line.Measured()
	if err != nil {
		t.Fatal(err)
	}
	if back.Requests != 10 || back.Errors != 2 || back.Misses != 3 || back.Reconnects != 4 || back.Elapsed != time.Second || back.Threads != 2 ||
		back.Engine != redisload.EngineEpoll || back.State != "k: empty" || !back.Unsettled || back.Cut != "stopped" || back.FirstErrors["OOM"] != "OOM no" ||
		!back.Latency.Equals(h) || !back.Service.Equals(h) {
		t.Errorf("it came back as %+v", back)
	}
	line.Latency = "damaged"
	if _, err := line.Measured(); err == nil {
		t.Error("damaged latencies are no error")
	}
}
