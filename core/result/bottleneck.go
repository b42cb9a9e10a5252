package result

// Bottleneck says what limited s on a machine of so many CPUs.
func Bottleneck(s Sample, cpus int) string { return "" }
