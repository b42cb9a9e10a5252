package server

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"berth/core/need"
	"berth/core/plan"
)

func TestServersTakeAsManyClientsAsAPlanMayAskFor(t *testing.T) {
	l := newDockerLauncher(t)
	for _, placement := range []string{plan.Native, plan.DockerHost} {
		t.Run(placement, func(t *testing.T) {
			s := start(t, l, variant(placement))
			if got, want := s.Facts["redis.maxclients"], fmt.Sprint(ownMaxClients); got != want {
				t.Fatalf("maxclients is %s, want %s", got, want)
			}
			var limit unix.Rlimit
			if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
				t.Fatal(err)
			}
			if limit.Cur < plan.MaxClients+500 {
				t.Fatalf("this process may open %d files only", limit.Cur)
			}
			conns := make([]net.Conn, 0, plan.MaxClients)
			defer func() {
				for _, c := range conns {
					c.Close()
				}
			}()
			for range plan.MaxClients {
				c, err := net.DialTimeout("tcp", s.Endpoint.Address, time.Second)
				if err != nil {
					t.Fatalf("after %d connections: %v", len(conns), err)
				}
				conns = append(conns, c)
				// One that has been answered waits in no queue any more.
				c.SetDeadline(time.Now().Add(5 * time.Second))
				fmt.Fprint(c, "PING\r\n")
				if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasPrefix(line, "-NOAUTH") {
					t.Fatalf("connection %d is answered %q (%v)", len(conns), line, err)
				}
			}
			if err := (redisService{}).ask(t.Context(), s.Endpoint); err != nil {
				t.Errorf("beside them: %v", err)
			}
		})
	}
}

func TestOpenFilesAreRaisedToWhatIsAllowed(t *testing.T) {
	need.Linux(t)
	for _, x := range []struct{ soft, hard, want int64 }{
		{1024, 4096, 4096}, {1024, 1 << 20, openFiles}, {1024, -1, openFiles}, {20_000, 20_000, 20_000}, {-1, -1, -1},
	} {
		if got := raised(x.soft, x.hard); got != x.want {
			t.Errorf("%d of %d becomes %d, want %d", x.soft, x.hard, got, x.want)
		}
	}
	// What is started under a low limit has the same.
	out, err := heldUnder(t, "ulimit -S -n 256")
	if err != nil {
		t.Fatal(err)
	}
	var hard unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &hard); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprint(raised(256, int64(hard.Max))); out != want {
		t.Errorf("under a soft limit of 256 it is %s, want %s", out, want)
	}
	if out, err := heldUnder(t, "ulimit -n 256"); err != nil || out != "256" {
		t.Errorf("under a hard limit of 256 it is %s (%v), want 256", out, err)
	}
}

// heldUnder is the soft limit of open files of what is held and let go in a shell that has run first.
func heldUnder(t *testing.T, first string) (string, error) {
	t.Helper()
	argv := held([]string{"/bin/sh", "-c", "ulimit -S -n"})
	cmd := exec.Command("/bin/sh", append([]string{"-c", first + `; exec "$@"`, "sh"}, argv...)...)
	cmd.Stdin = strings.NewReader("go\n")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
