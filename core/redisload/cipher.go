package redisload

import (
	"crypto/tls"
	"slices"
	"strings"

	"berth/core/text"
)

// opensslNames are OpenSSL's names of crypto/tls's suites of TLS 1.2 and
// before, which do not follow from the standard's. Source: ciphers(1ssl).
var opensslNames = map[string]uint16{
	"AES128-SHA":                    tls.TLS_RSA_WITH_AES_128_CBC_SHA,
	"AES256-SHA":                    tls.TLS_RSA_WITH_AES_256_CBC_SHA,
	"AES128-SHA256":                 tls.TLS_RSA_WITH_AES_128_CBC_SHA256,
	"AES128-GCM-SHA256":             tls.TLS_RSA_WITH_AES_128_GCM_SHA256,
	"AES256-GCM-SHA384":             tls.TLS_RSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-ECDSA-AES128-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
	"ECDHE-ECDSA-AES256-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
	"ECDHE-RSA-AES128-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
	"ECDHE-RSA-AES256-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
	"ECDHE-ECDSA-AES128-SHA256":     tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256,
	"ECDHE-RSA-AES128-SHA256":       tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256,
	"ECDHE-ECDSA-AES128-GCM-SHA256": tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-ECDSA-AES256-GCM-SHA384": tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-RSA-AES128-GCM-SHA256":   tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-RSA-AES256-GCM-SHA384":   tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-ECDSA-CHACHA20-POLY1305": tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-RSA-CHACHA20-POLY1305":   tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// chooseCiphers has c offer the suites that t names, by OpenSSL's names or the
// standard's. crypto/tls decides their order itself, and always offers its three of TLS
// 1.3: a list that leaves one of these out cannot be kept, and is refused. A name
// that crypto/tls does not have, or a rule like !MD5, is an error.
func (t *TLS) chooseCiphers(c *tls.Config) error {
	names := cipherList(t.Ciphers)
	for _, name := range names {
		id, known := opensslNames[name]
		if !known {
			id, known = standardSuites(tls.VersionTLS12)[name]
		}
		if !known {
			return unknownCipher("ciphers", name, opensslNames)
		}
		c.CipherSuites = append(c.CipherSuites, id)
	}
	left := standardSuites(tls.VersionTLS13)
	names = cipherList(t.CipherSuites)
	for _, name := range names {
		if _, known := left[name]; !known {
			return unknownCipher("ciphersuites", name, left)
		}
	}
	for name := range left {
		if len(names) > 0 && !slices.Contains(names, name) {
			return text.Err("redisload.tls-suites", text.Args{"Missing": name}, nil)
		}
	}
	return nil
}

func cipherList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ':' || r == ',' || r == ' ' })
}

// standardSuites are crypto/tls's suites of a version, by the standard's names.
func standardSuites(version uint16) map[string]uint16 {
	all := map[string]uint16{}
	for _, s := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		if slices.Contains(s.SupportedVersions, version) {
			all[s.Name] = s.ID
		}
	}
	return all
}

func unknownCipher(option, name string, known map[string]uint16) error {
	var names []string
	for n := range known {
		names = append(names, n)
	}
	slices.Sort(names)
	return text.Err("redisload.tls-cipher", text.Args{"Option": option, "Given": name, "Known": strings.Join(names, ", ")}, nil)
}
