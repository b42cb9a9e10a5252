package server

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"berth/assets"
	"berth/core/text"
)

func TestEverySentenceIsInEveryLanguage(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`"(server\.[a-z-]+)", (?:nil|text\.Args|args)`)
	used := map[string]bool{}
	for _, f := range sources {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllSubmatch(raw, -1) {
			used[string(m[1])] = true
		}
	}
	for _, lang := range text.Languages {
		raw, err := assets.Translations.ReadFile("translations/" + lang + "/server.toml")
		if err != nil {
			t.Fatal(err)
		}
		var sentences map[string]string
		if err := toml.Unmarshal(raw, &sentences); err != nil {
			t.Fatal(err)
		}
		for id := range used {
			if sentences[id] == "" {
				t.Errorf("%s: no %s", lang, id)
			}
		}
		for id := range sentences {
			if !used[id] {
				t.Errorf("%s: %s is never said", lang, id)
			}
		}
	}
}
