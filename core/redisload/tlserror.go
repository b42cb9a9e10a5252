package redisload

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"berth/core/text"
)

// Alerts of RFC 8446, section 6.2, and of RFC 5246, section 7.2.2, by which a server ends a handshake.
const (
	alertHandshakeFailure    = 40
	alertBadCertificate      = 42
	alertUnknownAuthority    = 48
	alertProtocolVersion     = 70
	alertInsufficient        = 71
	alertCertificateRequired = 116
)

// tlsError is a handshake that failed as the case that it is, with advice. A server that wants a
// certificate may say so only once the handshake is done, in what is read then.
func tlsError(t Target, err error) error {
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	args := text.Args{"Address": t.Address}
	kind := KindTLS
	switch {
	case errors.As(err, &record), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		kind = "tls-none" // a server that speaks no TLS may also wait for the end of a line
	case errors.As(err, &authority):
		kind = "tls-authority"
	case errors.As(err, &name):
		kind, args["Wanted"] = "tls-name", name.Host
		args["Names"] = strings.Join(namesOf(name.Certificate), ", ")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		kind, args["From"], args["To"] = "tls-expired", invalid.Cert.NotBefore.Format("2006-01-02"), invalid.Cert.NotAfter.Format("2006-01-02")
	default:
		switch alertOf(err) {
		case alertCertificateRequired, alertBadCertificate:
			kind = "tls-wants-certificate"
		case alertUnknownAuthority:
			kind = "tls-distrusts"
		case alertHandshakeFailure, alertProtocolVersion, alertInsufficient:
			kind = "tls-no-agreement" // or, in TLS 1.2, a certificate is wanted
		}
	}
	return text.Err("redisload."+kind, args, err)
}

// alertOf is the alert by which the other side ended a connection; 0 if none did. Package tls
// tells it by its text only.
func alertOf(err error) tls.AlertError {
	var remote *net.OpError
	if !errors.As(err, &remote) || remote.Op != "remote error" {
		return 0
	}
	for a := range tls.AlertError(255) {
		if a > 0 && a.Error() == remote.Err.Error() {
			return a
		}
	}
	return 0
}

// namesOf is whom a certificate is for.
func namesOf(c *x509.Certificate) []string {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		names = append(names, c.Subject.String())
	}
	return names
}
