package host

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	// gopsutil has the plain facts of every system behind one call each, without cgo.
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	psutil "github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// Read gathers the facts of this machine. What a system does not tell, or not
// to this user, is left out; sizes are in bytes with a unit's name. It takes
// some milliseconds.
func Read(ctx context.Context) Facts {
	f := Facts{}
	f.set("os.arch", runtime.GOARCH)
	if info, err := psutil.InfoWithContext(ctx); err == nil {
		f.set("os.name", join(info.Platform, info.PlatformVersion))
		f.set("kernel.version", join(info.OS, info.KernelVersion))
	}
	if cpus, err := cpu.InfoWithContext(ctx); err == nil && len(cpus) > 0 {
		f.set("cpu.model", cpus[0].ModelName)
	}
	if n, err := cpu.CountsWithContext(ctx, true); err == nil {
		f.set("cpu.count", strconv.Itoa(n))
	}
	if n, err := cpu.CountsWithContext(ctx, false); err == nil && n > 0 {
		f.set("cpu.cores", strconv.Itoa(n))
	}
	f.set("cpu.allowed", FormatCPUs(CPUs()))
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		f.set("memory.total", bytesText(m.Total))
		f.set("memory.available", bytesText(m.Available))
	}
	if s, err := mem.SwapMemoryWithContext(ctx); err == nil {
		f.set("swap.total", bytesText(s.Total))
		f.set("swap.used", bytesText(s.Used))
	}
	if l, err := load.AvgWithContext(ctx); err == nil {
		f.set("load.average", fmt.Sprintf("%.2f %.2f %.2f", l.Load1, l.Load5, l.Load15))
	}
	readSystem(f)
	return f
}

// FreeMemory is how many bytes can be used before the machine swaps: what is
// free, and what the system would give up at once.
func FreeMemory() (uint64, error) {
	m, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("read this machine's free memory: %w", err)
	}
	return m.Available, nil
}

// FreeDisk is how many bytes can be written to the filesystem that holds path.
func FreeDisk(path string) (uint64, error) {
	usage, err := disk.Usage(path)
	if err != nil {
		return 0, fmt.Errorf("read the free space at %s: %w", path, err)
	}
	return usage.Free, nil
}

// portableFilesystem is the type of the filesystem at path; "" if it cannot be known.
func portableFilesystem(path string) string {
	usage, err := disk.Usage(path)
	if err != nil {
		return ""
	}
	return usage.Fstype
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// bytesText writes a size as a person reads it: "16.0 GiB".
func bytesText(n uint64) string {
	const unit = 1024
	value, i := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for value >= unit && i < len(units)-1 {
		value /= unit
		i++
	}
	if i == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[i])
}
