package oltp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/go-sql-driver/mysql"

	"berth/core/text"
)

// The error cases that have a name. Each is also the message oltp.KIND of the
// catalogue: what happened, to what, and what to do about it.
const (
	KindAccessDenied    = "access-denied"
	KindDatabaseDenied  = "database-denied"
	KindUnknownDatabase = "unknown-database"
	KindNoDatabase      = "no-database"
	KindEngine          = "engine"
	KindReadOnly        = "read-only"
	KindConnections     = "connections"
	KindStatements      = "statements"
	KindMissing         = "missing"
	KindSize            = "size"
	KindExists          = "exists"
	KindForeign         = "foreign"
	KindNotAllowed      = "not-allowed"
	KindDiskFull        = "disk-full"
	KindLittleSpace     = "little-space"
	KindLost            = "lost"
	KindAuthPlugin      = "auth-plugin"
	KindBlocked         = "blocked"
	KindDeadlock        = "deadlock"
	KindLockWait        = "lock-wait"
	KindChangedRow      = "changed-row"
	KindShuttingDown    = "shutting-down"
	KindNotMySQL        = "not-mysql"
	KindRefused         = "refused"
	KindResolve         = "resolve"
	KindNoSocket        = "no-socket"
	KindUnreachable     = "unreachable"
	KindFiles           = "files"
	KindTLS             = "tls"
	KindNoTLS           = "no-tls"
	KindNoAnswer        = "no-answer"
	KindQueueFull       = "queue-full"
	KindOnlyErrors      = "only-errors"
	KindCancelled       = "cancelled"
	KindQuery           = "query"   // an error of the server of no kind that is known
	KindConnect         = "connect" // an error of the connection of no kind that is known
)

// Numbers of errors, of the server and of its C client.
//
// https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html
const (
	errChecksRead       = 1020 // ER_CHECKREAD: MariaDB with innodb_snapshot_isolation
	errLockWait         = 1205
	errDeadlock         = 1213
	errServerGone       = 2006
	errTCPConnection    = 2011
	errServerLost       = 2013
	errServerLostExtend = 2055
)

// kindOf is the case of a server's error number.
func kindOf(number uint16) string {
	switch number {
	case 1045, 1698, 1862:
		return KindAccessDenied
	case 1044:
		return KindDatabaseDenied
	case 1049:
		return KindUnknownDatabase
	case 1046:
		return KindNoDatabase
	case 1286, 1266:
		return KindEngine
	case 1290, 1792, 1836, 3989:
		return KindReadOnly
	case 1040, 1203, 1226:
		return KindConnections
	case 1461:
		return KindStatements
	case 1146:
		return KindMissing
	case 1050:
		return KindExists
	case 1142, 1143, 1227:
		return KindNotAllowed
	case 1021, 1114, 3, 1026:
		return KindDiskFull
	case 1251, 1275, 1524, 2059:
		return KindAuthPlugin
	case 1129, 1130:
		return KindBlocked
	case errDeadlock:
		return KindDeadlock
	case errLockWait:
		return KindLockWait
	case errChecksRead:
		return KindChangedRow
	case 1053, 1927, 1317:
		return KindShuttingDown
	}
	return KindQuery
}

// Kind names the case that err is, or is wrapped around: one of the Kind
// constants, or the name of what Check refuses ("threads", "tables", ...). It
// is empty for an error of another package.
func Kind(err error) string { return text.Kind(err, "oltp.") }

// serverError is an error of a server or of the way to it as the case that it is.
func serverError(t Target, err error) error {
	if err == nil || Kind(err) != "" {
		return err
	}
	args := text.Args{"Address": t.Address, "User": t.User, "Database": t.Database}
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		kind := kindOf(refused.Number)
		if refused.Number == 1030 && strings.Contains(refused.Message, "28") { // "Got error 28 ... from storage engine": ENOSPC
			kind = KindDiskFull
		}
		args["Number"], args["Message"] = refused.Number, refused.Message
		return text.Err("oltp."+kind, args, err)
	}
	return text.Err("oltp."+connectionKind(t, err), args, err)
}

func connectionKind(t Target, err error) string {
	var resolve *net.DNSError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var verify *tls.CertificateVerificationError
	var remote *net.OpError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return KindCancelled
	case errors.As(err, &resolve):
		return KindResolve
	case errors.Is(err, syscall.ECONNREFUSED):
		return KindRefused
	case t.Network == "unix" && errors.Is(err, fs.ErrNotExist):
		return KindNoSocket
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return KindFiles
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return KindUnreachable
	case errors.Is(err, mysql.ErrNoTLS):
		return KindNoTLS
	case errors.As(err, &record), errors.As(err, &unknown), errors.As(err, &verify), errors.As(err, &remote) && remote.Op == "remote error":
		return KindTLS
	case errors.Is(err, mysql.ErrUnknownPlugin), errors.Is(err, mysql.ErrOldPassword), errors.Is(err, mysql.ErrCleartextPassword), errors.Is(err, mysql.ErrNativePassword):
		return KindAuthPlugin
	case errors.Is(err, mysql.ErrMalformPkt), errors.Is(err, mysql.ErrPktSync), errors.Is(err, mysql.ErrPktSyncMul), errors.Is(err, mysql.ErrOldProtocol),
		strings.HasPrefix(err.Error(), "unsupported protocol version"):
		return KindNotMySQL
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, syscall.ETIMEDOUT), errors.As(err, &timeout) && timeout.Timeout():
		return KindNoAnswer
	case errorNumber(err) == errServerLost,
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return KindLost
	}
	return KindConnect
}
