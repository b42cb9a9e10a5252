package redisload

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	"berth/core/text"
)

// A Master is a master of a cluster, which keeps a share of its slots.
type Master struct {
	ID      string `json:"id"`
	Address string `json:"address"` // host:port, as the cluster announces it
	// Tag is the hash tag of the keys that are sent to it, without braces: of its
	// first slot, so that the same keys are used as by redis-benchmark.
	Tag string `json:"tag"`
}

// Masters asks a node for the masters of its cluster, in the order in which it tells
// them. Those without slots are left out, as redis-benchmark does; slots that
// are under way from one master to another are where they were. A server that is no
// node of a cluster, and a cluster of which no master has slots, are errors.
func Masters(ctx context.Context, target Target) (masters []Master, err error) {
	err = question(ctx, target, func(c *control) error {
		nodes, err := c.ask("CLUSTER", "NODES")
		if err != nil {
			return err
		}
		masters, err = mastersOf(target, strings.Join(nodes, ""))
		return err
	})
	if err != nil && ctx.Err() != nil {
		err = cancelled(ctx, target)
	}
	return masters, err
}

// mastersOf reads a reply to CLUSTER NODES, a line a node: id, address, flags, id of
// its master, three times and epochs, state of its link, and its slots from the ninth word on.
// Format: https://redis.io/docs/latest/commands/cluster-nodes/.
func mastersOf(target Target, reply string) ([]Master, error) {
	const flags, firstSlot = 2, 8
	var all []Master
	for line := range strings.Lines(reply) {
		words := strings.Fields(line)
		if len(words) < firstSlot {
			return nil, dialError(target, errNotRESP)
		}
		if !slices.Contains(strings.Split(words[flags], ","), "master") {
			continue
		}
		// "[93-<-ID]" is a slot under way.
		slots := slices.DeleteFunc(words[firstSlot:], func(w string) bool { return strings.HasPrefix(w, "[") })
		if len(slots) == 0 {
			continue
		}
		low, _, _ := strings.Cut(slots[0], "-")
		slot, err := strconv.ParseUint(low, 10, 16)
		if err != nil || slot >= slotCount {
			return nil, dialError(target, errNotRESP)
		}
		address, err := announced(target, words[1])
		if err != nil {
			return nil, dialError(target, errNotRESP)
		}
		all = append(all, Master{ID: words[0], Address: address, Tag: slotTag(uint16(slot))})
	}
	if len(all) == 0 {
		return nil, text.Err("redisload."+KindNoSlots, text.Args{"Address": target.Address}, nil)
	}
	return all, nil
}

// announced is the address of a node that is told as IP:PORT[@BUS][,HOSTNAME]. A
// node that does not know its own IP yet is where it was asked.
func announced(asked Target, told string) (string, error) {
	told, _, _ = strings.Cut(told, ",")
	told, _, _ = strings.Cut(told, "@")
	colon := strings.LastIndexByte(told, ':')
	if colon < 0 {
		return "", errNotRESP
	}
	host, port := told[:colon], told[colon+1:]
	if host == "" {
		host = "127.0.0.1" // behind a Unix socket
		if asked.Network == "tcp" {
			host, _, _ = net.SplitHostPort(asked.Address)
		}
	}
	return net.JoinHostPort(host, port), nil
}

// nodes are the servers that a job's load goes to, each as a job of its own: the
// masters of its cluster, or its target alone.
func (job Job) nodes() []Job {
	if len(job.Masters) == 0 {
		return []Job{job}
	}
	all := make([]Job, len(job.Masters))
	for i, m := range job.Masters {
		all[i] = job
		all[i].Masters, all[i].tag = nil, m.Tag
		all[i].Target = job.Target.master(m)
	}
	return all
}

// Targets are the servers that a job loads: the masters of its cluster, or its target alone.
func (job Job) Targets() []Target {
	var all []Target
	for _, n := range job.nodes() {
		all = append(all, n.Target)
	}
	return all
}

// master is a master of the target's cluster, reached in the same way.
func (t Target) master(m Master) Target {
	t.Network, t.Address = "tcp", m.Address
	return t
}

// nodeOf is which of so many nodes the one-th connection of a thread goes to: a thread has
// one node where there are as many threads, else they take turns. This is
// redis-benchmark's way.
func nodeOf(thread, threads, one, nodes int) int {
	if threads >= nodes {
		return thread % nodes
	}
	return one % nodes
}

// tagMark is what redis-benchmark replaces by a master's hash tag in a command of the user's own.
const tagMark = "{tag}"

// tagged is a test with keys of a master's tag: "key:{06S}:__rand_int__", "mylist:{06S}",
// and in a command of the user's own for each {tag}. A tag shorter than that word is filled
// up with braces, which are not part of it, so that all masters' requests are equally long.
func (t Test) tagged(tag string) Test {
	mark := "{" + tag + strings.Repeat("}", len(tagMark)-1-len(tag))
	t.Args = slices.Clone(t.Args)
	if t.key == "" {
		for i := range t.Args {
			t.Args[i] = strings.ReplaceAll(t.Args[i], tagMark, mark)
		}
		return t
	}
	name, number, numbered := strings.Cut(t.key, ":")
	key := name + ":" + mark
	if numbered {
		key += ":" + number
	}
	for i := range t.Args {
		if t.Args[i] == t.key {
			t.Args[i] = key
		}
	}
	t.key = key
	return t
}

// slotCount is how many slots a cluster has.
const slotCount = 1 << 14

// slotTag is the shortest string of letters and digits that Redis hashes to a slot, the
// first in ASCII's order: what redis-benchmark has a table of. All have at most three.
func slotTag(slot uint16) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var try func(before string, more int) string
	try = func(before string, more int) string {
		if more == 0 {
			if keySlot(before) == slot {
				return before
			}
			return ""
		}
		for i := range len(digits) {
			if found := try(before+digits[i:i+1], more-1); found != "" {
				return found
			}
		}
		return ""
	}
	for length := 1; ; length++ {
		if found := try("", length); found != "" {
			return found
		}
	}
}

// keySlot is the slot of a key without a tag: CRC-16/XMODEM (polynomial 0x1021, from 0)
// modulo 16384. Source: the Redis cluster specification.
func keySlot(key string) uint16 {
	crc := uint16(0)
	for i := range len(key) {
		crc ^= uint16(key[i]) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			crc <<= 1
			if carry {
				crc ^= 0x1021
			}
		}
	}
	return crc % slotCount
}
