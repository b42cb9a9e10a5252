// Package host reads what this machine is and what its CPUs did: facts for
// the record, and the CPU time that processes and threads used. It changes
// nothing.
package host

// Facts are what a machine, a server or a path is, by a dotted lower-case
// key ("cpu.model", "redis.version", "docker.userland_proxy"), as text fit
// for a table. What is not known is left out.
type Facts map[string]string
