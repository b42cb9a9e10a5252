package redisload

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestJobTravelsByteForByte(t *testing.T) {
	for _, bytes := range []string{"plain", "", "\xff\xfe\x00\x80", "中文 \x1b[31m", `{"base64":"AA=="}`} {
		job := Job{
			Target: Target{Network: "tcp", Address: "127.0.0.1:1", User: bytes, Password: "p" + bytes, Database: 3, TLS: &TLS{Ciphers: "c"}},
			Args:   []string{"SET", bytes, "\x00\r\n" + bytes}, Prefix: bytes, Clients: 7, Keyspace: 9, RESP3: true,
			Masters: []Master{{Tag: "06S", Address: "127.0.0.1:2"}},
		}
		sent, err := json.Marshal(&job)
		if err != nil {
			t.Fatal(err)
		}
		var back Job
		if err := json.Unmarshal(sent, &back); err != nil {
			t.Fatalf("%s: %v", sent, err)
		}
		if !reflect.DeepEqual(back, job) {
			t.Errorf("%q comes back as %+v", bytes, back)
		}
	}
}
