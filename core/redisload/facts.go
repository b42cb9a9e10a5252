package redisload

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Facts are what is asked of a server before it is loaded, over a connection
// of its own. redis-benchmark asks for Save and AppendOnly in the same way.
type Facts struct {
	Save, AppendOnly string // its settings of these names; empty where it does not tell
	Keys             int64  // in the target's database
	// Writes has the commands that the server has, by their names as they were
	// asked for: whether each may change data. A server that does not tell (it has no
	// COMMAND, or keeps it from this user) has none here.
	Writes map[string]bool
}

// Ask connects to a server and asks for its facts: DBSIZE, CONFIG GET save
// and appendonly, and COMMAND INFO for commands by name if it holds keys, and
// for those of always by all means. An error means that the server cannot be loaded either: Kind names its case. What the
// server only refuses to tell is left out.
func Ask(ctx context.Context, target Target, commands, always []string) (Facts, error) {
	f := Facts{Writes: map[string]bool{}}
	err := question(ctx, target, func(c *control) error {
		size, err := c.ask(proofCommand)
		if !proves(err) {
			return err
		}
		if len(size) == 1 {
			f.Keys, _ = strconv.ParseInt(size[0], 10, 64) // no number: not told
		}
		for _, setting := range []struct {
			name string
			to   *string
		}{{"save", &f.Save}, {"appendonly", &f.AppendOnly}} {
			pair, err := c.told("CONFIG", "GET", setting.name)
			if err != nil {
				return err
			}
			if len(pair) == 2 {
				*setting.to = pair[1]
			}
		}
		about := always
		if f.Keys > 0 {
			about = slices.Concat(always, commands)
		}
		for _, name := range about {
			if _, known := f.Writes[name]; known {
				continue
			}
			about, err := c.told("COMMAND", "INFO", name)
			if err != nil {
				return err
			}
			if len(about) > 0 && strings.EqualFold(about[0], name) {
				f.Writes[name] = slices.Contains(about, "write") || runsScript(name)
			}
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		err = cancelled(ctx, target)
	}
	return f, err
}

// runsScript says whether a command runs a script, which may write although
// the command is not one that writes.
func runsScript(name string) bool {
	switch strings.ToUpper(name) {
	case "EVAL", "EVALSHA", "FCALL":
		return true
	}
	return false
}

// ServerCPU is the CPU time that the server's process has used, user and
// system, as it tells itself (INFO cpu); ok is false where it does not tell.
func ServerCPU(ctx context.Context, target Target) (used time.Duration, ok bool) {
	fields := 0
	target.Database = 0 // INFO is of the whole server
	err := question(ctx, target, func(c *control) error {
		info, err := c.told("INFO", "cpu")
		for line := range strings.Lines(strings.Join(info, "")) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			if name != "used_cpu_sys" && name != "used_cpu_user" {
				continue
			}
			if s, err := strconv.ParseFloat(value, 64); err == nil {
				used += time.Duration(s * float64(time.Second))
				fields++
			}
		}
		return err
	})
	return used, err == nil && fields == 2
}

// question opens a control connection, asks on it and closes it.
func question(ctx context.Context, target Target, ask func(*control) error) error {
	c, err := openControl(ctx, Job{Target: target}, false)
	if err != nil {
		return err
	}
	defer c.close()
	unhook := context.AfterFunc(ctx, c.interrupt)
	defer unhook()
	return ask(c)
}

// told asks what a server may refuse to tell; then there are no values.
func (c *control) told(args ...string) ([]string, error) {
	values, err := c.ask(args...)
	if kind := Kind(err); kind == KindReply || kind == KindNoPerm {
		return nil, nil
	}
	return values, err
}
