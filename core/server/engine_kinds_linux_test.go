package server

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"berth/core/plan"
	"berth/core/text"
)

// A kind of engine that is not on this machine, as its answers tell it. They are in the form of
// Docker's API 1.41, /info and /version, with what the kinds differ in.
type kind struct {
	os, kernel string
	security   []string
	component  string
}

// fakeEngine answers as an engine of kind k does, at a socket or over TCP, and makes it the user's.
func fakeEngine(t *testing.T, network string, k kind) {
	t.Helper()
	answer := func(w http.ResponseWriter, what map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(what); err != nil {
			t.Error(err)
		}
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.41")
		switch {
		case strings.HasSuffix(r.URL.Path, "/_ping"):
			w.WriteHeader(http.StatusOK)
		case strings.HasSuffix(r.URL.Path, "/info"):
			answer(w, map[string]any{"OperatingSystem": k.os, "KernelVersion": k.kernel, "SecurityOptions": k.security, "ServerVersion": "27.0"})
		case strings.HasSuffix(r.URL.Path, "/version"):
			answer(w, map[string]any{"Version": "27.0", "Components": []map[string]string{{"Name": k.component, "Version": "5.0"}}})
		default:
			http.NotFound(w, r)
		}
	}))
	address := "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(t.TempDir(), "engine.sock")
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	t.Setenv("DOCKER_HOST", network+"://"+l.Addr().String())
}

func TestEveryKindOfEngineIsRecognisedAndRefusedForWhatItCannotDo(t *testing.T) {
	ours := kernelRelease()
	const docker, podman = "Engine", "Podman Engine"
	rootless := []string{"name=seccomp,profile=default", "name=rootless"}
	for name, c := range map[string]struct {
		network string
		kind    kind
		image   bool
		// refusals by placement; "" is none
		nat, direct, host string
		caution           bool
	}{
		"this machine's":       {"unix", kind{"Debian GNU/Linux 12", ours, nil, docker}, true, "", "", "", false},
		"over TCP":             {"tcp", kind{"Debian GNU/Linux 12", ours, nil, docker}, true, "", "server.docker-remote-placement", "server.docker-remote-placement", false},
		"Docker Desktop":       {"unix", kind{"Docker Desktop", "6.10.14-linuxkit", nil, docker}, true, "", "server.docker-virtual", "server.docker-virtual", true},
		"Docker Desktop's own": {"unix", kind{"Docker Desktop", "6.10.14-linuxkit", nil, docker}, false, "server.docker-needs-image", "server.docker-virtual", "server.docker-virtual", true},
		"another machine's":    {"unix", kind{"Ubuntu 24.04", "6.8.0-colima", nil, docker}, true, "", "server.docker-virtual", "server.docker-virtual", true},
		"rootless":             {"unix", kind{"Debian GNU/Linux 12", ours, rootless, docker}, true, "", "server.docker-rootless", "server.docker-rootless", true},
		"Podman":               {"unix", kind{"fedora", ours, nil, podman}, true, "", "", "", false},
		"rootless Podman":      {"unix", kind{"fedora", ours, rootless, podman}, true, "", "server.docker-rootless", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			fakeEngine(t, c.network, c.kind)
			for placement, id := range map[string]string{plan.DockerNAT: c.nat, plan.DockerDirect: c.direct, plan.DockerHost: c.host} {
				v := variant(placement)
				if c.image {
					v.Image = "redis:7.2"
				}
				a := Check(t.Context(), v)
				if id != "" {
					wants(t, a.Err, id)
					continue
				}
				if !a.OK {
					t.Errorf("%s is refused: %s", placement, a.Reason)
					continue
				}
				cautions := Cautions(a.Facts)
				if marked := len(cautions) == 1; marked != c.caution {
					t.Errorf("%s: cautions %v", placement, cautions)
				}
				if podman := a.Facts["docker.engine"] == "Podman"; podman != strings.Contains(name, "Podman") {
					t.Errorf("%s: the engine is %s", placement, a.Facts["docker.engine"])
				}
			}
		})
	}
}

func TestEngineThatCannotBeReachedSafelyIsRefusedAtOnceWithWhatToDo(t *testing.T) {
	for address, id := range map[string]string{
		"tcp://198.51.100.7:2375":     "server.docker-remote-tcp",
		"https://198.51.100.7:2376":   "server.docker-remote-tcp",
		"ssh://somebody@127.0.0.1:1":  "server.docker-ssh",
		"ssh://somebody:word@there":   "server.docker-host",
		"ssh://-oProxyCommand=reboot": "server.docker-ssh",
	} {
		t.Setenv("DOCKER_HOST", address)
		began := time.Now()
		a := Check(t.Context(), variant(plan.DockerNAT))
		wants(t, a.Err, id)
		told := text.For("en").Error(a.Err)
		if strings.Contains(told, "\n") || strings.Contains(told, "command [") {
			t.Errorf("%s is told as: %s", address, told)
		}
		if took := time.Since(began); took > checkTime {
			t.Errorf("%s: it took %v", address, took)
		}
	}
}
