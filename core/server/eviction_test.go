package server

import (
	"net"
	"strconv"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
)

func TestServerThatWouldEvictSomebodysDataIsRefused(t *testing.T) {
	need.Redis(t)
	l := newLauncher(t)
	own := start(t, l, variant(plan.Native))
	name, port, _ := net.SplitHostPort(own.Endpoint.Address)
	v := variant(plan.Existing)
	v.Host, v.Password = name, own.Endpoint.Password
	v.Port, _ = strconv.Atoi(port)
	other := own.Endpoint
	other.Database = 3
	c := control(other)
	defer c.Close()
	for _, x := range []struct {
		name, key      string
		expires        time.Duration
		memory, policy string
		refused        bool
	}{
		{"all keys, one in another database", "somebody's", 0, "100mb", "allkeys-lru", true},
		{"all keys, none there", "", 0, "100mb", "allkeys-lru", false},
		{"all keys, those of a run only", "berth:list", 0, "100mb", "allkeys-random", false},
		{"keys that expire, one that does", "session", time.Hour, "100mb", "volatile-ttl", true},
		{"keys that expire, one that does not", "somebody's", 0, "100mb", "volatile-lru", false},
		{"none", "somebody's", 0, "100mb", "noeviction", false},
		{"no limit", "somebody's", 0, "0", "allkeys-lru", false},
	} {
		if err := c.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		if x.key != "" {
			if err := c.Set(t.Context(), x.key, "data", x.expires).Err(); err != nil {
				t.Fatal(err)
			}
		}
		for setting, value := range map[string]string{"maxmemory": x.memory, "maxmemory-policy": x.policy} {
			if err := c.ConfigSet(t.Context(), setting, value).Err(); err != nil {
				t.Fatal(err)
			}
		}
		a := Check(t.Context(), v)
		prepared := l.Prepare(t.Context(), []plan.Variant{v}, nil)
		s, err := l.Start(t.Context(), v)
		if x.refused {
			for _, err := range []error{a.Err, prepared, err} {
				wants(t, err, "server.existing-would-evict")
			}
		}
		if a.OK == x.refused || (prepared != nil) != x.refused || (err != nil) != x.refused {
			t.Errorf("%s: %+v, %v, %v", x.name, a, prepared, err)
		}
		if s != nil {
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
