package server

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
)

// An identity is one process and no later one: its pid may be given again, its start time not with it.
type identity struct {
	PID int `json:"pid"`
	// Start is when the process started, in the system's own unit: field 22 of
	// /proc/PID/stat on Linux, clock ticks since boot.
	Start uint64 `json:"start"`
}

// identify is the identity of the process that has pid now.
func identify(pid int) (identity, error) {
	start, err := startTime(pid)
	return identity{PID: pid, Start: start}, err
}

// alive reports whether the process still runs; one that ended and was not waited for does not.
func (i identity) alive() bool {
	start, err := startTime(i.PID)
	return err == nil && start == i.Start
}

// An owner is the process that a run's servers belong to, so told that a Berth on
// another machine, of another user or in a container can see that it is not its own.
type owner struct {
	Machine   string `json:"machine"`   // a hash of the machine's id
	Boot      string `json:"boot"`      // of the machine: identities hold within one
	Namespace string `json:"namespace"` // of process ids
	UID       int    `json:"uid"`
	identity
}

// self is this process as an owner.
func self() (owner, error) {
	me, err := identify(os.Getpid())
	return owner{Machine: machine(), Boot: bootID(), Namespace: pidNamespace(), UID: os.Getuid(), identity: me}, err
}

// gone reports whether o has certainly ended, as me can tell: on this machine,
// of this user, and either before the last boot or with no such process now.
func (o owner) gone(me owner) bool {
	if o.Machine != me.Machine || o.UID != me.UID && me.UID != 0 {
		return false
	}
	if o.Boot != me.Boot {
		return true
	}
	return o.Namespace == me.Namespace && !o.alive()
}

// String is the owner as a label: machine/boot/namespace/uid/pid/start.
func (o owner) String() string {
	return fmt.Sprintf("%s/%s/%s/%d/%d/%d", o.Machine, o.Boot, o.Namespace, o.UID, o.PID, o.Start)
}

// parseOwner reads what String wrote.
func parseOwner(label string) (o owner, ok bool) {
	parts := strings.Split(label, "/")
	if len(parts) != 6 {
		return o, false
	}
	o.Machine, o.Boot, o.Namespace = parts[0], parts[1], parts[2]
	n, err := fmt.Sscanf(strings.Join(parts[3:], " "), "%d %d %d", &o.UID, &o.PID, &o.Start)
	return o, err == nil && n == 3
}

// machine is a short hash of this machine's id, or of its name where it has none.
func machine() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil || len(id) == 0 {
		name, _ := os.Hostname()
		id = []byte(name)
	}
	return fmt.Sprintf("%x", sha256.Sum256(append([]byte("berth "), id...)))[:16]
}
