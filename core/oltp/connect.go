package oltp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"io"
	"net"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"

	"berth/core/text"
)

// connectTime bounds reaching the server and being let in.
const connectTime = 5 * time.Second

// A dialer opens a connection to the server.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

func plainDialer(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTime}
	return d.DialContext(ctx, network, address)
}

// connectorTo is how the driver connects to t.
func connectorTo(t Target, dial dialer) (driver.Connector, error) {
	c := mysql.NewConfig()
	c.User, c.Passwd, c.DBName = t.User, t.Password, t.Database
	c.Net, c.Addr = t.Network, t.Address
	c.Logger = &mysql.NopLogger{} // every fault comes back as an error
	c.DialFunc = dial
	// Off, so that an UPDATE that changes nothing counts as sysbench counts it.
	c.ClientFoundRows = false
	if t.TLS != nil {
		config, err := t.TLS.config(t)
		if err != nil {
			return nil, err
		}
		c.TLS = config
	}
	if t.Compress {
		if err := c.Apply(mysql.EnableCompression(true)); err != nil {
			return nil, err
		}
	}
	return mysql.NewConnector(c)
}

func (o TLS) config(t Target) (*tls.Config, error) {
	c := &tls.Config{ServerName: o.ServerName, InsecureSkipVerify: o.InsecureSkipVerify}
	if c.ServerName == "" && t.Network == "tcp" {
		if host, _, err := net.SplitHostPort(t.Address); err == nil {
			c.ServerName = host
		}
	}
	if o.CACert != "" {
		pem, err := os.ReadFile(o.CACert)
		if err != nil {
			return nil, text.Err("oltp.tls-file", text.Args{"Path": o.CACert}, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, text.Err("oltp.tls-file", text.Args{"Path": o.CACert}, nil)
		}
	}
	if o.Cert != "" {
		pair, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, text.Err("oltp.tls-file", text.Args{"Path": o.Cert}, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// openControl opens the connections that question the server and make tables; never
// the ones that are measured.
func openControl(ctx context.Context, t Target) (*sql.DB, error) {
	connector, err := connectorTo(t, plainDialer)
	if err != nil {
		return nil, serverError(t, err)
	}
	db := sql.OpenDB(connector)
	reach, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if err := db.PingContext(reach); err != nil {
		db.Close()
		err = serverError(t, err)
		if Kind(err) == KindLost && greetsOtherwise(ctx, t) {
			err = text.Err("oltp."+KindNotMySQL, text.Args{"Address": t.Address}, err)
		}
		return nil, err
	}
	return db, nil
}

// greetsOtherwise says whether what listens at t says something first that is not
// how a MySQL server begins: a packet numbered 0, with protocol version 10 or an error.
//
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html
func greetsOtherwise(ctx context.Context, t Target) bool {
	c, err := plainDialer(ctx, t.Network, t.Address)
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	const version, failure = 10, 0xff
	var start [5]byte
	if _, err := io.ReadFull(c, start[:]); err != nil {
		return false
	}
	return start[3] != 0 || start[4] != version && start[4] != failure
}
