package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/core/text"
)

// A userConfig is a user's redis.conf and all that it includes, in one piece, as a server
// of Berth's may read it: what would reach out of the server's private folder is commented out.
type userConfig struct {
	text       string
	overridden []string // directives that do not count, in the order of their first lines
	files      []string // that were read: the user's own first
	needs      []string // paths of other files that the server reads
	acl        string   // what is in the user's ACL file, but for the user default
	hasACL     bool
	secrets    []string // passwords, and lines that hold them
}

// overridden are the directives of a user's file that do not count: those of overrides, those
// that would put something outside the server's private folder or remove it there (a socket, a pid
// file, a log, a cluster's nodes.conf), those that would put load on another server, and those without
// which it could not be asked or would not be where it was placed. (A
// line is taken out, not answered by a later one: Redis opens a log file as soon as it reads its name.)
var overridden = []string{
	"bind", "port", "protected-mode", "requirepass", "daemonize", "logfile", "dir", "supervised", "pidfile",
	"tls-port", "unixsocket", "unixsocketperm", "unixsocketgroup", "rdma-bind", "rdma-port",
	"syslog-enabled", "syslog-ident", "syslog-facility", "aclfile", "cluster-config-file",
	"replicaof", "slaveof", "db-s3-object", "storage-provider",
	"cluster-enabled", // a node without slots refuses every key
	// The placement chooses the CPUs: a list of the server's own would leave them.
	"server_cpulist", "bio_cpulist", "aof_rewrite_cpulist", "bgsave_cpulist",
	"server-cpulist", "bio-cpulist", "aof-rewrite-cpulist", "bgsave-cpulist",
}

// defaultUser is how lines of the user that Berth's password is of are listed among the overridden.
const defaultUser = "user:default"

func saysDefaultUser(words []string) bool {
	return len(words) > 1 && words[0] == "user" && words[1] == "default"
}

// tlsFiles are the directives that name files of TLS. Without a port of its own Redis
// reads them only where a replica or a cluster speaks TLS.
var tlsFiles = []string{
	"tls-cert-file", "tls-key-file", "tls-client-cert-file", "tls-client-key-file",
	"tls-dh-params-file", "tls-ca-cert-file", "tls-ca-cert-dir",
}

// How deep files may include each other, and how many there may be.
const (
	includeDepth = 16
	includeFiles = 1000
)

// readUserConfig reads a user's redis.conf as Redis does (loadServerConfigFromString
// in its config.c): names in any case, words in quotes, included files in place, with
// shell patterns, relative to the working folder or to the latest "dir". A file that is not there is
// looked for beside the user's own too: that is where one stands who starts a server by a relative name.
func readUserConfig(path string) (*userConfig, error) {
	r := configReader{main: path}
	if err := r.read(path, nil); err != nil {
		return nil, err
	}
	return r.finish()
}

// A configReader is what is known while a user's files are read.
type configReader struct {
	main   string
	folder string // of the latest "dir"; "" is this process's own
	files  int
	lines  []string
	later  []laterLine
	tls    bool // a replica or a cluster speaks TLS
	config userConfig
}

// A laterLine names a file that Redis opens when it has read everything.
type laterLine struct {
	number int
	words  []string
}

func (r *configReader) read(path string, above []string) error {
	r.files++
	if slices.Contains(above, path) || len(above) >= includeDepth || r.files > includeFiles {
		return text.Err("server.config-cycle", text.Args{"File": path, "Deep": includeDepth, "Files": includeFiles}, nil)
	}
	raw, err := readText(path)
	if err != nil {
		return text.Err("server.config-unreadable", text.Args{"File": path}, err)
	}
	r.config.files = append(r.config.files, path)
	above = append(slices.Clone(above), path)
	for line := range strings.SplitSeq(strings.TrimSuffix(raw, "\n"), "\n") {
		if err := r.line(line, above); err != nil {
			return err
		}
	}
	return nil
}

// readText reads a file of lines.
func readText(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a file")}
	}
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(path)
	if err == nil && strings.Contains(string(raw), "\x00") {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a text file")}
	}
	return strings.TrimPrefix(string(raw), "\ufeff"), err // which editors on Windows put first
}

func (r *configReader) line(line string, above []string) error {
	trimmed := strings.Trim(line, " \t\r")
	words, ok := splitWords(trimmed)
	if trimmed == "" || trimmed[0] == '#' || !ok || len(words) == 0 { // Redis itself tells of unbalanced quotes
		r.lines = append(r.lines, line)
		return nil
	}
	words[0] = strings.ToLower(words[0])
	name, rest := words[0], words[1:]
	r.config.secrets = append(r.config.secrets, secretsOf(trimmed, words)...)
	switch {
	case name == "include" && len(rest) > 0:
		r.lines = append(r.lines, "# "+line)
		for _, pattern := range rest {
			for _, path := range r.matches(pattern) {
				if err := r.read(path, above); err != nil {
					return err
				}
			}
		}
		return nil
	case name == "dir" && len(rest) == 1:
		r.folder = r.path(rest[0])
	case name == "tls-replication" || name == "tls-cluster":
		r.tls = len(rest) == 1 && strings.EqualFold(rest[0], "yes")
	}
	switch {
	case slices.Contains(overridden, name):
		r.config.override(name)
		line = "# " + line
	case saysDefaultUser(words):
		r.config.override(defaultUser)
		line = "# " + line
	}
	r.lines = append(r.lines, line)
	if len(rest) > 0 && (name == "aclfile" || name == "loadmodule" || slices.Contains(tlsFiles, name)) {
		r.later = append(r.later, laterLine{len(r.lines) - 1, words})
	}
	return nil
}

