package server

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// hidden stands for a password in what is quoted of a server's log.
const hidden = "•••"

// passwordLines are the directives whose values are passwords.
var passwordLines = []string{
	"requirepass", "masterauth", "rename-command", "user",
	"tls-key-file-pass", "tls-client-key-file-pass", "tls-keyfile-pass",
}

// secretsOf are the passwords in a line of redis.conf or of an ACL file, as written and as
// read: a log quotes either. words are the line's, the name in lower case.
func secretsOf(line string, words []string) []string {
	if len(words) < 2 || !slices.Contains(passwordLines, words[0]) {
		return nil
	}
	var found []string
	add := func(s string) {
		if s != "" {
			found = append(found, s)
		}
	}
	values := [][]string{words[1:]}
	if raw := strings.Fields(line); len(raw) > 1 {
		values = append(values, raw[1:])
		// Quoted words may have spaces in them.
		add(strings.TrimSpace(strings.TrimPrefix(line, raw[0])))
	}
	for _, all := range values {
		for i, value := range all {
			switch words[0] {
			case "user": // user NAME rules: > and < go before a password, # and ! before its SHA-256
				if i > 0 && value != "" && strings.ContainsRune(`><#!"'`, rune(value[0])) {
					add(value)
					add(strings.Trim(value, `><#!"'`))
				}
			case "rename-command": // COMMAND NAME: the new name is known to few
				if i > 0 {
					add(strings.Trim(value, `"'`))
				}
			default:
				add(strings.Trim(value, `"'`))
			}
		}
	}
	return found
}

// redact replaces what is secret in s. A secret of a few letters is replaced where it is a whole word.
func redact(s string, secrets []string) string {
	const short = 4
	all := slices.Clone(secrets)
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range slices.Compact(all) {
		switch {
		case secret == "":
		case utf8.RuneCountInString(secret) >= short:
			s = strings.ReplaceAll(s, secret, hidden)
		default:
			word := regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(secret) + `($|[^\pL\pN])`)
			s = word.ReplaceAllString(s, "${1}"+hidden+"${2}")
		}
	}
	return s
}
