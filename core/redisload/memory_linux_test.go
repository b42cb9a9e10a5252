package redisload

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// peakMemory carries a job out in a process of its own and returns the most
// memory in bytes that it had.
func peakMemory(t *testing.T, job Job) int64 {
	t.Helper()
	raw, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childJob+"="+string(raw))
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got childFigures
	if err := json.Unmarshal(out, &got); err != nil || got.Failed != "" || got.Requests != job.Requests {
		t.Fatalf("%s (%v)", out, err)
	}
	return child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

func TestMemoryStaysSmallUpToTenThousandClients(t *testing.T) {
	address := realServer(t, "--maxclients", "11000")
	job := jobFor(address, "SET")
	job.Keyspace, job.Pipeline, job.Clients, job.Requests = 1000, 400, 50, 100_000
	if peak := peakMemory(t, job); peak > 64<<20 {
		t.Errorf("50 clients take %s, want less than 64 MiB", sizeText(uint64(peak)))
	}
	job.Pipeline, job.Clients = 1, 10_000
	if most := fileLimit(); most < 10_000+spareFiles {
		if err := Check(job); Kind(err) != KindFiles || !strings.Contains(err.Error(), "ulimit -n") {
			t.Errorf("%d files may be open, and 10,000 clients: %v", most, err)
		}
		return
	}
	if peak := peakMemory(t, job); peak > 400<<20 {
		t.Errorf("10,000 clients take %s, want less than 400 MiB", sizeText(uint64(peak)))
	}
}
