package server

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"berth/core/plan"
)

func TestAServerThatAnswersPongToEverythingIsNoRedis(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "*") {
						io.WriteString(conn, "+PONG\r\n")
					}
				}
			}()
		}
	}()
	_, err = TestConnection(t.Context(), Endpoint{Network: "tcp", Address: l.Addr().String()})
	if err == nil || !strings.Contains(err.Error(), "is not Redis") {
		t.Errorf("it is told as %v", err)
	}
}

func TestAProgramThatTheUserNamedIsNotToBeInstalled(t *testing.T) {
	a := Check(t.Context(), plan.Variant{Service: plan.Redis, Placement: plan.Native, Program: "/nowhere/redis-server"})
	if a.OK || a.Command != "" {
		t.Errorf("the advice is %q", a.Command)
	}
}

func TestAContainerCannotHaveALowPort(t *testing.T) {
	if firstOpenPort() < 2 {
		t.Skip("this machine lets everybody listen on every port")
	}
	low := []plan.Variant{{Label: "docker-host", Placement: plan.DockerHost}}
	if err := CheckContainerPort(1, low); err == nil {
		t.Error("port 1 passes")
	}
	if err := CheckContainerPort(1, []plan.Variant{{Placement: plan.Native}}); err != nil {
		t.Error(err)
	}
}
