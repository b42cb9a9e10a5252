package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	// miniredis answers Redis's commands from memory, in Go: all that a demonstration needs.
	"github.com/alicebob/miniredis/v2"
)

// StandInCommand is the hidden first argument that makes this program a stand-in server.
const StandInCommand = "__stand-in"

// StandInMain is what a stand-in process does: it serves as the file at args[0]
// says, until it is killed. It returns the exit code of a failure.
func StandInMain(args []string) int {
	err := fmt.Errorf("a file with the address is needed")
	if len(args) == 1 {
		err = serveStandIn(args[0])
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func serveStandIn(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var set standInSetting
	if err := json.Unmarshal(raw, &set); err != nil {
		return err
	}
	m := miniredis.NewMiniRedis()
	m.RequireAuth(set.Password)
	host, _, err := net.SplitHostPort(set.Address)
	if err != nil {
		return err
	}
	if err := m.StartAddr(net.JoinHostPort(host, "0")); err != nil {
		return err
	}
	defer m.Close()
	l, err := net.Listen("tcp", set.Address)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go passOn(c, m.Addr())
	}
}

// passOn joins a client to the server at address. It is needed because miniredis
// does not know inline commands, which PING_INLINE sends: they become arrays on the way.
func passOn(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(client, server) // it ends with either side
		client.Close()
	}()
	defer func() { server.Close(); <-ended }()
	in, out := bufio.NewReaderSize(client, 64<<10), bufio.NewWriterSize(server, 64<<10)
	for {
		if err := passCommand(in, out); err != nil {
			return
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return
			}
		}
	}
}

// passCommand passes one command on, as an array of bulk strings: "*N", then "$LENGTH"
// and so many bytes N times (redis.io/docs/reference/protocol-spec).
func passCommand(in *bufio.Reader, out *bufio.Writer) error {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(line, []byte("*")) {
		words := bytes.Fields(line)
		if len(words) == 0 {
			return nil
		}
		fmt.Fprintf(out, "*%d\r\n", len(words))
		for _, word := range words {
			fmt.Fprintf(out, "$%d\r\n%s\r\n", len(word), word)
		}
		return nil
	}
	parts, err := number(line)
	if err != nil {
		return err
	}
	if _, err := out.Write(line); err != nil {
		return err
	}
	for range parts {
		if line, err = in.ReadSlice('\n'); err != nil {
			return err
		}
		length, err := number(line)
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, int64(length)+2); err != nil {
			return err
		}
	}
	return nil
}

// number is that of a line such as "*3" or "$5".
func number(line []byte) (int, error) {
	return strconv.Atoi(strings.TrimSpace(string(line[1:])))
}

// miniredisVersion is the one that this program was built with; "" if it does not say.
func miniredisVersion() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range build.Deps {
		if m.Path == "github.com/alicebob/miniredis/v2" {
			return strings.TrimPrefix(m.Version, "v")
		}
	}
	return ""
}
