package text

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"berth/assets"
)

// messages are a language's sentences by their IDs, those with plural forms joined.
func messages(t *testing.T, lang string) map[string]string {
	t.Helper()
	all := map[string]string{}
	files, err := fs.Glob(assets.Translations, path.Join("translations", lang, "*.toml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no messages: %v", lang, err)
	}
	for _, file := range files {
		raw, err := fs.ReadFile(assets.Translations, file)
		if err != nil {
			t.Fatal(err)
		}
		var content map[string]any
		if err := toml.Unmarshal(raw, &content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for id, message := range content {
			if _, twice := all[id]; twice {
				t.Errorf("%s: %s is there twice", file, id)
			}
			switch m := message.(type) {
			case string:
				all[id] = m
			case map[string]any:
				for _, form := range m {
					all[id] += form.(string) + "\n"
				}
			}
		}
	}
	return all
}

func TestEverySentenceIsThereInEveryLanguageWithTheSameArguments(t *testing.T) {
	argument := regexp.MustCompile(`\.[A-Z]\w*`)
	arguments := func(sentence string) []string {
		all := argument.FindAllString(strings.Join(regexp.MustCompile(`{{.*?}}`).FindAllString(sentence, -1), " "), -1)
		slices.Sort(all)
		return slices.Compact(all)
	}
	english := messages(t, "en")
	for _, lang := range Languages[1:] {
		others := messages(t, lang)
		for id, sentence := range english {
			other, there := others[id]
			if !there {
				t.Errorf("%s lacks %s", lang, id)
			} else if !slices.Equal(arguments(sentence), arguments(other)) {
				t.Errorf("%s: %s takes %v, in English %v", lang, id, arguments(other), arguments(sentence))
			}
		}
		for id := range others {
			if _, there := english[id]; !there {
				t.Errorf("%s has %s, which English lacks", lang, id)
			}
		}
	}
}

func TestLocalesFindTheirLanguage(t *testing.T) {
	for locale, want := range map[string]string{
		"": "en", "C": "en", "en_GB.UTF-8": "en", "de_DE": "en",
		"zh_CN.UTF-8": "zh-Hans", "zh-CN": "zh-Hans", "zh": "zh-Hans", "zh_SG": "zh-Hans", "zh-Hans": "zh-Hans",
		"zh_TW.UTF-8": "zh-Hant", "zh-HK": "zh-Hant", "zh-Hant": "zh-Hant",
	} {
		if got := For(locale).Lang(); got != want {
			t.Errorf("%q is served in %s, want %s", locale, got, want)
		}
	}
}

func TestAnErrorIsASentenceInItsReadersLanguage(t *testing.T) {
	err := Err("result.log-unreadable", Args{"Path": "a.jsonl"}, errors.New("it is gone"))
	if got, want := err.Error(), "cannot read the run a.jsonl: it is gone"; got != want {
		t.Errorf("in English: %s, want %s", got, want)
	}
	if got := For("zh-CN").Error(errors.Join(err)); !strings.Contains(got, "无法读取") || !strings.Contains(got, "a.jsonl") {
		t.Errorf("in Chinese: %s", got)
	}
	if got := For("en").T("no.such-message"); got != "no.such-message" {
		t.Errorf("an unknown message is %q, want its ID", got)
	}
}

func TestAnErrorOfAnotherProgramIsOneShortLine(t *testing.T) {
	page := errors.New(strings.Repeat("<html>\n  <p>\tnot found</p>\n", 50))
	got := For("en").Error(Err("run.unavailable", Args{"Variant": "native", "Reason": Err("server.docker-failed", Args{"Host": "x"}, page)}, nil))
	if strings.Contains(got, "\n") || !strings.HasSuffix(got, "…") || len([]rune(got)) > 300 {
		t.Errorf("%q", got)
	}
	for s, want := range map[string]string{"a\r\n b": "a b", "日本語です": "日本語…", "": "", "1234": "1234"} {
		if got := Line(s, 4); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

func TestNothingPrintableActsOnATerminal(t *testing.T) {
	for s, want := range map[string]string{
		"":                        "",
		"ERR 中文 \"quoted\" \\ ok": "ERR 中文 \"quoted\" \\ ok",
		"\x1b[2J\a":               `\x1b[2J\a`,
		"a\u202eb\x7f":            `a\u202eb\x7f`,
		"\xff\x80":                `\xff\x80`,
		"two\nlines":              `two\nlines`,
	} {
		if got := Printable(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
	if got := Line(" a\n\x1bb  c ", 20); got != `a \x1bb c` {
		t.Errorf("Line: %q", got)
	}
}

func TestBlanksStandAroundOtherScriptsOnly(t *testing.T) {
	args := func(name string) Args {
		return Args{"Variant": name, "Reference": "原生", "Test": "", "Tests": 3, "Workloads": 0, "MySQL": false, "Value": "54", "Low": "52", "High": "57", "Rounds": 6}
	}
	for name, want := range map[string]string{
		"绑核":        "绑核的 3 项测试平均吞吐量比原生低 54%",
		"Docker -p": "Docker -p 的 3 项测试平均吞吐量比原生低 54%",
	} {
		if got := For("zh-Hans").T("report.slower", args(name)); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := For("en").T("report.slower", args("绑核")); !strings.HasPrefix(got, "绑核 serves") {
		t.Errorf("in English: %s", got)
	}
}
