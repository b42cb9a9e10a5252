package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"berth/core/plan"
	"berth/core/text"
)

// Keys are names of keys that a run writes: Name itself or, where Numbers is
// above 0, Name followed by each number below it in 12 digits.
type Keys struct {
	Name    string `json:"name"`
	Numbers int64  `json:"numbers,omitempty"`
}

// KeyPrefix begins the name of every key that Berth writes to an existing server. What
// does not begin so is never removed, whatever a record says.
const KeyPrefix = "berth:"

// A borrowed server is somebody's own on which a run writes keys or makes tables, as the record has it.
type borrowed struct {
	Network  string `json:"network"`
	Address  string `json:"address"`
	User     string `json:"user,omitempty"`
	Database int    `json:"database,omitempty"`
	TLS      bool   `json:"tls,omitempty"`
	Keys     []Keys `json:"keys,omitempty"`
	// Of MySQL: the database, and the comment that the run's tables have. It is empty of Redis.
	Schema string `json:"schema,omitempty"`
	Mark   string `json:"mark,omitempty"`
	// Password goes to the guard, through its pipe, and to no file.
	Password string `json:"password,omitempty"`
}

func borrow(e Endpoint, keys []Keys) *borrowed {
	return &borrowed{Network: e.Network, Address: e.Address, User: e.User, Database: e.Database, TLS: e.TLS, Keys: keys, Schema: e.Schema, Password: e.Password}
}

func (b borrowed) endpoint() Endpoint {
	return Endpoint{Network: b.Network, Address: b.Address, User: b.User, Password: b.Password, Database: b.Database, Schema: b.Schema, TLS: b.TLS}
}

// same reports whether both are one user's view of one database.
func (b borrowed) same(other borrowed) bool {
	return b.Network == other.Network && b.Address == other.Address && b.User == other.User && b.Database == other.Database && b.Schema == other.Schema
}

// Ask gives the password of an existing server on which keys or tables were left; ok is
// false where there is none to give.
type Ask func(e Endpoint) (password string, ok bool)

// The ways in which redis-cli and mysql are given a password that is seen by nobody else.
const (
	passwordVariable      = "REDISCLI_AUTH"
	mysqlPasswordVariable = "MYSQL_PWD"
)

// askVariants answers with the passwords of a plan's own existing servers.
func askVariants(variants []plan.Variant) Ask {
	return func(wanted Endpoint) (string, bool) {
		for _, v := range variants {
			if v.Placement != plan.Existing || v.Password == "" {
				continue
			}
			svc, _, err := pieces(v)
			if err != nil {
				continue
			}
			if e, err := endpointOf(svc, v); err == nil && borrow(e, nil).same(*borrow(wanted, nil)) {
				return v.Password, true
			}
		}
		return "", false
	}
}

// giveBack removes the keys or tables that a launch left on a borrowed server. Its Berth or agent may have
// had more under way when it died, so it looks until it has found nothing twice. The password that
// it has, the one in the environment, and the one that ask gives are tried in turn.
func (b borrowed) giveBack(ctx context.Context, ask Ask) (removed int64, err error) {
	e := b.endpoint()
	remove, variable := func() (int64, error) { return removeKeys(ctx, e, b.Keys) }, passwordVariable
	if b.Mark != "" {
		remove, variable = func() (int64, error) { return b.dropTables(ctx, e) }, mysqlPasswordVariable
	}
	if e.Password == "" {
		e.Password = os.Getenv(variable)
	}
	asked := false
	for clean := 0; ; {
		n, err := remove()
		removed += n
		switch {
		case err == nil && n == 0:
			clean++
		case err == nil:
			clean = 0
		case wantsPassword(err) && ask != nil && !asked:
			asked = true
			var ok bool
			if e.Password, ok = ask(e); ok {
				continue
			}
			return removed, err
		default:
			return removed, err
		}
		if clean == 2 {
			return removed, nil
		}
		select {
		case <-ctx.Done():
			return removed, ctx.Err()
		case <-time.After(settle):
		}
	}
}

func wantsPassword(err error) bool { return PasswordRefusal(err) != nil }

