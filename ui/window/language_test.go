//go:build !headless

package window

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"berth/assets"
	"berth/core/text"
)

func messages(t *testing.T, language string) map[string]any {
	t.Helper()
	raw, err := assets.Translations.ReadFile("translations/" + language + "/window.toml")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := toml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryLanguageHasEveryMessageOfTheWindow(t *testing.T) {
	english := slices.Sorted(maps.Keys(messages(t, "en")))
	for _, language := range text.Languages[1:] {
		if got := slices.Sorted(maps.Keys(messages(t, language))); !slices.Equal(got, english) {
			t.Errorf("%s has other messages than English", language)
		}
	}
}

func TestEveryMessageThatTheCodeNamesIsThere(t *testing.T) {
	known := messages(t, "en")
	named := regexp.MustCompile(`(?:\bt\(|"window\.|confirm\(|"off", )"?([a-z0-9_-]+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(code), -1) {
			if n++; !strings.HasSuffix(m[1], "-") && known["window."+m[1]] == nil {
				t.Errorf("%s names window.%s, which no catalogue has", file, m[1])
			}
		}
	}
	if n < 60 {
		t.Fatalf("only %d names were found: the pattern reads nothing", n)
	}
}

func TestTheLanguageChangesAtOnceAndIsRemembered(t *testing.T) {
	c := &fakeCore{}
	w := open(t, c)
	for language, run := range map[string]string{"zh-Hans": "开始测试", "zh-Hant": "開始測試"} {
		w.speak(language)
		w.rest()
		if w.setup.run.Text != run {
			t.Errorf("%s: the button says %q", language, w.setup.run.Text)
		}
		if again := reopen(t, w.app, c); again.words.Lang() != language {
			t.Errorf("%s came back as %s", language, again.words.Lang())
		}
	}
}
