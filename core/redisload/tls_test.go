package redisload

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a key and a certificate for 127.0.0.1 that is its own
// authority.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "berth"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

func TestTLSLoadsWithTheSameCounts(t *testing.T) {
	cert, key := certificate(t)
	port := freePort(t)
	plain := realServer(t, "--tls-port", fmt.Sprint(port), "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no", "--tls-ca-cert-file", cert)
	job := jobFor(fmt.Sprintf("127.0.0.1:%d", port), "SET")
	job.Pipeline, job.Target.TLS = 7, &TLS{CACert: cert}
	r := runJob(t, job)
	if got := calls(t, plain, "set"); got != job.Requests || r.Requests != job.Requests || r.Engine != EngineTLS {
		t.Errorf("%d calls, %d replies, engine %q, want %d and %q", got, r.Requests, r.Engine, job.Requests, EngineTLS)
	}
	for _, c := range []struct {
		kind   string
		target Target
	}{
		{"tls-authority", Target{Address: job.Target.Address, TLS: &TLS{}}},
		{"tls-name", Target{Address: job.Target.Address, TLS: &TLS{CACert: cert, ServerName: "elsewhere.example"}}},
		{"tls-none", Target{Address: fakeServer(t, func(net.Conn) {}), TLS: &TLS{CACert: cert}}},
		{"tls-none", Target{Address: plain, TLS: &TLS{CACert: cert}}},
	} {
		bad := job
		bad.Target, bad.Target.Network = c.target, "tcp"
		if _, err := Run(context.Background(), bad, nil); Kind(err) != c.kind {
			t.Errorf("%v (%q), want %q", err, Kind(err), c.kind)
		}
	}
	bad := job
	bad.Target.TLS = &TLS{CACert: cert + ".none"}
	if _, err := Run(context.Background(), bad, nil); Kind(err) != "tls-file" {
		t.Errorf("a file that is not there: %v (%q)", err, Kind(err))
	}
}

func TestTheChosenCipherIsUsedAndOthersAreRefused(t *testing.T) {
	for _, c := range []struct{ ciphers, suites, kind string }{
		{"ECDHE-ECDSA-AES256-GCM-SHA384", "", ""},
		{"ECDHE-RSA-AES128-GCM-SHA256:TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "", ""},
		{"", "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256", ""},
		{"HIGH:!aNULL", "", "tls-cipher"},
		{"TLS_AES_128_GCM_SHA256", "", "tls-cipher"},
		{"", "ECDHE-RSA-AES128-GCM-SHA256", "tls-cipher"},
		{"", "TLS_AES_128_GCM_SHA256", "tls-suites"},
	} {
		job := jobFor("127.0.0.1:1", "SET")
		job.Target.TLS = &TLS{Ciphers: c.ciphers, CipherSuites: c.suites}
		if err := Check(job); Kind(err) != c.kind {
			t.Errorf("%q, %q: %v, want %q", c.ciphers, c.suites, err, c.kind)
		}
	}
	cert, key := certificate(t)
	port := freePort(t)
	realServer(t, "--tls-port", fmt.Sprint(port), "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "no", "--tls-ca-cert-file", cert,
		"--tls-protocols", "TLSv1.2", "--tls-ciphers", "ECDHE-ECDSA-AES256-GCM-SHA384")
	job := jobFor(fmt.Sprintf("127.0.0.1:%d", port), "SET")
	job.Target.TLS = &TLS{CACert: cert, Ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384"}
	runJob(t, job)
	job.Target.TLS.Ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256"
	if _, err := Run(context.Background(), job, nil); Kind(err) != "tls-no-agreement" {
		t.Errorf("a cipher that the server does not have: %v (%q)", err, Kind(err))
	}
}

func TestAServerThatWantsACertificateIsNamed(t *testing.T) {
	cert, key := certificate(t)
	port := freePort(t)
	realServer(t, "--tls-port", fmt.Sprint(port), "--tls-cert-file", cert, "--tls-key-file", key, "--tls-auth-clients", "yes", "--tls-ca-cert-file", cert)
	other, otherKey := certificate(t)
	job := jobFor(fmt.Sprintf("127.0.0.1:%d", port), "SET")
	for _, portable := range []bool{false, true} {
		job.ForcePortable, job.Target.TLS = portable, &TLS{CACert: cert}
		if _, err := Run(context.Background(), job, nil); Kind(err) != "tls-wants-certificate" {
			t.Errorf("without a certificate: %v (%q)", err, Kind(err))
		}
		job.Target.TLS = &TLS{CACert: cert, Cert: other, Key: otherKey}
		if _, err := Run(context.Background(), job, nil); !strings.HasPrefix(Kind(err), "tls-") {
			t.Errorf("with another's certificate: %v (%q)", err, Kind(err))
		}
		job.Target.TLS = &TLS{CACert: cert, Cert: cert, Key: key}
		runJob(t, job)
	}
}
