//go:build !headless

package window

import (
	"net"
	"strconv"
	"strings"

	"berth/core/text"
)

// A reader reads what was typed and remembers the first entry that it could
// not read. Entries are named by the
// plan's keys, and for people by the messages "window.entry-<key>".
type reader struct {
	words *text.Catalogue
	err   error
	entry string
}

func (r *reader) fail(entry, id, typed string) {
	if r.err == nil {
		r.entry = entry
		r.err = text.Err(id, text.Args{"Entry": r.words.T("window.entry-" + entry), "Text": typed}, nil)
	}
}

func (r *reader) number(entry, typed string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(typed), 10, 64)
	if err != nil || n < 0 {
		r.fail(entry, "window.bad-number", typed)
	}
	return n
}

func (r *reader) seed(entry, typed string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(typed), 10, 64)
	if err != nil {
		r.fail(entry, "window.bad-number", typed)
	}
	return n
}

func (r *reader) decimal(entry, typed string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(typed), 64)
	if err != nil || !(n >= 0) || n > 1e6 {
		r.fail(entry, "window.bad-seconds", typed)
		return 0
	}
	return n
}

// list reads whole numbers apart by commas, spaces, or the commas of Chinese.
func (r *reader) list(entry, typed string) []int {
	words := strings.FieldsFunc(typed, func(c rune) bool { return strings.ContainsRune(",，、; \t", c) })
	if len(words) == 0 {
		r.fail(entry, "window.bad-list", typed)
	}
	var out []int
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 {
			r.fail(entry, "window.bad-list", w)
			return nil
		}
		out = append(out, n)
	}
	return out
}

// port reads "auto", nothing, or a port; 0 is auto.
func (r *reader) port(entry, typed string) int {
	typed = strings.TrimSpace(typed)
	if typed == "" || strings.EqualFold(typed, "auto") {
		return 0
	}
	n, err := strconv.Atoi(typed)
	if err != nil || n < 0 || n > 65535 {
		r.fail(entry, "window.bad-port", typed)
	}
	return n
}

// address reads host:port, a host alone (port 6379), or the path of a unix socket.
func (r *reader) address(entry, typed, usualPort string) (host string, port int, socket string) {
	typed = strings.TrimSpace(typed)
	if strings.HasPrefix(typed, "/") {
		return "", 0, typed
	}
	host, digits, err := net.SplitHostPort(typed)
	if err != nil {
		host, digits = strings.Trim(typed, "[]"), usualPort
	}
	port, err = strconv.Atoi(digits)
	if host == "" || err != nil || port < 1 || port > 65535 {
		r.fail(entry, "window.bad-address", typed)
	}
	return host, port, ""
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
