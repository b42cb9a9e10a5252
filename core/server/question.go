package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"berth/core/text"
)

// ask sends AUTH, where there is a password, and PING over a connection of its own, and
// says in a sentence what came back if it was not PONG. It is written by hand
// because a client library hides what a server that is not Redis answers.
func (redisService) ask(ctx context.Context, e Endpoint) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := dial(ctx, e)
	if err != nil {
		return unreachable(e, err)
	}
	defer conn.Close()
	release := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer release()

	replies := bufio.NewReader(conn)
	if e.Password != "" {
		auth := []string{"AUTH", e.Password}
		if e.User != "" {
			auth = []string{"AUTH", e.User, e.Password}
		}
		// A server without a password answers AUTH with an error of its own, but is usable: PING decides.
		line, err := exchange(conn, replies, auth)
		if err != nil {
			return silent(e, err)
		}
		if strings.HasPrefix(line, "-") && !saysNoPassword(line) {
			return redisRefusal(e, line[1:], nil)
		}
		if !strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "-") {
			return notRedis(e, line)
		}
	}
	line, err := exchange(conn, replies, []string{"PING"})
	switch {
	case err != nil:
		return silent(e, err)
	case line == "+PONG":
		return nil
	case strings.HasPrefix(line, "-"):
		return redisRefusal(e, line[1:], nil)
	}
	return notRedis(e, line)
}

// replyLength is the most characters of a server's reply that are quoted.
const replyLength = 150

// exchange sends one command and reads the first line of the reply.
func exchange(conn net.Conn, replies *bufio.Reader, command []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, part := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(part), part)
	}
	if _, err := io.WriteString(conn, b.String()); err != nil {
		return "", err
	}
	line, err := replies.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func dial(ctx context.Context, e Endpoint) (net.Conn, error) {
	if e.TLS {
		d := tls.Dialer{Config: tlsConfig(e)}
		return d.DialContext(ctx, e.Network, e.Address)
	}
	var d net.Dialer
	return d.DialContext(ctx, e.Network, e.Address)
}

func tlsConfig(e Endpoint) *tls.Config {
	name, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		name = "localhost"
	}
	return &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}
}

// unreachable says why no connection to e came about.
func unreachable(e Endpoint, err error) error {
	args := text.Args{"Address": e.Address}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &dns):
		args["Host"] = dns.Name
		return text.Err("server.unknown-host", args, err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return text.Err("server.refused", args, err)
	case errors.Is(err, syscall.ENOENT):
		return text.Err("server.no-socket", args, err)
	case errors.Is(err, syscall.EACCES):
		return text.Err("server.socket-denied", args, err)
	case errors.As(err, &certificate):
		return text.Err("server.bad-certificate", args, err)
	case errors.As(err, &record):
		return text.Err("server.no-tls", args, err)
	case timedOut(err):
		return text.Err("server.timeout", args, err)
	}
	return text.Err("server.unreachable", args, err)
}

// silent says why e, once connected, gave no reply.
func silent(e Endpoint, err error) error {
	args := text.Args{"Address": e.Address}
	if timedOut(err) {
		return text.Err("server.timeout", args, err)
	}
	return text.Err("server.closed", args, err)
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// notRedis says that line is nothing that a Redis answers.
func notRedis(e Endpoint, line string) error {
	args := text.Args{"Address": e.Address}
	switch {
	case strings.HasPrefix(line, "HTTP/") || strings.HasPrefix(line, "<"):
		return text.Err("server.is-http", args, nil)
	case strings.HasPrefix(line, "\x15\x03"):
		return text.Err("server.needs-tls", args, nil)
	case strings.Contains(line, "mysql_native_password") || strings.Contains(line, "caching_sha2_password"):
		return text.Err("server.is-mysql", args, nil)
	}
	return text.Err("server.not-redis", args, nil)
}

// redisRefusal turns an error reply into a sentence. A server without AUTH quotes what it was sent, the password too.
func redisRefusal(e Endpoint, reply string, cause error) error {
	reply = redact(reply, []string{e.Password})
	args := text.Args{"Address": e.Address, "Reply": text.Line(reply, replyLength)}
	switch {
	case strings.HasPrefix(reply, "NOAUTH"):
		return text.Err("server.noauth", args, cause)
	case strings.HasPrefix(reply, "WRONGPASS"), strings.Contains(reply, "invalid password"):
		return text.Err("server.wrongpass", args, cause)
	case strings.HasPrefix(reply, "NOPERM"):
		return text.Err("server.noperm", args, cause)
	case strings.HasPrefix(reply, "DENIED"):
		return text.Err("server.denied", args, cause)
	case strings.Contains(reply, "DB index is out of range"):
		args["Database"] = e.Database
		return text.Err("server.no-database", args, cause)
	case strings.HasPrefix(reply, "LOADING"):
		return text.Err("server.loading", args, cause)
	}
	return text.Err("server.refusal", args, cause)
}
