// Package core_test holds the rules of who may know whom: data flows one way,
// load knows nothing of placements, servers know nothing of load, and nothing in
// core knows a window.
package core_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "berth"

// allowed lists for each package what it may import beside the standard
// library: packages of Berth by their folder, others by module. A new import is a decision: it is
// made here.
var allowed = map[string][]string{
	".": {"assets", "core/agent", "core/server", "core/text", "ui/cli", "ui/window"},

	"ui/window": {"assets", "core/figure", "core/host", "core/ingest", "core/plan", "core/redisload", "core/report", "core/result", "core/run",
		"core/server", "core/stats", "core/text", "fyne.io/fyne/v2", "golang.org/x/text"},
	// cli starts agents for berth load, which has no plan and no placement.
	"ui/cli": {"assets", "core/agent", "core/figure", "core/host", "core/ingest", "core/oltp", "core/plan", "core/redisload", "core/report", "core/result", "core/run",
		"core/server", "core/stats", "core/text", "ui/window",
		"github.com/HdrHistogram/hdrhistogram-go", "github.com/adrg/xdg", "github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "golang.org/x/text"},

	"core/run": {"assets", "core/agent", "core/host", "core/oltp", "core/plan", "core/redisload", "core/result",
		"core/server", "core/text", "github.com/adrg/xdg"},
	"core/server": {"assets", "core/host", "core/plan", "core/result", "core/text", "github.com/alicebob/miniredis/v2",
		"github.com/adrg/xdg", "github.com/distribution/reference", "github.com/docker/cli", "github.com/docker/docker", "github.com/docker/go-connections", "github.com/docker/go-units",
		"github.com/opencontainers/image-spec", "github.com/containerd/errdefs",
		"github.com/redis/go-redis/v9", "github.com/go-sql-driver/mysql", "golang.org/x/sys"},
	"core/agent": {"core/host", "core/oltp", "core/redisload", "core/result", "core/text",
		"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
	"core/redisload": {"core/text", "github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
	"core/oltp": {"core/text", "github.com/HdrHistogram/hdrhistogram-go", "github.com/go-sql-driver/mysql",
		"github.com/shirou/gopsutil/v4", "golang.org/x/sys"},

	// ingest knows tests and scripts by the names of redisload and oltp.
	"core/ingest": {"core/oltp", "core/plan", "core/redisload", "core/result", "core/text", "golang.org/x/text"},
	// report prints what redis-benchmark prints in redisload's own form.
	"core/report": {"assets", "core/figure", "core/host", "core/plan", "core/redisload", "core/result", "core/stats", "core/text", "golang.org/x/text"},
	"core/figure": {"assets", "core/plan", "core/result", "core/stats", "core/text",
		"github.com/HdrHistogram/hdrhistogram-go", "github.com/golang/freetype", "github.com/wcharczuk/go-chart/v2", "golang.org/x/image", "golang.org/x/text",
		"github.com/adrg/xdg", "github.com/go-text/typesetting"},
	"core/stats": {"core/host", "core/plan", "core/result", "core/text",
		"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/perf", "gonum.org/v1/gonum"},
	"core/result": {"core/host", "core/plan", "core/text", "github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
	// plan checks tests by redisload's names, scripts by oltp's, and CPUs as host reads them.
	"core/plan": {"assets", "core/host", "core/oltp", "core/redisload", "core/text", "github.com/distribution/reference", "github.com/pelletier/go-toml/v2"},
	"core/host": {"core/text", "github.com/shirou/gopsutil/v4", "golang.org/x/sys"},
	"core/text": {"assets", "github.com/nicksnyder/go-i18n/v2", "github.com/pelletier/go-toml/v2", "golang.org/x/text"},
	"assets":    {},

	"core/need":               {"github.com/docker/docker"},
	"core/internal/simulated": {"core/host", "core/plan", "core/result"},
}

// forbidden holds for tests too, which may otherwise import what they like.
var forbidden = map[string][]string{
	"core":           {"ui", "fyne.io"},
	"core/redisload": {"core/plan", "core/server", "core/run"},
	"core/oltp":      {"core/plan", "core/server", "core/run"},
	"core/server":    {"core/redisload", "core/oltp", "core/agent", "core/run"},
	"core/stats":     {"core/server", "core/run", "core/agent"},
	"core/figure":    {"core/server", "core/run", "core/agent"},
	"core/report":    {"core/server", "core/run", "core/agent"},
}

func TestEveryImportIsAllowed(t *testing.T) {
	for _, i := range imports(t) {
		if i.test {
			continue
		}
		list, known := allowed[i.from]
		if !known {
			t.Errorf("%s: the package %s is not in the list of who may import what", i.file, i.from)
		} else if !slices.ContainsFunc(list, func(a string) bool { return i.to == a || !isOurs(a) && within(i.to, a) }) {
			t.Errorf("%s: %s may not import %s", i.file, i.from, i.to)
		}
	}
}

func TestNothingCrossesTheSeams(t *testing.T) {
	for _, i := range imports(t) {
		for from, list := range forbidden {
			if !within(i.from, from) {
				continue
			}
			for _, to := range list {
				if within(i.to, to) {
					t.Errorf("%s: %s may not know %s", i.file, from, to)
				}
			}
		}
	}
}

// An imported is one import, its ends as folders of this repository or as
// paths of other modules.
type imported struct {
	file, from, to string
	test           bool
}

// imports are those of all files, whatever system or tag they are built for,
// without the standard library.
func imports(t *testing.T) []imported {
	t.Helper()
	root := ".." // this file lies in core
	var all []imported
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "build") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(to, module+"/"); ok {
				to = ours
			} else if first, _, _ := strings.Cut(to, "/"); !strings.Contains(first, ".") {
				continue // the standard library
			}
			all = append(all, imported{file: path, from: filepath.ToSlash(from), to: to, test: strings.HasSuffix(path, "_test.go")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d imports were found: the rules are not being tested", len(all))
	}
	return all
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func isOurs(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
