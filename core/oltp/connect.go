package oltp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"database/sql/driver"
	"net"
	"os"
	"time"

	"github.com/go-sql-driver/mysql"

	"berth/core/text"
)

// connectTime bounds reaching the server and being let in.
const connectTime = 10 * time.Second

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
		return nil, serverError(t, err)
	}
	return db, nil
}
