package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"berth/core/host"
	"berth/core/redisload"
	"berth/core/text"
)

// The test binary is the program that Run starts. loadVariable names what its
// agents do instead of loading; empty is the real thing. parentArgument makes it a parent
// of such an agent, to be killed. pidVariable is a file for the agent's pid.
const (
	loadVariable   = "BERTH_TEST_LOAD"
	pidVariable    = "BERTH_TEST_PID"
	parentArgument = "__parent"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case Command:
			if name := os.Getenv(loadVariable); name != "" {
				os.Exit(serve(os.Stdin, os.Stdout, loads[name]))
			}
			os.Exit(Main(os.Stdin, os.Stdout))
		case parentArgument:
			_, err := Run(context.Background(), anyJob(), nil)
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// anyJob is for agents that do not load.
func anyJob() Job { return Job{Redis: &redisload.Job{}} }

// loads are what an agent does in tests that are about the agent alone.
var loads = map[string]load{
	"hang": func(ctx context.Context, _ redisload.Job, o redisload.Observer) (redisload.Result, error) {
		if err := writePID(); err != nil {
			return redisload.Result{}, err
		}
		o.Phase(redisload.Connecting)
		select {}
	},
	"panic": func(context.Context, redisload.Job, redisload.Observer) (redisload.Result, error) {
		panic("the loop lost its way")
	},
	"exit": func(context.Context, redisload.Job, redisload.Observer) (redisload.Result, error) {
		os.Exit(0)
		return redisload.Result{}, nil
	},
	"garble": func(ctx context.Context, _ redisload.Job, o redisload.Observer) (redisload.Result, error) {
		fmt.Println("hello")
		<-ctx.Done()
		return redisload.Result{}, ctx.Err()
	},
	"refused": func(context.Context, redisload.Job, redisload.Observer) (redisload.Result, error) {
		return redisload.Result{}, refused()
	},
	"cut": func(ctx context.Context, _ redisload.Job, o redisload.Observer) (redisload.Result, error) {
		o.Phase(redisload.Measuring)
		<-ctx.Done()
		o.Phase(redisload.Measured)
		return measured("cancelled"), ctx.Err()
	},
	"cpus": func(context.Context, redisload.Job, redisload.Observer) (redisload.Result, error) {
		r := measured("")
		r.State = host.FormatCPUs(host.CPUs())
		return r, nil
	},
	// Allocates three times what the collector would wait for, and counts its cycles.
	"allocate": func(_ context.Context, _ redisload.Job, o redisload.Observer) (redisload.Result, error) {
		o.Phase(redisload.Measuring)
		before := cycles()
		for range collectorRoom / 2 >> 10 {
			kept = make([]byte, 1<<10)
		}
		r := measured("")
		r.State = strconv.Itoa(int(cycles() - before))
		o.Phase(redisload.Measured)
		return r, nil
	},
}

var kept []byte // keeps the compiler from leaving an allocation out

func cycles() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

func measured(cut string) redisload.Result {
	h := hdrhistogram.New(1, 100_000_000, 3)
	_ = h.RecordValue(7)
	return redisload.Result{Requests: 1, Elapsed: time.Second, Latency: h, Threads: 1, Cut: cut}
}

// refused is an error as redisload makes them, with a number and a cause.
func refused() error {
	return fmt.Errorf("while testing: %w", text.Err("redisload.refused",
		text.Args{"Address": "127.0.0.1:6379", "Port": 16777216, "After": time.Second}, os.ErrDeadlineExceeded))
}

// writePID writes whole or not at all, so that who waits for the file reads a number.
func writePID() error {
	path := os.Getenv(pidVariable)
	temporary := filepath.Join(filepath.Dir(path), "part")
	if err := os.WriteFile(temporary, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
