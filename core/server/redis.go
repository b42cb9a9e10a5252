package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	// go-redis controls (INFO, CONFIG GET, DBSIZE); it never loads.
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// redisService is Redis, and every server that speaks its protocol and reads its configuration.
type redisService struct{}

func (redisService) program() string { return "redis-server" }
func (redisService) port() int       { return 6379 }

func (redisService) starts(program string) bool { return strings.HasSuffix(program, "-server") }

func (redisService) account() (user, schema string) { return "", "" }

func (redisService) furnish(context.Context, *Launcher, plan.Variant, sayer) error { return nil }

func (redisService) packages() map[string]string {
	return map[string]string{"apt-get": "redis-server", "dnf": "redis", "pacman": "redis", "zypper": "redis", "brew": "redis"}
}

// A directive is one line of redis.conf.
type directive struct{ name, value string }

// overrides are what must be so for a server in its placement, whatever the
// user's own file says.
func (redisService) overrides(s setting) []directive {
	return []directive{
		{"bind", s.bind},
		{"port", strconv.Itoa(s.port)},
		{"protected-mode", "yes"},
		{"requirepass", s.password},
		{"daemonize", "no"},
		{"logfile", `""`},
		{"dir", quoteWord(s.seen)},
	}
}

// persistence are the directives of a plan's persistence setting.
func (redisService) persistence(v plan.Variant) []directive {
	off := directive{"save", `""`}
	switch v.Persistence {
	case plan.PersistenceDefault:
		return nil
	case plan.PersistenceAlways:
		return []directive{off, {"appendonly", "yes"}, {"appendfsync", "always"}}
	case plan.PersistenceSecond:
		return []directive{off, {"appendonly", "yes"}, {"appendfsync", "everysec"}}
	case plan.PersistenceNo:
		return []directive{off, {"appendonly", "yes"}, {"appendfsync", "no"}}
	case "":
		if v.ConfigFile != "" {
			return nil // the user's own file says
		}
	}
	return []directive{off, {"appendonly", "no"}}
}

// The files in a server's folder.
const (
	redisConfig = "redis.conf"
	redisACL    = "users.acl" // a copy of the user's own file
)

// ownMaxClients is maxclients where no file of the user's says it: what a plan may ask for,
// and room for the connections that ask and watch.
const ownMaxClients = plan.MaxClients + 240

// openFiles is the limit of open files that every server has at least, where the system lets it: a
// connection is a file, and there are others. It is no more than that: some servers make tables of their limit's size.
const openFiles = 16_384

func (redisService) needs(v plan.Variant) ([]string, error) {
	if v.ConfigFile == "" {
		return nil, nil
	}
	own, err := readUserConfig(v.ConfigFile)
	if err != nil {
		return nil, err
	}
	return own.needs, nil
}

func (r redisService) prepare(ctx context.Context, s setting) ([]string, error) {
	var b strings.Builder
	if s.variant.ConfigFile != "" {
		own, err := readUserConfig(s.variant.ConfigFile)
		if err != nil {
			return nil, err
		}
		s.secrets.add(own.secrets...)
		b.WriteString(own.text)
		if own.hasACL {
			if err := os.WriteFile(filepath.Join(s.folder, redisACL), []byte(own.acl), 0o600); err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "aclfile %s\n", quoteWord(s.seen+"/"+redisACL))
		}
		s.facts["redis.config_file"] = s.variant.ConfigFile
		s.facts["redis.config_overridden"] = strings.Join(own.overridden, " ")
	} else {
		fmt.Fprintf(&b, "maxclients %d\n", ownMaxClients)
	}
	for _, d := range append(r.persistence(s.variant), r.overrides(s)...) {
		fmt.Fprintf(&b, "%s %s\n", d.name, d.value)
	}
	// The file holds the password: only its owner reads it.
	if err := os.WriteFile(filepath.Join(s.folder, redisConfig), []byte(b.String()), 0o600); err != nil {
		return nil, err
	}
	return []string{s.program, s.seen + "/" + redisConfig}, nil
}

func (r redisService) byHand(s setting) []string {
	argv := []string{s.program}
	own := s.variant.ConfigFile
	overrides := strings.Fields(s.facts["redis.config_overridden"])
	if path, err := filepath.Abs(own); own != "" && err == nil {
		own = path
		switch {
		case !replicates(s):
		case s.seen == inside:
			own = "/data/" + configCopy // by hand the folder is mounted there
		default:
			own = configCopy
		}
		argv = append(argv, own)
	}
	argv = append(argv, "--bind", s.bind, "--port", strconv.Itoa(s.port), "--daemonize", "no")
	if own != "" {
		// A server of the user's that runs keeps what is its own.
		argv = append(argv, "--logfile", "", "--dir", ".", "--pidfile", "", "--unixsocket", "")
		for _, name := range overrides {
			switch {
			case name == "cluster-enabled":
				argv = append(argv, "--"+name, "no")
			case strings.HasSuffix(name, "cpulist"):
				argv = append(argv, "--"+name, "")
			}
		}
	}
	if s.published {
		argv = append(argv, "--protected-mode", "no")
	}
	for _, d := range r.persistence(s.variant) {
		argv = append(argv, "--"+d.name, strings.Trim(d.value, `"`))
	}
	return argv
}

