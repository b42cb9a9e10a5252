// Package host reads what this machine is and what its CPUs did: facts for
// the record, the CPU time that processes used, and which CPUs
// the agent should have. It changes nothing of the machine; Bound alone changes
// something, the CPUs of a process that is being started.
package host

// Facts are what a machine, a server or a path is, by a dotted lower-case
// key ("cpu.model", "redis.version", "docker.userland_proxy"), as text fit
// for a table. What is not known is left out.
type Facts map[string]string

// set keeps a fact that is known.
func (f Facts) set(key, value string) {
	if value != "" {
		f[key] = value
	}
}
