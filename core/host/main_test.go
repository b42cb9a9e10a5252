package host

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// childArg makes the test binary a child that burns CPU time, says what it did
// in a line of JSON, and stays until its standard input ends.
const childArg = "__burn"

// A burnt is what such a child says.
type burnt struct {
	CPU    time.Duration // by its own getrusage
	Ended  time.Duration // of it, by a thread that has ended; Linux only
	CPUs   []int         // that it may run on
	NumCPU int           // as its Go runtime sees it
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childArg {
		if err := burnAndWait(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// burnAndWait burns half of the time on a thread that then ends, half on one that stays.
func burnAndWait(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	// The main thread never ends: keep the other goroutine off it.
	runtime.LockOSThread()
	ended := make(chan time.Duration)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		burnProcess(d / 2)
		ended <- threadUsage()
	}()
	said := burnt{Ended: <-ended}
	burnProcess(d)
	said.CPU, said.CPUs, said.NumCPU = usage(), CPUs(), runtime.NumCPU()
	if err = json.NewEncoder(os.Stdout).Encode(said); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// burnProcess computes until the whole process has used total.
func burnProcess(total time.Duration) {
	for usage() < total {
		for range 1000 {
		}
	}
}

// startChild starts a child that burns d, bound to cpus, and waits for its line.
func startChild(t *testing.T, d time.Duration, cpus []int) (pid int, said burnt) {
	t.Helper()
	cmd := exec.Command(os.Args[0], childArg, d.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Bound(cpus, cmd.Start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid, said
}

func within(t *testing.T, what string, got, want, tolerance time.Duration) {
	t.Helper()
	if d := got - want; d > tolerance || d < -tolerance {
		t.Errorf("%s: %v, want %v within %v", what, got, want, tolerance)
	}
}