// configCopy is a copy of a user's files for a command by hand.
const configCopy = "berth-redis.conf"

// replicates says whether the user's files make a replica. An option after them does not undo that: Redis 7
// goes on to connect.
func replicates(s setting) bool {
	overrides := strings.Fields(s.facts["redis.config_overridden"])
	return slices.Contains(overrides, "replicaof") || slices.Contains(overrides, "slaveof")
}

// copyConfig is the shell command by which a person makes a copy of the user's files in folder that makes no
// replica; "" where none is needed.
func copyConfig(s setting, folder string) string {
	if !replicates(s) {
		return ""
	}
	own, err := readUserConfig(s.variant.ConfigFile)
	if err != nil {
		return ""
	}
	taken := "replicaof|slaveof"
	if len(own.files) > 1 {
		taken += "|include" // they follow in the same copy
	}
	argv := []string{"sed", "-E", "s/^[[:space:]]*(" + taken + ")[[:space:]]/# &/I"}
	for _, file := range own.files {
		if path, err := filepath.Abs(file); err == nil {
			file = path
		}
		argv = append(argv, file)
	}
	return shellLine(argv) + " > " + shellLine([]string{folder + configCopy})
}

func (redisService) beforehand(setting) []string { return nil }

func (redisService) anywhere(f host.Facts) string {
	image := "redis"
	if major, rest, ok := strings.Cut(f["redis.version"], "."); ok && f["redis.name"] == "redis" {
		minor, _, _ := strings.Cut(rest, ".")
		image += ":" + major + "." + minor
	}
	return "docker run --rm -p 127.0.0.1:6379:6379 " + image + " redis-server --save '' --appendonly no"
}

// control is a client for questions, one connection at a time, that tries nothing twice.
func control(e Endpoint) *redis.Client {
	o := &redis.Options{
		Network: e.Network, Addr: e.Address, Username: e.User, Password: e.Password, DB: e.Database,
		Protocol: 2, MaxRetries: -1, DialerRetries: 1, PoolSize: 1,
		DialTimeout: patience, ReadTimeout: patience, WriteTimeout: patience, ContextTimeoutEnabled: true,
		DisableIdentity: true, MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if e.TLS {
		o.TLSConfig = tlsConfig(e)
	}
	return redis.NewClient(o)
}

// describe reads INFO, CONFIG GET and DBSIZE. What a server refuses to tell is left out.
func (redisService) describe(ctx context.Context, e Endpoint) (host.Facts, error) {
	c := control(e)
	defer c.Close()
	raw, err := c.Info(ctx).Result()
	if err != nil {
		var reply redis.Error
		if !errors.As(err, &reply) && ctx.Err() == nil && !timedOut(err) {
			return nil, notRedis(e, "")
		}
		if strings.Contains(err.Error(), "unknown command") {
			return nil, text.Err("server.no-info", text.Args{"Address": e.Address}, err)
		}
		return nil, redisRefusal(e, err.Error(), err)
	}
	if !strings.Contains(raw, ":") {
		return nil, notRedis(e, "")
	}
	info := map[string]string{}
	for line := range strings.Lines(raw) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[key] = value
		}
	}
	facts := host.Facts{"redis.name": "redis"}
	set := func(key, value string) {
		if value != "" {
			facts[key] = value
		}
	}
	for key, field := range map[string]string{
		"redis.version": "redis_version", "redis.build_id": "redis_build_id", "redis.mode": "redis_mode",
		"redis.allocator": "mem_allocator", "redis.os": "os", "redis.role": "role", "redis.io_threads_active": "io_threads_active",
	} {
		set(key, info[field])
	}
	for name, field := range map[string]string{"valkey": "valkey_version", "keydb": "keydb_version", "dragonfly": "dragonfly_version"} {
		if info[field] != "" {
			facts["redis.name"], facts["redis.version"] = name, info[field]
		}
	}
	// A server that tells no CONFIG tells these here.
	set("redis.maxmemory", info["maxmemory"])
	set("redis.maxmemory_policy", info["maxmemory_policy"])
	for _, name := range []string{"save", "appendonly", "appendfsync", "maxmemory", "maxmemory-policy", "io-threads", "io-threads-do-reads", "tcp-backlog", "maxclients"} {
		if got, err := c.ConfigGet(ctx, name).Result(); err == nil {
			if value, ok := got[name]; ok {
				facts["redis."+strings.ReplaceAll(name, "-", "_")] = value
			}
		}
	}
	if n, err := c.DBSize(ctx).Result(); err == nil {
		facts["redis.keys"] = strconv.FormatInt(n, 10)
	}
	facts["redis.persistence"] = persistenceOf(facts)
	return facts, nil
}

// persistenceOf says in one word of the plan how durable a server's writes are.
func persistenceOf(f host.Facts) string {
	save, known := f["redis.save"]
	switch {
	case f["redis.appendonly"] == "yes":
		return "aof-" + f["redis.appendfsync"]
	case !known:
		return "unknown"
	case save == "":
		return plan.PersistenceNone
	}
	return "snapshots"
}

// patience is how long one question to a server may take.
const patience = 2 * time.Second
