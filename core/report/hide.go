package report

import (
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"berth/core/result"
)

// What stands for what is hidden; the same in every language, as commands are.
const (
	hiddenHost    = "HOST"
	hiddenUser    = "USER"
	hiddenPath    = "PATH"
	hiddenAddress = "ADDRESS"
)

// Names are what a machine is called, and whose it is.
type Names struct {
	Hosts, Users []string
	Folders      []string // whole paths
}

// MachineNames are this machine's, this user's, and those of the folders where
// Berth and its user keep things. What the system does not tell is left out.
func MachineNames() Names {
	var n Names
	if host, err := os.Hostname(); err == nil {
		n.Hosts = append(n.Hosts, host)
	}
	if u, err := user.Current(); err == nil {
		n.Users = append(n.Users, u.Username, u.Name)
		n.Folders = append(n.Folders, u.HomeDir)
	}
	for _, folder := range []func() (string, error){os.UserHomeDir, os.UserCacheDir, os.Getwd} {
		if path, err := folder(); err == nil {
			n.Folders = append(n.Folders, path)
		}
	}
	return n
}

// HideNames is a copy of r without names of hosts and users, paths and addresses:
// those in n, those that the run's plan names, and whatever looks like a path or an
// address in any of its texts, the user's own among them. Paths of the system's
// programs stay, which are the same on every machine. Labels stay different.
func HideNames(r *result.Run, n Names) *result.Run {
	h := hider{}
	for _, host := range n.Hosts {
		h.hide(host, hiddenHost)
		short, _, _ := strings.Cut(host, ".")
		h.hide(short, hiddenHost)
	}
	for _, name := range n.Users {
		h.hide(name, hiddenUser)
	}
	for _, folder := range n.Folders {
		h.hidePath(folder)
	}
	h.hidePath(r.Path)
	for _, v := range r.Plan.Variants {
		h.hide(v.Host, hiddenAddress)
		h.hide(v.User, hiddenUser)
		h.hidePath(v.Socket)
		h.hidePath(v.ConfigFile)
		if strings.ContainsAny(v.Program, `/\`) { // else it is a name, found on PATH
			h.hidePath(v.Program)
		}
		if i := strings.LastIndexByte(v.Image, '/'); i > 0 { // a registry, or its user
			h.hide(v.Image[:i], hiddenAddress)
		}
	}
	h.hide(r.Plan.Host, hiddenAddress)
	// A name within another must not be hidden first: what is left of the other would show.
	slices.SortStableFunc(h.names, func(a, b hiddenName) int { return len(b.name) - len(a.name) })

	w := rewriter{text: h.text, labels: map[string]string{}}
	taken := map[string]bool{}
	for _, label := range labelsOf(r) {
		shown := h.text(label)
		for i := 2; taken[shown]; i++ {
			shown = h.text(label) + " " + strconv.Itoa(i)
		}
		taken[shown] = true
		w.labels[label] = shown
	}
	out := w.run(r)
	out.Path = ""
	if out.Plan.Name != r.Plan.Name { // of which the ID has the letters and digits
		out.ID = idName.ReplaceAllString(r.ID, "${1}plan$2")
	}
	return out
}

// idName is a run's ID: when it began, its plan's name, and four digits.
var idName = regexp.MustCompile(`^([0-9]{8}-[0-9]{6}-).*(-[0-9a-f]{4})$`)

// A hider replaces names in texts.
type hider struct{ names []hiddenName }

type hiddenName struct{ name, standIn string }

// everybodys are names that tell nothing, and that commands have in them as words.
var everybodys = []string{"", "root", "localhost", "default"}

func (h *hider) hide(name, standIn string) {
	if !slices.Contains(everybodys, name) {
		h.names = append(h.names, hiddenName{name, standIn})
	}
}

// hidePath hides a path, also one that is relative or has spaces in it.
func (h *hider) hidePath(path string) {
	if path != "" && filepath.Clean(path) != "." && filepath.Dir(path) != path && !systems(path) {
		h.names = append(h.names, hiddenName{path, hiddenPath})
	}
}

var (
	// What stands before a path or an address, so that "requests/s" is none and a version none.
	unixPath    = regexp.MustCompile(`(^|[^0-9A-Za-z_./$~)}\]*-])(~?/[^\s"':,;()<>|&]+)`)
	below       = regexp.MustCompile(hiddenPath + `[/\\][^\s"':,;()<>|&]+`) // what is in a hidden folder
	windowsPath = regexp.MustCompile(`(^|[^A-Za-z])([A-Za-z]:\\[^\s"':,;()<>|&]+)`)
	ipv4        = regexp.MustCompile(`(^|[^0-9.])((?:[0-9]{1,3}\.){3}[0-9]{1,3}(?::[0-9]+)?)`)
	ipv6        = regexp.MustCompile(`(^|[^0-9A-Za-z.:])(\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[0-9A-Za-z]+)?\]?)`)
)

func (h *hider) text(s string) string {
	for _, n := range h.names {
		s = replaceWord(s, n.name, n.standIn)
	}
	s = below.ReplaceAllString(s, hiddenPath)
	s = unixPath.ReplaceAllStringFunc(s, func(found string) string {
		return hideMatch(unixPath, found, hiddenPath, func(path string) bool { return !systems(path) })
	})
	s = windowsPath.ReplaceAllString(s, "${1}"+hiddenPath)
	s = ipv4.ReplaceAllString(s, "${1}"+hiddenAddress)
	return ipv6.ReplaceAllStringFunc(s, func(found string) string {
		return hideMatch(ipv6, found, hiddenAddress, func(address string) bool {
			_, err := netip.ParseAddr(strings.Trim(address, "[]"))
			return err == nil && strings.Trim(address, ":") != ""
		})
	})
}

func hideMatch(of *regexp.Regexp, found, standIn string, hidden func(string) bool) string {
	m := of.FindStringSubmatch(found)
	if !hidden(m[2]) {
		return found
	}
	return m[1] + standIn
}

// systemFolders hold what every system of a kind has at the same place.
var systemFolders = []string{"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/bin", "/sbin", "/lib", "/lib64", "/dev", "/proc", "/sys"}

// systems says whether path is one of the system's, or of those that Berth's
// containers have inside, and so tells nothing of whose machine it is.
func systems(path string) bool {
	path = filepath.Clean(path)
	if slices.Contains([]string{"/usr", "/etc/ld.so.cache", "/data", "/tmp"}, path) {
		return true
	}
	return slices.ContainsFunc(systemFolders, func(folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") })
}

// replaceWord puts standIn where name stands in s as a word of its own.
func replaceWord(s, name, standIn string) string {
	var b strings.Builder
	for {
		i := index(s, name)
		if i < 0 {
			return b.String() + s
		}
		end := i + len(name)
		if i > 0 && wordByte(s[i-1]) && wordByte(name[0]) || end < len(s) && wordByte(s[end]) && wordByte(name[len(name)-1]) {
			b.WriteString(s[:i+1])
			s = s[i+1:]
			continue
		}
		b.WriteString(s[:i] + standIn)
		s = s[end:]
	}
}

// index of name in s; where a system's paths and names have no case of their own, in any case.
func index(s, name string) int {
	if runtime.GOOS == "windows" && len(strings.ToLower(s)) == len(s) {
		return strings.Index(strings.ToLower(s), strings.ToLower(name))
	}
	return strings.Index(s, name)
}

func wordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b == '_' || b >= 0x80
}
