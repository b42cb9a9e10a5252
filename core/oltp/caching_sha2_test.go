package oltp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"testing"
)

// A cachingServer greets and lets in as a MySQL 8 server does whose user has
// caching_sha2_password; it knows nothing else. MySQL 8 cannot be had where Berth is
// built: what it sends is from
// https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html
type cachingServer struct {
	password string
	cached   bool // it has let the user in before: no need for the whole password
	key      *rsa.PrivateKey
	letIn    atomic.Int64
}

const cachingSalt = "12345678901234567890" // 20 bytes, none of them 0

func (s *cachingServer) serve(c net.Conn) {
	in := bufio.NewReader(c)
	sequence := byte(0)
	send := func(payload []byte) {
		head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))[:3]
		c.Write(append(append(head, sequence), payload...))
		sequence++
	}
	receive := func() []byte {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return nil
		}
		payload := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
		io.ReadFull(in, payload)
		sequence = head[3] + 1
		return payload
	}
	var hello bytes.Buffer
	hello.WriteByte(10)
	hello.WriteString("8.4.0\x00")
	hello.Write([]byte{1, 0, 0, 0})
	hello.WriteString(cachingSalt[:8])
	hello.WriteByte(0)
	const capabilities = 1<<0 | 1<<3 | 1<<9 | 1<<15 | 1<<19 // long password, database, 4.1, secure, plugins
	hello.Write([]byte{capabilities & 0xff, capabilities >> 8 & 0xff, 45, 2, 0, capabilities >> 16 & 0xff, capabilities >> 24 & 0xff, 21})
	hello.Write(make([]byte, 10))
	hello.WriteString(cachingSalt[8:] + "\x00caching_sha2_password\x00")
	send(hello.Bytes())
	reply := receive()
	if !bytes.Contains(reply, scrambled(s.password)) && s.cached {
		send(denial)
		return
	}
	const fastSuccess, wantsAll, asksKey = 3, 4, 2
	if s.cached {
		send([]byte{1, fastSuccess})
	} else {
		send([]byte{1, wantsAll})
		if asked := receive(); len(asked) != 1 || asked[0] != asksKey {
			return
		}
		der, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
		if err != nil {
			return
		}
		send(append([]byte{1}, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})...))
		plain, err := rsa.DecryptOAEP(sha1.New(), nil, s.key, receive(), nil)
		if err != nil {
			return
		}
		for i := range plain {
			plain[i] ^= cachingSalt[i%len(cachingSalt)]
		}
		if string(plain) != s.password+"\x00" {
			send(denial)
			return
		}
	}
	s.letIn.Add(1)
	ok := []byte{0, 0, 0, 2, 0, 0, 0}
	send(ok)
	const quit, ping = 1, 14
	for {
		switch command := receive(); {
		case len(command) == 0 || command[0] == quit:
			return
		case command[0] == ping:
			send(ok)
		default:
			send(append([]byte{0xff, 0x28, 0x04}, "#42000this server answers nothing"...)) // 1064
		}
	}
}

var denial = append([]byte{0xff, 0x15, 0x04}, "#28000Access denied for user 'u'"...) // 1045

// scrambled is SHA256(password) XOR SHA256(SHA256(SHA256(password)), salt).
func scrambled(password string) []byte {
	once := sha256.Sum256([]byte(password))
	twice := sha256.Sum256(once[:])
	mixed := sha256.Sum256(append(twice[:], cachingSalt...))
	for i := range mixed {
		mixed[i] ^= once[i]
	}
	return mixed[:]
}

func TestAUserOfCachingSHA2IsLetInWithTheRightPasswordOnly(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for _, cached := range []bool{true, false} {
		for password, kind := range map[string]string{"secret": KindQuery, "wrong": KindAccessDenied} {
			t.Run(fmt.Sprintf("cached %v, %s", cached, password), func(t *testing.T) {
				s := &cachingServer{password: "secret", cached: cached, key: key}
				job := DefaultJob()
				job.Target = Target{Network: "tcp", Address: listen(t, s.serve), User: "u", Password: password, Database: "d"}
				_, err := Run(context.Background(), job, nil)
				if Kind(err) != kind || unclear(err) != "" {
					t.Errorf("kind %q of %v, want %q %s", Kind(err), err, kind, unclear(err))
				}
				if in := s.letIn.Load() > 0; in != (password == "secret") {
					t.Errorf("let in: %v", in)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Error("it hangs")
				}
			})
		}
	}
}