func (c *userConfig) override(name string) {
	if !slices.Contains(c.overridden, name) {
		c.overridden = append(c.overridden, name)
	}
}

// path is the file that a name in the user's files means now.
func (r *configReader) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	here, err := filepath.Abs(filepath.Join(r.folder, name))
	if err != nil {
		return name
	}
	if _, err := os.Stat(here); err != nil {
		if beside, err := filepath.Abs(filepath.Join(filepath.Dir(r.main), name)); err == nil {
			if _, err := os.Stat(beside); err == nil {
				return beside
			}
		}
	}
	return here
}

// matches are the files that an included name means, as glob(3) finds them: sorted, and
// hidden ones only where the pattern's own last part is hidden. A pattern may mean none.
func (r *configReader) matches(name string) []string {
	if !strings.ContainsAny(name, "*?[") {
		return []string{r.path(name)}
	}
	pattern := strings.ReplaceAll(name, "[!", "[^")
	folders := []string{""}
	if !filepath.IsAbs(pattern) {
		folders = []string{r.folder, filepath.Dir(r.main)}
	}
	for _, folder := range folders {
		full, err := filepath.Abs(filepath.Join(escapePattern(folder), pattern))
		if err != nil {
			continue
		}
		found, err := filepath.Glob(full)
		if err != nil { // no pattern then, but a name with an odd bracket
			return []string{r.path(name)}
		}
		if !strings.HasPrefix(filepath.Base(pattern), ".") {
			found = slices.DeleteFunc(found, func(f string) bool { return strings.HasPrefix(filepath.Base(f), ".") })
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func escapePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// finish finds the files that Redis opens last, from the last "dir", and gives their lines whole paths.
func (r *configReader) finish() (*userConfig, error) {
	c := &r.config
	acl := ""
	for _, l := range r.later {
		name, file := l.words[0], l.words[1]
		switch {
		case name == "aclfile":
			acl = file
			continue
		case file == "" || name == "loadmodule" && !strings.Contains(file, "/"): // looked for where libraries are
			continue
		}
		l.words[1] = r.path(file)
		if l.words[1] != file {
			r.lines[l.number] = quoteWords(l.words)
		}
		if name == "loadmodule" || r.tls {
			c.needs = append(c.needs, l.words[1])
		}
	}
	if acl != "" {
		var err error
		acl = r.path(acl)
		if c.acl, err = readText(acl); err != nil {
			return nil, text.Err("server.config-unreadable", text.Args{"File": acl}, err)
		}
		c.hasACL = true
		var kept strings.Builder
		for line := range strings.Lines(c.acl) {
			words := strings.Fields(line)
			c.secrets = append(c.secrets, secretsOf(strings.TrimSpace(line), words)...)
			if saysDefaultUser(words) {
				c.override(defaultUser)
				continue
			}
			kept.WriteString(line)
		}
		c.acl = kept.String()
	}
	c.text = strings.Join(r.lines, "\n") + "\n"
	return c, nil
}

// splitWords splits a line of redis.conf as sdssplitargs in Redis's sds.c does: "…" with the
// escapes \n \r \t \b \a and \xHH, '…' with \' alone. ok is false where quotes do not balance.
func splitWords(line string) (words []string, ok bool) {
	isSpace := func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
	for i := 0; ; {
		for i < len(line) && isSpace(line[i]) {
			i++
		}
		if i == len(line) {
			return words, true
		}
		var word []byte
		quote := byte(0)
		for {
			if i == len(line) {
				if quote != 0 {
					return nil, false
				}
				break
			}
			c := line[i]
			i++
			if quote == 0 {
				if c == ' ' || c == '\n' || c == '\r' || c == '\t' {
					break
				}
				if c == '"' || c == '\'' {
					quote = c
				} else {
					word = append(word, c)
				}
				continue
			}
			if c == quote { // what closes a quote ends the word
				if i < len(line) && !isSpace(line[i]) {
					return nil, false
				}
				break
			}
			if c == '\\' && i < len(line) && (quote == '"' || line[i] == '\'') {
				if b, ok := hexByte(line[i:]); ok && quote == '"' {
					word = append(word, b)
					i += 3
					continue
				}
				c = line[i]
				i++
				if at := strings.IndexByte("nrtba", c); quote == '"' && at >= 0 {
					c = "\n\r\t\b\a"[at]
				}
			}
			word = append(word, c)
		}
		words = append(words, string(word))
	}
}

// hexByte reads xHH.
func hexByte(s string) (byte, bool) {
	if len(s) < 3 || s[0] != 'x' {
		return 0, false
	}
	value := 0
	for _, c := range strings.ToLower(s[1:3]) {
		digit := strings.IndexRune("0123456789abcdef", c)
		if digit < 0 {
			return 0, false
		}
		value = value<<4 | digit
	}
	return byte(value), true
}

// quoteWords writes words so that splitWords reads them back.
func quoteWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(word string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(word) {
		switch c := word[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
