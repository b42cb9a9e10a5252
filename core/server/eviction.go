package server

import (
	"context"
	"strconv"
	"strings"

	"berth/core/host"
	"berth/core/text"
)

// spares says in a sentence why the load would drive somebody's data out of an existing server: it
// evicts keys when its memory is full, of all or of those that expire, and holds such keys that are not a run's.
func spares(ctx context.Context, e Endpoint, f host.Facts) error {
	if f["existing.evicts"] != "yes" {
		return nil
	}
	policy := f["redis.maxmemory_policy"]
	keys, err := keysOfOthers(ctx, e, strings.HasPrefix(policy, "volatile-"))
	if err != nil || keys == 0 {
		return err
	}
	return text.Err("server.existing-would-evict", text.Args{"Address": e.Address, "Policy": policy, "Keys": keys}, nil)
}

// keysOfOthers counts keys in all databases of a server, those that expire or all; 0 where
// every one of them is a run's. A run's own do not expire.
func keysOfOthers(ctx context.Context, e Endpoint, expiring bool) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := control(e)
	raw, err := c.Info(ctx, "keyspace").Result()
	c.Close()
	if err != nil {
		return 0, redisRefusal(e, err.Error(), err)
	}
	total, others := int64(0), false
	for database, keys := range keyspace(raw, expiring) {
		total += keys
		if keys > 0 && !others {
			others = expiring || !onlyOurs(ctx, e, database)
		}
	}
	if !others {
		return 0, nil
	}
	return total, nil
}

// keyspace reads INFO keyspace, "db0:keys=1,expires=0,avg_ttl=0" a line: the keys that
// each database has, or those of them that expire.
func keyspace(info string, expiring bool) map[int]int64 {
	field := "keys="
	if expiring {
		field = "expires="
	}
	found := map[int]int64{}
	for line := range strings.Lines(info) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		number, isDatabase := strings.CutPrefix(name, "db")
		database, err := strconv.Atoi(number)
		if !isDatabase || err != nil {
			continue
		}
		for part := range strings.SplitSeq(rest, ",") {
			if value, ok := strings.CutPrefix(part, field); ok {
				found[database], _ = strconv.ParseInt(value, 10, 64)
			}
		}
	}
	return found
}

// onlyOurs reports whether every key of a database has a name that a run gives. Where
// that cannot be seen in time the keys count as somebody's.
func onlyOurs(ctx context.Context, e Endpoint, database int) bool {
	e.Database = database
	c := control(e)
	defer c.Close()
	for cursor := uint64(0); ; {
		names, next, err := c.Scan(ctx, cursor, "", 1000).Result()
		if err != nil {
			return false
		}
		for _, name := range names {
			if !strings.HasPrefix(name, KeyPrefix) {
				return false
			}
		}
		if cursor = next; cursor == 0 {
			return true
		}
	}
}
