package cli

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"berth/assets"
	"berth/core/host"
	"berth/core/text"
)

// inspect looks at the machine: CPUs, display, fonts, programs.
func (t *terminal) inspect(ctx context.Context) examination {
	word := func(id string) string { return t.words.T("cli." + id) }
	facts := host.Read(ctx)
	display, noDisplay := findDisplay()
	if noDisplay == "" {
		noDisplay = word("doctor-display-unset")
	}
	font := findFont(xdg.FontDirs)
	machine := []part{
		{name: word("doctor-cpus"), found: joined(facts["cpu.allowed"], facts["cpu.model"])},
		{name: word("doctor-system"), found: joined(facts["os.name"], facts["kernel.version"])},
		{name: word("doctor-display"), found: display, why: t.words.T("cli.doctor-no-display", text.Args{"Why": noDisplay}), enables: word("enables-display")},
		{name: word("doctor-font"), found: font, why: word("doctor-no-font"), enables: word("enables-font")},
	}
	var programs []part
	for _, p := range []struct {
		names   []string
		enables string
	}{
		{[]string{"redis-server"}, "enables-redis"},
		{[]string{"redis-benchmark"}, "enables-redis-benchmark"},
		{[]string{"mariadbd", "mysqld"}, "enables-mysql"},
		{[]string{"taskset"}, "enables-taskset"},
	} {
		if runtime.GOOS != "linux" && p.names[0] == "taskset" {
			continue
		}
		programs = append(programs, part{name: p.names[0], found: findProgram(ctx, p.names),
			why: word("doctor-no-program"), enables: word(p.enables)})
	}
	return examination{version: assets.Version, machine: machine, programs: programs, runs: t.core.Folder()}
}

// versionTime is the most that a program may take to say its version.
const versionTime = 2 * time.Second

var versionNumber = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

// findProgram is the version and the path of the first of names that is
// installed; empty if none is. Servers lie in sbin, which a user's PATH may lack.
func findProgram(ctx context.Context, names []string) string {
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			path, err = exec.LookPath(filepath.Join("/usr/sbin", name))
		}
		if err != nil {
			continue
		}
		said, _ := exec.CommandContext(ctx, path, "--version").CombinedOutput()
		return joined(versionNumber.FindString(string(said)), path)
	}
	return ""
}

// findDisplay is the display that the window would open on, or why the one that
// the environment names does not answer; both are empty if it names none.
func findDisplay() (display, why string) {
	if runtime.GOOS != "linux" {
		return runtime.GOOS, ""
	}
	if name := os.Getenv("WAYLAND_DISPLAY"); name != "" {
		socket := name
		if !filepath.IsAbs(socket) {
			socket = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), name)
		}
		if why = unanswered("unix", socket); why == "" {
			return name + " (Wayland)", ""
		}
	}
	name := os.Getenv("DISPLAY")
	if name == "" {
		return "", why
	}
	where, number, _ := strings.Cut(name, ":")
	number, _, _ = strings.Cut(number, ".")
	if where == "" || where == "unix" {
		if why = unanswered("unix", "/tmp/.X11-unix/X"+number); why != "" {
			why = unanswered("unix", "@/tmp/.X11-unix/X"+number)
		}
	} else {
		why = unanswered("tcp", net.JoinHostPort(where, "60"+strings.Repeat("0", max(0, 2-len(number)))+number))
	}
	if why != "" {
		return "", why
	}
	return name + " (X11)", ""
}

// unanswered says why nothing answers at an address; empty if something does.
func unanswered(network, address string) string {
	c, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err.Error()
	}
	c.Close()
	return ""
}

// cjkFont matches the file names of the usual fonts with Chinese characters.
var cjkFont = regexp.MustCompile(`(?i)cjk|wqy|sourcehan|source-han|notosans(sc|tc|hk)|notoserif(sc|tc)|uming|ukai|droidsansfallback|msyh|simsun|simhei|pingfang|heiti|songti`)

// findFont is a font file with Chinese characters in one of dirs; empty if
// there is none.
func findFont(dirs []string) string {
	found := ""
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fs.SkipDir // what cannot be read has no font for us either
			case d.IsDir() || !cjkFont.MatchString(d.Name()):
				return nil
			}
			found = path
			return fs.SkipAll
		})
		if err == nil && found != "" {
			return found
		}
	}
	return ""
}

// joined is a and, in brackets behind it, b.
func joined(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + " (" + b + ")"
}
