package redisload

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFactsAreWhatTheServerTells(t *testing.T) {
	address := realServer(t, "--rename-command", "SPOP", "", "--user", "bob", "on", ">l0ve", "~*", "+ping")
	ask(t, address, "CONFIG", "SET", "save", "3600 1 300 100")
	ask(t, address, "SET", "a", "1")
	ask(t, address, "SET", "b", "1")
	target := Target{Network: "tcp", Address: address}
	got, err := Ask(context.Background(), target, nil, []string{"SET", "get", "PING", "EVAL", "SPOP", "SET"})
	if err != nil {
		t.Fatal(err)
	}
	want := Facts{Save: "3600 1 300 100", AppendOnly: "no", Keys: 2, Writes: map[string]bool{"SET": true, "get": false, "PING": false, "EVAL": true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	target.Database = 3
	if other, err := Ask(context.Background(), target, nil, nil); err != nil || other.Keys != 0 {
		t.Errorf("another database has %d keys (%v)", other.Keys, err)
	}
	bob := Target{Network: "tcp", Address: address, User: "bob", Password: "l0ve"}
	if little, err := Ask(context.Background(), bob, nil, []string{"SET"}); err != nil || little.Save != "" || len(little.Writes) != 0 {
		t.Errorf("a user who may ask nothing is told %+v (%v)", little, err)
	}
	if _, ok := ServerCPU(context.Background(), bob); ok {
		t.Error("a user who may ask nothing is told the CPU")
	}
}

func TestServerCPUGrowsWithWork(t *testing.T) {
	target := Target{Network: "tcp", Address: realServer(t)}
	before, ok := ServerCPU(context.Background(), target)
	if !ok {
		t.Fatal("the server does not tell its CPU")
	}
	ask(t, target.Address, "EVAL", "for i = 1, 3000000 do local x = i end return 1", "0")
	after, ok := ServerCPU(context.Background(), target)
	if !ok || after <= before {
		t.Errorf("%v before work, %v after", before, after)
	}
}

func TestAFolderOfAuthoritiesServesBesideOtherFiles(t *testing.T) {
	cert, _ := certificate(t)
	folder := t.TempDir()
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"authority.pem": string(pem), "README": "no certificate"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := (&TLS{CACertDir: folder}).config("127.0.0.1:6379"); err != nil || c.RootCAs == nil {
		t.Errorf("no roots: %v", err)
	}
	if _, err := (&TLS{CACertDir: t.TempDir()}).config("127.0.0.1:6379"); Kind(err) != "tls-no-certificate" {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := (&TLS{CACertDir: folder + ".none"}).config("127.0.0.1:6379"); Kind(err) != "tls-file" {
		t.Errorf("a folder that is not there: %v", err)
	}
}
