package cli

import (
	"encoding/json"
	"io"

	"github.com/HdrHistogram/hdrhistogram-go"

	"berth/assets"
	"berth/core/redisload"
	"berth/core/result"
)

// A loadDocument is one test as a line of JSON. Names are those of samples.csv
// where it has them; CPU is in percent of one core.
type loadDocument struct {
	Berth        string            `json:"berth"`
	Address      string            `json:"address"`
	Masters      []string          `json:"masters,omitempty"` // of the cluster that was loaded
	Database     int               `json:"database"`
	Suite        string            `json:"suite,omitempty"`
	Test         string            `json:"test"`
	Command      []string          `json:"command,omitempty"`
	PayloadBytes int               `json:"payload_bytes"`
	Pipeline     int               `json:"pipeline"`
	Clients      int               `json:"clients"`
	Keyspace     int64             `json:"keyspace,omitempty"`
	Prefix       string            `json:"prefix,omitempty"`
	Seed         uint64            `json:"seed"`
	RateAsked    float64           `json:"rate_asked,omitempty"`
	Requests     int64             `json:"requests"`
	Errors       int64             `json:"errors"`
	Misses       int64             `json:"misses"`
	Short        int64             `json:"short_lists"` // of them
	Reconnects   int64             `json:"reconnects"`
	Outage       float64           `json:"outage_seconds,omitempty"`
	Seconds      float64           `json:"seconds"`
	RPS          float64           `json:"rps"`
	Latency      loadLatency       `json:"latency_ms"`
	Uncorrected  *loadLatency      `json:"uncorrected_latency_ms,omitempty"` // at a fixed rate
	ClientCPU    *float64          `json:"client_cpu_pct"`
	ServerCPU    *float64          `json:"server_cpu_pct"`
	MachineCPU   *float64          `json:"machine_cpu_pct"`
	Threads      int               `json:"agent_threads"`
	Engine       string            `json:"engine"`
	Bottleneck   string            `json:"bottleneck"`
	TooShort     bool              `json:"too_short"`
	State        string            `json:"state,omitempty"`
	Cut          string            `json:"cut,omitempty"`
	FirstErrors  map[string]string `json:"first_errors,omitempty"`
}

// A loadLatency has milliseconds.
type loadLatency struct {
	Avg  float64 `json:"avg"`
	Min  float64 `json:"min"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

func latencyOf(h *hdrhistogram.Histogram) loadLatency {
	at := func(us int64) float64 { return float64(us) / 1000 }
	return loadLatency{
		Avg: h.Mean() / 1000, Min: at(h.Min()), P50: at(h.ValueAtPercentile(50)), P95: at(h.ValueAtPercentile(95)),
		P99: at(h.ValueAtPercentile(99)), P999: at(h.ValueAtPercentile(99.9)), Max: at(h.Max()),
	}
}

func writeLoad(w io.Writer, j testJob, r redisload.Result, s *result.Sample) error {
	d := loadDocument{
		Berth: assets.Version, Address: j.job.Target.Address, Database: j.job.Target.Database,
		Suite: j.job.Suite, Test: j.test.Name, Command: j.job.Args,
		PayloadBytes: j.job.PayloadBytes, Pipeline: j.job.Pipeline, Clients: j.job.Clients,
		Keyspace: j.job.Keyspace, Prefix: j.job.Prefix, Seed: j.job.Seed, RateAsked: j.job.Rate,
		Requests: r.Requests, Errors: r.Errors, Misses: r.Misses, Short: r.Short, Reconnects: r.Reconnects, Outage: r.Outage.Seconds(),
		Seconds: r.Elapsed.Seconds(), RPS: r.RPS(), Latency: latencyOf(r.Latency),
		ClientCPU: s.ClientCPU, ServerCPU: s.ServerCPU, MachineCPU: s.MachineCPU, Threads: r.Threads, Engine: r.Engine,
		Bottleneck: s.Bottleneck, TooShort: s.TooShort(), State: r.State, Cut: r.Cut, FirstErrors: r.FirstErrors,
	}
	for _, m := range j.job.Masters {
		d.Masters = append(d.Masters, m.Address)
	}
	if len(j.job.Args) > 0 {
		d.Suite = ""
	}
	if r.Service != nil {
		u := latencyOf(r.Service)
		d.Uncorrected = &u
	}
	return json.NewEncoder(w).Encode(d)
}
