package redisload

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"berth/core/text"
)

// connectTime bounds how long a connection takes to open and be greeted.
const connectTime = 5 * time.Second

// dial opens one connection of a job by Go's own means.
func dial(ctx context.Context, t Target) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTime}
	if t.TLS == nil {
		return d.DialContext(ctx, t.Network, t.Address)
	}
	config, err := t.TLS.config(t.Address)
	if err != nil {
		return nil, err
	}
	raw, err := d.DialContext(ctx, t.Network, t.Address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, config)
	shake, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := conn.HandshakeContext(shake); err != nil {
		raw.Close()
		return nil, tlsError(t, err)
	}
	return conn, nil
}

// config reads the files that a TLS setting names.
func (t *TLS) config(address string) (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify} //nolint:gosec // as the user asked
	if err := t.chooseCiphers(c); err != nil {
		return nil, err
	}
	if c.ServerName == "" {
		c.ServerName, _, _ = net.SplitHostPort(address)
	}
	if t.CACert != "" || t.CACertDir != "" {
		roots, err := t.roots()
		if err != nil {
			return nil, err
		}
		c.RootCAs = roots
	}
	if t.Cert != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, text.Err("redisload.tls-file", text.Args{"File": t.Cert + ", " + t.Key}, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

const proofCommand = "DBSIZE"

// roots are the certificates of the authorities that t names.
func (t *TLS) roots() (*x509.CertPool, error) {
	pool, where, found := x509.NewCertPool(), t.CACert, false
	var files []string
	if t.CACertDir != "" {
		where = t.CACertDir
		entries, err := os.ReadDir(t.CACertDir)
		if err != nil {
			return nil, text.Err("redisload.tls-file", text.Args{"File": t.CACertDir}, err)
		}
		for _, e := range entries {
			if !e.IsDir() {
				files = append(files, filepath.Join(t.CACertDir, e.Name()))
			}
		}
	}
	if t.CACert != "" {
		files = append(files, t.CACert)
	}
	for _, file := range files {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, text.Err("redisload.tls-file", text.Args{"File": file}, err)
		}
		found = pool.AppendCertsFromPEM(pem) || found // a folder may hold other files too
	}
	if !found {
		return nil, text.Err("redisload.tls-no-certificate", text.Args{"File": where}, nil)
	}
	return pool, nil
}

// greeting is what a connection sends before its load, and how many replies
// come to it, in redis-benchmark's order. With proof, its last command makes
// sure that a server serves the connection which is ready for commands, and not
// just a kernel or a proxy that accepted it: DBSIZE is refused to whoever must
// give a password first and while the server loads its data, and touches
// nothing. A server accepts connections in the order in which they came, so
// that of those that are opened before the load only the last asks for it.
func greeting(job Job, proof bool) (bytes []byte, replies int) {
	add := func(args ...string) {
		bytes = appendCommand(bytes, args...)
		replies++
	}
	t := job.Target
	switch {
	case t.Password != "" && t.User != "":
		add("AUTH", t.User, t.Password)
	case t.Password != "":
		add("AUTH", t.Password)
	}
	if job.Tracking {
		add("CLIENT", "TRACKING", "on")
	}
	if job.RESP3 {
		add("HELLO", "3")
	}
	if t.Database != 0 {
		add("SELECT", strconv.Itoa(t.Database))
	}
	if proof {
		add(proofCommand)
	}
	return bytes, replies
}

// A control is the connection on which a job asks and loads, beside the
// connections that are measured.
type control struct {
	conn   net.Conn
	target Target
	in     *bufio.Reader
	unlink string // UNLINK, or DEL on a server before 4.0
}

// openControl connects and is greeted. With proof it makes sure that the
// server is ready for commands.
func openControl(ctx context.Context, job Job, proof bool) (*control, error) {
	conn, err := dial(ctx, job.Target)
	if err != nil {
		return nil, dialError(job.Target, err)
	}
	c := newControl(conn, job.Target)
	unhook := context.AfterFunc(ctx, c.interrupt)
	defer unhook()
	if err := c.greet(job, proof); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// greet sends the greeting and reads the replies to it.
func (c *control) greet(job Job, proof bool) error {
	if hello, replies := greeting(job, false); replies > 0 {
		if err := c.exchange(hello, replies); err != nil {
			return err
		}
	}
	if !proof {
		return nil
	}
	if err := c.exchange(appendCommand(nil, proofCommand), 1); !proves(err) {
		return err
	}
	return nil
}

// proves says whether the reply to the proof shows a server that may be
// loaded: a number, or that it does not permit or know the proof's command.
func proves(err error) bool {
	kind := Kind(err)
	return err == nil || kind == KindNoPerm || kind == KindReply
}

func newControl(conn net.Conn, t Target) *control {
	return &control{conn: conn, target: t, in: bufio.NewReaderSize(conn, 4<<10)}
}

// close hangs up; see hangUp.
func (c *control) close() { hangUp(c.conn) }

// hangUpTime bounds how long a server is waited for that does not close.
const hangUpTime = 500 * time.Millisecond

// hangUp closes a connection and waits until the server has closed it too: only
// then does the server's maxclients have its place back for another.
func hangUp(conn net.Conn) {
	defer conn.Close()
	half, can := conn.(interface{ CloseWrite() error })
	if !can || half.CloseWrite() != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(hangUpTime))
	_, _ = io.Copy(io.Discard, conn) // its end, or its deadline, is all that is waited for
}

