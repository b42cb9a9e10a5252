// Package text is the message catalogue. Findings, reports, charts, errors and
// the window take every sentence that a person reads from here, by a message's ID, in
// English, zh-Hans and zh-Hant. The messages lie in assets/translations, a folder a
// language, a TOML file a package. An English sentence stands in where a translation is missing.
package text

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	// go-i18n is the catalogue: plural rules, templates and fallback of languages.
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/pelletier/go-toml/v2"
	"golang.org/x/text/language"

	"berth/assets"
)

// Languages that there are messages in; the first is what others fall back to.
var Languages = []string{"en", "zh-Hans", "zh-Hant"}

// Args fill a message: {{.Port}} in it is Args{"Port": 6379}.
type Args map[string]any

// A Catalogue is the messages in one language.
type Catalogue struct {
	lang      string
	localizer *i18n.Localizer
}

var bundle = sync.OnceValue(func() *i18n.Bundle {
	b := i18n.NewBundle(language.English)
	b.RegisterUnmarshalFunc("toml", toml.Unmarshal)
	err := fs.WalkDir(assets.Translations, "translations", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) != ".toml" {
			return err
		}
		raw, err := fs.ReadFile(assets.Translations, p)
		if err != nil {
			return err
		}
		// go-i18n takes the language from the file's name: window.en.toml.
		lang := path.Base(path.Dir(p))
		_, err = b.ParseMessageFileBytes(raw, path.Base(p[:len(p)-len(".toml")])+"."+lang+".toml")
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("the embedded translations are broken: %v", err))
	}
	return b
})

// For returns the catalogue that serves lang best: a BCP 47 tag ("zh-CN"), or a
// locale as LANG writes it ("zh_TW.UTF-8").
func For(lang string) *Catalogue {
	tag := match(lang)
	return &Catalogue{lang: tag, localizer: i18n.NewLocalizer(bundle(), tag)}
}

// Lang is the catalogue's language, one of Languages.
func (c *Catalogue) Lang() string { return c.lang }

// T is the message called id, filled with args. An id that no file has comes
// back as itself, so that a fault is seen and nothing is lost.
func (c *Catalogue) T(id string, args ...Args) string {
	return c.localize(id, nil, args)
}

// N is the message called id in the plural form that count takes; {{.Count}} is count.
func (c *Catalogue) N(id string, count int, args ...Args) string {
	with := Args{"Count": count}
	for _, a := range args {
		for k, v := range a {
			with[k] = v
		}
	}
	return c.localize(id, count, []Args{with})
}

func (c *Catalogue) localize(id string, count any, args []Args) string {
	config := &i18n.LocalizeConfig{MessageID: id, PluralCount: count}
	if len(args) > 0 {
		config.TemplateData = map[string]any(c.closed(args[0]))
	}
	s, err := c.localizer.Localize(config)
	if err != nil && s == "" {
		return id
	}
	return c.close(s)
}

// Chinese is written without blanks, but for those around words and numbers of other scripts. Messages have
// them around what is filled in, which may be Chinese itself: then these signs, of no other use, stand at its
// ends until the message is whole, and take the blanks away with them.
const (
	opens  = "\ue000"
	closes = "\ue001"
)

// closed is args with signs at the ends of what begins or ends in Chinese.
func (c *Catalogue) closed(args Args) Args {
	if c.lang == Languages[0] {
		return args
	}
	out := make(Args, len(args))
	for k, v := range args {
		if s, ok := v.(string); ok && s != "" {
			first, _ := utf8.DecodeRuneInString(s)
			last, _ := utf8.DecodeLastRuneInString(s)
			if unicode.Is(unicode.Han, first) {
				s = opens + s
			}
			if unicode.Is(unicode.Han, last) {
				s += closes
			}
			v = s
		}
		out[k] = v
	}
	return out
}

// close takes the signs out, and the blanks between Chinese and Chinese.
func (c *Catalogue) close(s string) string {
	if c.lang == Languages[0] {
		return s
	}
	s = beforeOpens.ReplaceAllString(s, "$1")
	s = afterCloses.ReplaceAllString(s, "$1")
	return signs.Replace(s)
}

var (
	beforeOpens = regexp.MustCompile(`(\p{Han}) ` + opens)
	afterCloses = regexp.MustCompile(closes + ` (\p{Han})`)
	signs       = strings.NewReplacer(opens, "", closes, "")
)

// An Error is a sentence of the catalogue as an error: what was being done,
// to what, and what to do about it. Its Error text is English.
type Error struct {
	ID   string
	Args Args
	Err  error // the cause; may be nil
}

// Err makes an error of the message called id.
func Err(id string, args Args, cause error) *Error { return &Error{ID: id, Args: args, Err: cause} }

// Kind is the outermost message among err and its causes whose ID begins with prefix,
// without that; "" if none does.
func Kind(err error, prefix string) string {
	var e *Error
	for errors.As(err, &e) {
		if kind, found := strings.CutPrefix(e.ID, prefix); found {
			return kind
		}
		err = e.Err
	}
	return ""
}

func (e *Error) Error() string { return For("en").Error(e) }

func (e *Error) Unwrap() error { return e.Err }

// causeLength is the most characters of an error that is no sentence of the catalogue
// where it stands within one: a server may send a whole page.
const causeLength = 150

// Error is err in the catalogue's language, if it is a sentence of the
// catalogue, and its own text if not. Arguments that are errors are said in it too. {{.Cause}} is the error's cause, one that is no
// sentence of the catalogue in one line of at most 150 characters.
func (c *Catalogue) Error(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	args := Args{}
	for k, v := range e.Args {
		if said, ok := v.(error); ok {
			v = c.Error(said)
		}
		args[k] = v
	}
	if e.Err != nil {
		cause := c.Error(e.Err)
		if said := new(Error); !errors.As(e.Err, &said) {
			cause = Line(cause, causeLength)
		}
		args["Cause"] = cause
	}
	return c.T(e.ID, args)
}

// Printable is s with what a terminal would act on, or not show, as Go escapes it: control
// characters, marks of direction, bytes that are not UTF-8.
func Printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 || !unicode.IsGraphic(r) {
			quoted := strconv.Quote(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// Line is s as one printable line of at most that many characters.
func Line(s string, most int) string {
	runes := []rune(Printable(strings.Join(strings.Fields(s), " ")))
	if len(runes) <= most {
		return string(runes)
	}
	return string(runes[:most-1]) + "…"
}

var matcher = language.NewMatcher([]language.Tag{language.English, language.SimplifiedChinese, language.TraditionalChinese})

func match(lang string) string {
	for i := range len(lang) {
		if lang[i] == '.' || lang[i] == '@' {
			lang = lang[:i]
			break
		}
	}
	_, index := language.MatchStrings(matcher, lang)
	return Languages[index]
}
