package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"berth/core/text"
)

// guestUser is who another program is let into a server of Berth's as.
const guestUser = "berth-guest"

// Guest lets another program into a Redis that Berth started, with a password that may stand on a command
// line, where everybody sees it: it opens the keys of this server as long as this server runs, and nothing
// that could reach the machine's files or another server. It takes Redis 6, which has users.
func (s *Server) Guest(ctx context.Context) (user, password string, err error) {
	var raw [16]byte
	rand.Read(raw[:]) // never fails
	password = hex.EncodeToString(raw[:])
	c := control(s.Endpoint)
	defer c.Close()
	err = c.Do(ctx, "ACL", "SETUSER", guestUser, "reset", "on", ">"+password, "~*", "+@read", "+@write", "+@connection", "-@dangerous", "-@scripting").Err()
	if err != nil {
		return "", "", text.Err("server.no-guest", text.Args{"Label": s.Variant.Label}, err)
	}
	return guestUser, password, nil
}