// interrupt has what is under way on the connection return at once.
func (c *control) interrupt() { _ = c.conn.SetDeadline(time.Unix(1, 0)) }

// exchange sends commands and reads their replies, none of which may be an
// error. Both go on at once, so that no buffer can fill on both sides.
func (c *control) exchange(out []byte, replies int) error {
	_ = c.conn.SetWriteDeadline(time.Time{})
	sent := make(chan error, 1)
	go func() {
		_, err := c.conn.Write(out)
		sent <- err
	}()
	var first error
	for range replies {
		_ = c.conn.SetReadDeadline(time.Now().Add(connectTime))
		_, err := c.read(false)
		if err != nil && Kind(err) == "" {
			c.interrupt()
			return dialError(c.target, cmp.Or(err, <-sent))
		}
		if first == nil {
			first = err
		}
	}
	if err := <-sent; err != nil && first == nil {
		first = dialError(c.target, err)
	}
	return first
}

// ask sends one command and returns its reply: strings, one for each element.
func (c *control) ask(args ...string) ([]string, error) {
	_ = c.conn.SetDeadline(time.Now().Add(connectTime))
	if _, err := c.conn.Write(appendCommand(nil, args...)); err != nil {
		return nil, dialError(c.target, err)
	}
	values, err := c.read(true)
	if err != nil {
		return nil, dialError(c.target, err)
	}
	return values, nil
}

// read reads one reply; its values, flattened, when they are wanted.
func (c *control) read(want bool) ([]string, error) {
	line, err := c.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, errNotRESP
	}
	if err != nil {
		return nil, err
	}
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		return nil, errNotRESP
	}
	rest := string(line[1:])
	switch line[0] {
	case '+', ':', ',', '#', '(', '_':
		return []string{rest}, nil
	case '-':
		return nil, ReplyError(c.target, rest)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || n > maxLength {
		return nil, errNotRESP
	}
	switch line[0] {
	case '$', '=':
		if n < 0 {
			return []string{""}, nil
		}
		if !want {
			_, err := c.in.Discard(int(n) + 2)
			return nil, err
		}
		b := make([]byte, n+2)
		if _, err := io.ReadFull(c.in, b); err != nil {
			return nil, err
		}
		return []string{string(b[:n])}, nil
	case '%':
		n *= 2
	case '*', '~':
	default:
		return nil, errNotRESP
	}
	var all []string
	for range n {
		one, err := c.read(want)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// chooseUnlink finds out whether the server has UNLINK.
func (c *control) chooseUnlink() error {
	if c.unlink != "" {
		return nil
	}
	c.unlink = "UNLINK"
	_, err := c.ask("UNLINK", "berth:no-such-key")
	if Kind(err) == KindReply { // ERR unknown command
		c.unlink = "DEL"
		return nil
	}
	if Kind(err) == KindMoved { // it knows the command, and another master has that key
		return nil
	}
	return err
}

// waitFreed waits, not longer than most, until the server's own thread has
// freed what was unlinked. A server that does not tell is not waited for.
func (c *control) waitFreed(ctx context.Context, most time.Duration) error {
	until := time.Now().Add(most)
	for {
		info, err := c.ask("INFO", "memory")
		if Kind(err) == KindReply || Kind(err) == KindNoPerm {
			return nil
		}
		if err != nil {
			return err
		}
		_, after, known := strings.Cut(strings.Join(info, ""), "lazyfree_pending_objects:")
		if !known || strings.HasPrefix(after, "0") || time.Now().After(until) {
			return nil
		}
		pause := time.NewTimer(2 * time.Millisecond)
		select {
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		case <-pause.C:
		}
	}
}

// scan calls found with each key of the database that pattern matches.
func (c *control) scan(ctx context.Context, pattern string, found func(string) error) error {
	cursor := "0"
	for {
		got, err := c.ask("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
		if err != nil {
			return err
		}
		if len(got) == 0 {
			return dialError(c.target, errNotRESP)
		}
		for _, key := range got[1:] {
			if err := found(key); err != nil {
				return err
			}
		}
		if cursor = got[0]; cursor == "0" || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