// PasswordRefusal is the part of err, of Clean's say, in which a server says that it wants a password or
// that the one given is wrong; nil if there is none.
func PasswordRefusal(err error) error {
	// Each part is looked at by itself: errors.As would stop at the first sentence, whatever it says.
	if told, ok := err.(*text.Error); ok && (told.ID == "server.noauth" || told.ID == "server.wrongpass" || told.ID == "server.mysql-denied") { //nolint:errorlint // see above
		return told
	}
	switch of := err.(type) { //nolint:errorlint // see above
	case interface{ Unwrap() error }:
		return PasswordRefusal(of.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range of.Unwrap() {
			if refusal := PasswordRefusal(part); refusal != nil {
				return refusal
			}
		}
	}
	return nil
}

// keysLeft says that keys stayed, where, and how to have them removed.
func (b borrowed) keysLeft(folder string, cause error) error {
	return text.Err("server.keys-left", text.Args{"Address": b.Address, "Database": b.Database, "Folder": folder, "Variable": passwordVariable}, cause)
}

// Removing goes in batches of this many names. Up to namedKeys numbers are removed
// one name after the other; of more, those that are there are looked for with
// SCAN, which never holds the server up as KEYS does.
const (
	removeBatch = 1000
	namedKeys   = 1 << 20
)

// removeKeys removes keys by name, and says how many were there. It removes
// nothing whose name does not begin with KeyPrefix.
func removeKeys(ctx context.Context, e Endpoint, keys []Keys) (removed int64, err error) {
	if err := (redisService{}).ask(ctx, e); err != nil {
		return 0, err
	}
	e = withoutUnusedPassword(ctx, e)
	c := control(e)
	defer c.Close()
	batch := make([]string, 0, removeBatch)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		n, err := unlink(ctx, c, batch)
		removed += n
		batch = batch[:0]
		return err
	}
	remove := func(name string) error {
		if batch = append(batch, name); len(batch) < removeBatch {
			return nil
		}
		return flush()
	}
	for _, k := range keys {
		if !strings.HasPrefix(k.Name, KeyPrefix) {
			continue
		}
		if err := k.each(ctx, c, remove); err != nil {
			return removed, redisRefusal(e, err.Error(), err)
		}
	}
	if err := flush(); err != nil {
		return removed, redisRefusal(e, err.Error(), err)
	}
	return removed, nil
}

func (k Keys) each(ctx context.Context, c *redis.Client, do func(name string) error) error {
	if k.Numbers == 0 {
		return do(k.Name)
	}
	if k.Numbers > namedKeys {
		found := c.Scan(ctx, 0, globLiteral(k.Name)+strings.Repeat("[0-9]", 12), removeBatch).Iterator()
		for found.Next(ctx) {
			if err := do(found.Val()); err != nil {
				return err
			}
		}
		return found.Err()
	}
	for i := range k.Numbers {
		if err := do(fmt.Sprintf("%s%012d", k.Name, i)); err != nil {
			return err
		}
	}
	return nil
}

// unlink is UNLINK, or DEL on a server from before 4.0, which has none.
func unlink(ctx context.Context, c *redis.Client, names []string) (int64, error) {
	n, err := c.Unlink(ctx, names...).Result()
	switch {
	case err == nil:
		return n, nil
	case strings.HasPrefix(err.Error(), "ERR unknown command"):
		return c.Del(ctx, names...).Result()
	case len(names) > 1 && strings.HasPrefix(err.Error(), "CROSSSLOT "), strings.HasPrefix(err.Error(), "MOVED "):
		// A cluster takes one name at a time; a key of another node was refused when it was written, too.
		if len(names) == 1 {
			return 0, nil
		}
		for _, name := range names {
			one, err := unlink(ctx, c, []string{name})
			if err != nil {
				return n, err
			}
			n += one
		}
		return n, nil
	}
	return n, err
}

// globLiteral quotes what a glob pattern would read as its own.
func globLiteral(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// giveBackAll removes what is left on every borrowed server, one after the other since ask
// may ask a person, and says what it could not.
func (left leftovers) giveBackAll(ctx context.Context, ask Ask) (removed []string, err error) {
	var errs []error
	for _, b := range left.borrowed {
		n, err := b.giveBack(ctx, ask)
		if n > 0 {
			removed = append(removed, b.removed(n))
		}
		if err != nil {
			errs = append(errs, b.left(left.launch.Folder, err))
		}
	}
	return removed, errors.Join(errs...)
}

// emptyFolder removes what is in a launch's folder save its record, which still
// says where keys are.
func emptyFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.Name() != recordName {
			errs = append(errs, os.RemoveAll(filepath.Join(folder, e.Name())))
		}
	}
	return errors.Join(errs...)
}
