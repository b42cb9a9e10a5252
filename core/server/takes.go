package server

import (
	"bufio"
	"context"
	"strconv"
	"strings"
	"time"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/text"
)

// takesKeys says in a sentence why an existing server takes no keys of a run: it is a replica, a cluster
// that is down, or lets this user write none of that name. It asks to remove a key that is not there, which
// is a write to every server: what refuses that would also keep keys that were written.
func takesKeys(ctx context.Context, e Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c := control(e)
	defer c.Close()
	_, err := unlink(ctx, c, []string{KeyPrefix + "check"})
	if err == nil {
		return nil
	}
	refusal := redisRefusal(e, err.Error(), err)
	args := text.Args{"Address": e.Address, "Reply": text.Line(redact(err.Error(), []string{e.Password}), replyLength)}
	return text.Err("server.existing-no-writes", args, refusal)
}

// CheckExisting says in a sentence why the existing Redis server v does not do for a run: it takes no
// keys, where the run writes some, or not as many connections as the run opens.
func CheckExisting(ctx context.Context, v plan.Variant, writes bool, clients int) error {
	if v.Placement != plan.Existing || v.Service != plan.Redis {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	e, facts, err := reach(ctx, redisService{}, v)
	if err != nil {
		return err
	}
	if most, err := strconv.Atoi(facts["redis.maxclients"]); err == nil && clients > most {
		return text.Err("server.existing-maxclients", text.Args{"Address": e.Address, "Most": most, "Clients": clients}, nil)
	}
	if !writes {
		return nil
	}
	return takesKeys(ctx, e)
}

// reach connects to an existing server. Like redis-cli, it leaves a password away that the server does not have.
func reach(ctx context.Context, svc service, v plan.Variant) (Endpoint, host.Facts, error) {
	e, err := endpointOf(svc, v)
	if err != nil {
		return e, nil, err
	}
	given := e.Password != ""
	if v.Service == plan.Redis {
		e = withoutUnusedPassword(ctx, e)
	}
	facts, err := connect(ctx, svc, e)
	if err != nil {
		return e, nil, err
	}
	if given && e.Password == "" {
		facts["existing.no_password"] = "yes"
	}
	return e, facts, spares(ctx, e, facts)
}

// withoutUnusedPassword is e without its password, where the server there says that it has none. The load would fail
// with it. Whatever else comes back is for others to say.
func withoutUnusedPassword(ctx context.Context, e Endpoint) Endpoint {
	if e.Password == "" || e.User != "" {
		return e
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := dial(ctx, e)
	if err != nil {
		return e
	}
	defer conn.Close()
	release := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer release()
	if line, err := exchange(conn, bufio.NewReader(conn), []string{"AUTH", e.Password}); err == nil && saysNoPassword(line) {
		e.Password = ""
	}
	return e
}

// saysNoPassword reports whether a reply to AUTH says that the server has no password.
func saysNoPassword(line string) bool {
	return strings.HasPrefix(line, "-") && (strings.Contains(line, "without any password configured") || strings.Contains(line, "no password is set"))
}
