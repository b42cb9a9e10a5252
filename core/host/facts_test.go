package host

import (
	"regexp"
	"strconv"
	"testing"
)

func TestFactsSayWhatEveryMachineHas(t *testing.T) {
	f := Read(t.Context())
	for _, key := range []string{"os.arch", "os.name", "kernel.version", "cpu.model", "cpu.count", "cpu.allowed", "memory.total", "memory.available"} {
		if f[key] == "" {
			t.Errorf("no %s in %v", key, f)
		}
	}
	if n, err := strconv.Atoi(f["cpu.count"]); err != nil || n < len(CPUs()) {
		t.Errorf("cpu.count is %q; this process may run on %d", f["cpu.count"], len(CPUs()))
	}
	key := regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9_]+)+$`)
	for k, v := range f {
		if !key.MatchString(k) || v == "" {
			t.Errorf("fact %q = %q", k, v)
		}
	}
}

func TestFreeMemoryIsSomeAndNotAll(t *testing.T) {
	free, err := FreeMemory()
	if err != nil || free == 0 || free > 1<<46 {
		t.Errorf("%d bytes free, %v", free, err)
	}
}

func TestSizesAreReadByPeople(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 16 << 30: "16.0 GiB", 3 << 50: "3072.0 TiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
