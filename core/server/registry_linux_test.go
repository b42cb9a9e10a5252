package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/image"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/text"
)

// startRegistry starts a registry of the test's own on loopback, which engines trust without TLS.
func startRegistry(t *testing.T) (address string) {
	t.Helper()
	need.Registry(t)
	dir := t.TempDir()
	port, err := freePort("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	address = fmt.Sprintf("127.0.0.1:%d", port)
	config := filepath.Join(dir, "config.yml")
	err = os.WriteFile(config, fmt.Appendf(nil, "version: 0.1\nstorage: {filesystem: {rootdirectory: %q}}\nhttp: {addr: %q}\n", dir, address), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("docker-registry", "serve", config)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	eventually(t, 5*time.Second, "the registry answers", func() bool {
		reply, err := http.Get("http://" + address + "/v2/")
		if err != nil {
			return false
		}
		reply.Body.Close()
		return reply.StatusCode == http.StatusOK
	})
	return address
}

// pushRedisImage pushes an image of this machine's redis-server, and removes it here.
func pushRedisImage(t *testing.T, name string) {
	t.Helper()
	importRedisImage(t, name)
	e := testEngine(t)
	defer removeImage(t, name)
	reply, err := e.api.ImagePush(t.Context(), name, image.PushOptions{RegistryAuth: "e30="}) // {}
	if err != nil {
		t.Fatal(err)
	}
	if err := drain(reply, nil); err != nil {
		t.Fatal(err)
	}
}

func testEngine(t *testing.T) *engine {
	t.Helper()
	e, err := openEngine(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.close() })
	return e
}

func removeImage(t *testing.T, name string) {
	t.Helper()
	if _, err := testEngine(t).api.ImageRemove(context.Background(), name, image.RemoveOptions{Force: true}); err != nil {
		t.Error(err)
	}
}

func hasImage(t *testing.T, name string) bool {
	t.Helper()
	_, err := testEngine(t).api.ImageInspect(context.Background(), name)
	return err == nil
}

// slow passes requests on to a registry and hands out at most so many bytes a second.
func slow(t *testing.T, registry string, bytesPerSecond int) (address string) {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: registry})
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Body = &trickle{ReadCloser: r.Body, ctx: r.Request.Context(), bytesPerSecond: bytesPerSecond}
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

type trickle struct {
	io.ReadCloser
	ctx            context.Context
	bytesPerSecond int
}

func (r *trickle) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	select {
	case <-time.After(time.Duration(n) * time.Second / time.Duration(r.bytesPerSecond)):
	case <-r.ctx.Done():
		return n, r.ctx.Err()
	}
	return n, err
}

func TestRegistryImageIsPulledWithItsProgressInBytesAndServes(t *testing.T) {
	l := newDockerLauncher(t)
	registry := startRegistry(t)
	pushRedisImage(t, registry+"/berth-test:"+l.launch.ID)
	v := variant(plan.DockerNAT)
	v.Image = slow(t, registry, 8<<20) + "/berth-test:" + l.launch.ID
	if hasImage(t, v.Image) {
		t.Fatal("the image is here already: nothing would be pulled")
	}
	var said []string
	if err := l.Prepare(t.Context(), []plan.Variant{v}, func(s string) { said = append(said, s) }); err != nil {
		t.Fatal(err)
	}
	defer removeImage(t, v.Image)
	counted := 0
	for _, s := range said {
		var done, total float64
		rest, _ := strings.CutPrefix(s, "Pulling "+v.Image+": ")
		if n, _ := fmt.Sscanf(rest, "%f of %f MB", &done, &total); n == 2 && done <= total && total > 0.5 {
			counted++
		}
	}
	if counted < 2 {
		t.Errorf("progress in bytes was told %d times: %q", counted, said)
	}
	s, err := l.Start(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	if s.Facts["image.digest"] == "" || s.Facts["redis.version"] == "" {
		t.Errorf("facts: %v", s.Facts)
	}
	c := control(s.Endpoint)
	defer c.Close()
	if got, err := c.Incr(t.Context(), "counter").Result(); err != nil || got != 1 {
		t.Errorf("it does not serve: %d, %v", got, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if !hasImage(t, v.Image) {
		t.Error("the pulled image went: the next run would have to pull it again")
	}
}

func TestPullIsCancelledAtOnce(t *testing.T) {
	l := newDockerLauncher(t)
	registry := startRegistry(t)
	pushRedisImage(t, registry+"/berth-test:"+l.launch.ID)
	v := variant(plan.DockerNAT)
	v.Image = slow(t, registry, 100<<10) + "/berth-test:" + l.launch.ID
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	err := l.Prepare(ctx, []plan.Variant{v}, func(s string) {
		if strings.Contains(s, " MB") && cancelled.IsZero() {
			cancelled = time.Now()
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error: %v, want it cancelled", err)
	}
	if took := time.Since(cancelled); took > time.Second {
		t.Errorf("it went on for %v", took)
	}
	if hasImage(t, v.Image) {
		t.Error("the image is here all the same")
	}
}

func TestUnreachableRegistryIsToldAtOnce(t *testing.T) {
	l := newDockerLauncher(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	for name, c := range map[string]struct{ image, id string }{
		"refuses":          {"127.0.0.1:1/no-such:1", "server.registry-unreachable"},
		"is not found":     {"registry.invalid/no-such:1", "server.registry-unreachable"},
		"does not answer":  {mute.Addr().String() + "/no-such:1", "server.registry-unreachable"},
		"has no such name": {startRegistry(t) + "/no-such:1", "server.docker-pull"},
		"no name":          {"Not A Name", "server.image-name"},
	} {
		t.Run(name, func(t *testing.T) {
			v := variant(plan.DockerNAT)
			v.Image = c.image
			began := time.Now()
			err := l.Prepare(t.Context(), []plan.Variant{v}, nil)
			var told *text.Error
			if !errors.As(err, &told) || told.ID != c.id || strings.Contains(err.Error(), "\n") {
				t.Errorf("error: %v, want %s", err, c.id)
			}
			took := time.Since(began)
			t.Logf("after %v: %v", took.Round(time.Millisecond), err)
			if took > 2500*time.Millisecond {
				t.Errorf("it took %v", took)
			}
		})
	}
}
