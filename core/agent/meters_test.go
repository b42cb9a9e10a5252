package agent

import (
	"os"
	"testing"
	"time"
)

func TestOnlyWhatWasReadTwiceIsKnown(t *testing.T) {
	one, two := time.Second, 3*time.Second
	got := used(reading{client: &one, server: &one}, reading{client: &two, proxy: &two})
	if got.Client == nil || *got.Client != 2*time.Second {
		t.Errorf("client %v", got.Client)
	}
	if got.Server != nil || got.Proxy != nil || got.Machine != nil || got.Steal != nil {
		t.Errorf("known without two readings: %+v", got)
	}
}

func TestCPUOfProcessesIsAllOfThemOrUnknown(t *testing.T) {
	self := os.Getpid()
	if got := processes([]int{self, self}); got == nil || *got <= 0 {
		t.Errorf("two that live: %v", got)
	}
	if got := processes(nil); got != nil {
		t.Errorf("none: %v", *got)
	}
	if got := processes([]int{self, 1 << 22}); got != nil {
		t.Errorf("one that lives and one that does not: %v", *got)
	}
}
