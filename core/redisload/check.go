package redisload

import (
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"strings"

	"berth/core/text"
)

// Limits of a job.
const (
	MaxPayloadBytes = 512 << 20 // proto-max-bulk-len of a Redis server
	MaxPipeline     = 1 << 20
	MaxClients      = 65_000
	MaxThreads      = 500
	MaxKeyspace     = 1_000_000_000_000 // what 12 digits can name
)

// Check says whether a job can be carried out, before anything is started:
// the first thing wrong with it, as a sentence of the catalogue. It does not
// look at the server.
func Check(job Job) error {
	refuse := func(id string, args text.Args) error { return text.Err("redisload."+id, args, nil) }
	switch {
	case job.Clients < 1 || job.Clients > MaxClients:
		return refuse("clients", text.Args{"Clients": job.Clients, "Most": MaxClients})
	case job.Pipeline < 1 || job.Pipeline > MaxPipeline:
		return refuse("pipeline", text.Args{"Pipeline": job.Pipeline, "Most": MaxPipeline})
	case job.PayloadBytes < 0 || job.PayloadBytes > MaxPayloadBytes:
		return refuse("payload", text.Args{"Payload": job.PayloadBytes, "Most": MaxPayloadBytes})
	case job.Keyspace < 0 || job.Keyspace > MaxKeyspace:
		return refuse("keyspace", text.Args{"Keyspace": job.Keyspace, "Most": int64(MaxKeyspace)})
	case job.Distinct && job.PayloadBytes < 12:
		return refuse("distinct", text.Args{"Payload": job.PayloadBytes})
	case job.Threads < 0 || job.Threads > MaxThreads:
		return refuse("threads", text.Args{"Threads": job.Threads, "Most": MaxThreads})
	case job.Requests < 0 || job.Duration < 0 || job.Requests == 0 && job.Duration == 0:
		return refuse("no-end", nil)
	case job.WarmUp < 0:
		return refuse("warm-up", text.Args{"WarmUp": job.WarmUp.String()})
	case job.Rate < 0 || math.IsNaN(job.Rate) || math.IsInf(job.Rate, 0):
		return refuse("rate", text.Args{"Rate": job.Rate})
	case job.Target.Network != "tcp" && job.Target.Network != "unix":
		return refuse("network", text.Args{"Network": job.Target.Network})
	case job.Target.Address == "":
		return refuse("address", nil)
	case job.Target.Database < 0:
		return refuse("database", text.Args{"Database": job.Target.Database})
	}
	if job.Target.Network == "tcp" {
		if _, _, err := net.SplitHostPort(job.Target.Address); err != nil {
			return text.Err("redisload.host-port", text.Args{"Address": job.Target.Address}, err)
		}
	}
	if len(job.Masters) > 0 && strings.Contains(job.Prefix, "{") {
		return refuse("prefix-tag", text.Args{"Prefix": text.Printable(job.Prefix)})
	}
	for _, m := range job.Masters {
		if _, _, err := net.SplitHostPort(m.Address); err != nil {
			return text.Err("redisload.host-port", text.Args{"Address": m.Address}, err)
		}
	}
	if t := job.Target.TLS; t != nil {
		if err := t.chooseCiphers(&tls.Config{}); err != nil { //nolint:gosec // it connects nowhere
			return err
		}
	}
	test, err := testOf(job)
	if err != nil {
		return err
	}
	if most := fileLimit(); most > 0 && uint64(job.Clients)+spareFiles > most {
		return refuse(KindFiles, text.Args{"Address": job.Target.Address, "Clients": job.Clients, "Files": most, "Need": uint64(job.Clients) + spareFiles})
	}
	if need, free := memoryOf(job, test), freeMemory(); free > 0 && need > free {
		return refuse("memory", text.Args{
			"Sum":  memorySum(job, test),
			"Need": sizeText(need),
			"Free": sizeText(free),
		})
	}
	return nil
}

// spareFiles are the files that are open beside the connections.
const spareFiles = 32

// memoryOf is the memory in bytes that both sides may need at once: what is
// in flight on every connection, the agent's templates, and the data state.
func memoryOf(job Job, test Test) uint64 {
	return clientMemory(job, test) + serverMemory(job, test)
}

// requestBytes is the longer of a request and its reply.
func requestBytes(job Job, test Test) uint64 {
	values := uint64(1)
	if test.elements > 0 {
		values = uint64(test.elements)
	} else {
		n := uint64(0)
		for _, a := range test.Args {
			if a == dataMark {
				n++
			}
		}
		values = max(values, n)
	}
	return values * (uint64(job.PayloadBytes) + 16)
}

func clientMemory(job Job, test Test) uint64 {
	one := requestBytes(job, test)
	if test.elements > 0 {
		one = 64 // its request is short, and its reply is not kept
	}
	template := max(one, min(uint64(job.Pipeline)*one, chunkBytes))
	perConnection := uint64(1 << 10)
	if nodes := uint64(len(job.nodes())); uint64(threadsOf(job)) < nodes {
		template *= nodes // each thread loads more than one of them
	}
	return uint64(threadsOf(job))*(template+receiveBytes+1<<18) + uint64(job.Clients)*perConnection
}

// serverMemory is what the server holds when every connection has its whole
// pipeline in the server's buffers, and the data state. A server elsewhere
// has memory of its own.
func serverMemory(job Job, test Test) uint64 {
	if !local(job.Target) {
		return 0
	}
	inFlight := uint64(job.Clients) * uint64(job.Pipeline) * requestBytes(job, test)
	if job.Prepare {
		inFlight += uint64(max(0, stateOf(job, test).bytes)) * uint64(len(job.nodes()))
	}
	return inFlight
}

func memorySum(job Job, test Test) string {
	return fmt.Sprintf("%d clients × %d × %s", job.Clients, job.Pipeline, sizeText(requestBytes(job, test)))
}

func sizeText(bytes uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(bytes), 0
	for v >= 1024 && i < len(units)-1 {
		v /= 1024
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.1f %s", v, units[i])
}

// local says whether the server shares this machine's memory, as far as its
// address tells.
func local(t Target) bool {
	if t.Network == "unix" {
		return true
	}
	host, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// AutoThreads is how many event loops a machine of so many CPUs gets when the
// job does not say: two at most, since one loop loads any Redis server
// that runs commands in one thread, and never the server's CPU.
func AutoThreads(cpus int) int { return max(1, min(2, cpus-1)) }
