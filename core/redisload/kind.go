package redisload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"berth/core/text"
)

// The error cases that have a name. Each is also the message redisload.KIND
// of the catalogue: what happened, to what, and what to do about it.
const (
	KindNoAuth         = "noauth"
	KindWrongPass      = "wrongpass"
	KindNotRedis       = "not-redis"
	KindRefused        = "refused"
	KindGone           = "gone" // in mid-test
	KindResolve        = "resolve"
	KindNoSocket       = "no-socket"
	KindUnreachable    = "unreachable"
	KindLoading        = "loading"
	KindNoPerm         = "noperm"
	KindOOM            = "oom"
	KindReadOnly       = "readonly"
	KindMisconf        = "misconf"
	KindMoved          = "moved"
	KindNoCluster      = "no-cluster"
	KindNoSlots        = "no-slots"
	KindMaxClients     = "maxclients"
	KindProtectedMode  = "protected-mode"
	KindNoDatabase     = "no-database"
	KindPortsExhausted = "ports-exhausted"
	KindFiles          = "files"
	KindNoAnswer       = "no-answer"
	KindNoReply        = "no-reply" // to a command of the user's own, which may block
	KindClosed         = "closed"
	KindCloses         = "closes" // each connection, on the first request
	KindTLS            = "tls"
	KindReply          = "reply" // an error reply of no kind that is known
	KindConnect        = "connect"
	KindCancelled      = "cancelled"
)

// Kind names the case that err is, or is wrapped around: one of the Kind
// constants, or the name of what Check refuses ("clients", "memory", ...).
// It is empty for an error of another package.
func Kind(err error) string { return text.Kind(err, "redisload.") }

// replyLength is the most characters of a server's reply that are quoted.
const replyLength = 150

// ReplyError is an error reply of a server as the case that it is, with
// advice. The text is as Result.FirstErrors has it, with no minus before it.
func ReplyError(target Target, reply string) error {
	kind := KindReply
	word, _, _ := strings.Cut(reply, " ")
	switch word {
	case "NOAUTH":
		kind = KindNoAuth
	case "WRONGPASS":
		kind = KindWrongPass
	case "LOADING":
		kind = KindLoading
	case "NOPERM":
		kind = KindNoPerm
	case "OOM":
		kind = KindOOM
	case "READONLY":
		kind = KindReadOnly
	case "MISCONF":
		kind = KindMisconf
	case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
		kind = KindMoved
	case "DENIED":
		kind = KindProtectedMode
	case "ERR":
		switch {
		case strings.HasPrefix(reply, "ERR max number of clients"):
			kind = KindMaxClients
		case strings.HasPrefix(reply, "ERR invalid password"), strings.HasPrefix(reply, "ERR AUTH <password> called"),
			strings.HasPrefix(reply, "ERR Client sent AUTH, but no password is set"):
			kind = KindWrongPass
		case strings.HasPrefix(reply, "ERR operation not permitted"): // Redis 2.6 and before
			kind = KindNoAuth
		case strings.HasPrefix(reply, "ERR This instance has cluster support disabled"):
			kind = KindNoCluster
		case strings.HasPrefix(reply, "ERR DB index is out of range"):
			kind = KindNoDatabase
		}
	}
	if target.Password != "" { // a server without AUTH quotes what it was sent
		reply = strings.ReplaceAll(reply, target.Password, "•••")
	}
	args := text.Args{"Address": target.Address, "Reply": text.Line(reply, replyLength), "Database": target.Database}
	return text.Err("redisload."+kind, args, nil)
}

// dialError is an error of the connection as the case that it is.
func dialError(target Target, err error) error {
	kind := KindConnect
	var resolve *net.DNSError
	var timeout net.Error
	switch {
	case err == nil:
		return nil
	case Kind(err) != "":
		return err
	case errors.Is(err, context.Canceled):
		kind = KindCancelled
	case alertOf(err) != 0:
		return tlsError(target, err)
	case errors.As(err, &resolve):
		kind = KindResolve
	case errors.Is(err, syscall.ECONNREFUSED):
		kind = KindRefused
	case target.Network == "unix" && errors.Is(err, fs.ErrNotExist):
		kind = KindNoSocket
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, syscall.EADDRINUSE):
		kind = KindPortsExhausted
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		kind = KindFiles
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		kind = KindUnreachable
	case errors.Is(err, errNotRESP):
		kind = KindNotRedis
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.ETIMEDOUT), errors.As(err, &timeout) && timeout.Timeout():
		kind = KindNoAnswer
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		kind = KindClosed
	}
	return text.Err("redisload."+kind, text.Args{"Address": target.Address}, err)
}

// fatalReply is the error of a reply after which a connection is of no use.
func fatalReply(target Target, reply []byte) error {
	if lacksPlace(reply) || bytes.HasPrefix(reply, []byte("DENIED")) {
		return ReplyError(target, string(reply))
	}
	return nil
}

// lacksPlace says whether a server refuses a connection for its maxclients.
func lacksPlace(reply []byte) bool {
	return bytes.HasPrefix(reply, []byte("ERR max number of clients"))
}

// gone is the case of a server that was lost in mid-test and cannot be reached
// again for cause.
func gone(target Target, cause error) error {
	if errors.Is(cause, syscall.ECONNREFUSED) || Kind(cause) == KindRefused || Kind(cause) == KindNoSocket ||
		target.Network == "unix" && errors.Is(cause, fs.ErrNotExist) {
		return text.Err("redisload."+KindGone, text.Args{"Address": target.Address}, nil)
	}
	return dialError(target, cause)
}

// silent is the case of a server from which no reply comes any more.
func silent(target Target) error {
	return text.Err("redisload."+KindNoAnswer, text.Args{"Address": target.Address}, nil)
}

// closes is the case of a server that closes each connection before it answers a request.
func closes(target Target) error {
	return text.Err("redisload."+KindCloses, text.Args{"Address": target.Address}, nil)
}
