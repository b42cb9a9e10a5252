// Package need decides, for every test of the project, whether a part of the
// machine that the test uses is there. A missing part skips the test and says
// why; where the environment variable BERTH_REQUIRE names the part, it fails it.
package need

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"
)

// Parts that BERTH_REQUIRE can name, joined by commas.
const (
	redis   = "redis"
	mariadb = "mariadb"
	docker  = "docker"
	display = "display"
	tables  = "tables"
)

// Redis needs a redis-server program.
func Redis(t testing.TB) { program(t, redis, "redis-server") }

// RedisBenchmark needs redis-benchmark, which comes with Redis.
func RedisBenchmark(t testing.TB) { program(t, redis, "redis-benchmark") }

// Mariadb needs a mariadbd program.
func Mariadb(t testing.TB) { program(t, mariadb, "mariadbd") }

// Sysbench needs sysbench, which is measured against a MariaDB.
func Sysbench(t testing.TB) { program(t, mariadb, "sysbench") }

// Docker needs a Docker engine that answers to this user.
func Docker(t testing.TB) {
	t.Helper()
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		missing(t, docker, "no Docker engine: "+err.Error())
		return
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := c.Ping(ctx); err != nil {
		missing(t, docker, "no Docker engine: "+err.Error())
	}
}

// Registry needs Debian's docker-registry, and an engine that pulls from it.
func Registry(t testing.TB) {
	t.Helper()
	Docker(t)
	program(t, docker, "docker-registry")
}

// SSH needs the ssh program, and the docker command that answers an engine's clients behind it.
func SSH(t testing.TB) {
	t.Helper()
	Docker(t)
	program(t, docker, "ssh")
	program(t, docker, "docker")
}

// Dockerd needs an engine that a test may start for itself, and so root.
func Dockerd(t testing.TB) {
	t.Helper()
	Docker(t)
	program(t, docker, "dockerd")
	if os.Getuid() != 0 {
		missing(t, docker, "a Docker engine of the test's own needs root")
	}
}

// Display needs the programs that show the window on a screen of the test's own.
func Display(t testing.TB) {
	t.Helper()
	for _, name := range []string{"Xvfb", "openbox", "xdotool", "xclip", "import"} {
		program(t, display, name)
	}
}

// LibreOffice needs soffice, which opens a table as a user of a spreadsheet would.
func LibreOffice(t testing.TB) { program(t, tables, "soffice") }

// R needs Rscript, which reads a table as a user of R would.
func R(t testing.TB) { program(t, tables, "Rscript") }

// Pandas needs a Python that has pandas, and returns its program: the system's, where
// the first on PATH is another that has not.
func Pandas(t testing.TB) (python string) {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pandas").Run() == nil {
			return python
		}
	}
	missing(t, tables, "no python3 with pandas")
	return ""
}

// Linux needs Linux: what is tested does not exist elsewhere.
func Linux(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux")
	}
}

func program(t testing.TB, part, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		missing(t, part, "no "+name+" on PATH")
	}
}

func missing(t testing.TB, part, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("BERTH_REQUIRE"), ","), part) {
		t.Fatalf("%s, and BERTH_REQUIRE names %s", why, part)
	}
	t.Skip(why)
}
