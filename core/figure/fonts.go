package figure

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	// freetype's truetype is what go-chart draws text with.
	"github.com/golang/freetype/truetype"
	chart "github.com/wcharczuk/go-chart/v2"

	// sfnt reads the outlines of .otf fonts, which freetype cannot.
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are the faces that one figure's text is drawn with: go-chart's Roboto
// for what it has, and for the rest the system's fonts, each found when a
// character first asks for it.
type fonts struct {
	faces   []*face
	glyphs  map[rune]glyph
	missing []rune // that no font has
	buf     sfnt.Buffer
}

// A face is one font: a truetype one, or one with cubic outlines.
type face struct {
	family string
	tt     *truetype.Font
	cff    *sfnt.Font
}

// A glyph is the face that has a character, and how far it moves the pen, in ems.
type glyph struct {
	face    *face
	index   truetype.Index
	advance float64
}

// substitute stands where no font has a character; the figure then says so.
const substitute = '?'

func newFonts() (*fonts, error) {
	roboto, err := chart.GetDefaultFont()
	if err != nil {
		return nil, err
	}
	return &fonts{faces: []*face{{family: "Roboto", tt: roboto}}, glyphs: map[rune]glyph{}}, nil
}

// glyph finds r, or the substitute's glyph.
func (f *fonts) glyph(r rune) glyph {
	if g, ok := f.glyphs[r]; ok {
		return g
	}
	g, ok := f.find(r)
	if !ok {
		f.missing = append(f.missing, r)
		g, _ = f.find(substitute)
	}
	f.glyphs[r] = g
	return g
}

func (f *fonts) find(r rune) (glyph, bool) {
	for _, fc := range f.faces {
		if g, ok := fc.glyph(&f.buf, r); ok {
			return g, true
		}
	}
	for _, path := range systemFonts() {
		fc := loadFace(path)
		if fc == nil {
			continue
		}
		if g, ok := fc.glyph(&f.buf, r); ok {
			f.faces = append(f.faces, fc)
			return g, true
		}
	}
	return glyph{}, false
}

// has says whether every character of s can be drawn.
func (f *fonts) has(s string) bool {
	for _, r := range s {
		if g := f.glyph(r); r != substitute && slices.Contains(f.missing, r) || g.face == nil {
			return false
		}
	}
	return true
}

// forget drops what is known of characters that no font has.
func (f *fonts) forget() {
	f.missing = nil
	clear(f.glyphs)
}

// width of s in pixels, at size pixels an em.
func (f *fonts) width(s string, size float64) float64 {
	w := 0.0
	var before glyph
	for _, r := range s {
		g := f.glyph(r)
		w += g.advance
		if before.face == g.face && g.face.tt != nil {
			upem := g.face.tt.FUnitsPerEm()
			w += float64(g.face.tt.Kern(fixed.Int26_6(upem), before.index, g.index)) / float64(upem)
		}
		before = g
	}
	return w * size
}

// A stretch is a part of a text that one face draws.
type stretch struct {
	face *face
	text string
}

// stretches cuts s where the face changes. Characters that no font has come
// out as the substitute.
func (f *fonts) stretches(s string) []stretch {
	var out []stretch
	for _, r := range s {
		g := f.glyph(r)
		if slices.Contains(f.missing, r) {
			r = substitute
		}
		if n := len(out); n > 0 && out[n-1].face == g.face {
			out[n-1].text += string(r)
			continue
		}
		out = append(out, stretch{g.face, string(r)})
	}
	return out
}

func (fc *face) glyph(buf *sfnt.Buffer, r rune) (glyph, bool) {
	if fc.tt != nil {
		i := fc.tt.Index(r)
		if i == 0 {
			return glyph{}, false
		}
		upem := fc.tt.FUnitsPerEm()
		a := fc.tt.HMetric(fixed.Int26_6(upem), i).AdvanceWidth
		return glyph{fc, i, float64(a) / float64(upem)}, true
	}
	i, err := fc.cff.GlyphIndex(buf, r)
	if err != nil || i == 0 {
		return glyph{}, false
	}
	upem := fc.cff.UnitsPerEm()
	a, err := fc.cff.GlyphAdvance(buf, i, fixed.Int26_6(upem), font.HintingNone)
	if err != nil {
		return glyph{}, false
	}
	return glyph{fc, truetype.Index(i), float64(a) / float64(upem)}, true
}

// faces that were read, by path; a nil face is a file that cannot serve. Fonts
// are megabytes, and a window draws a figure again and again.
var loaded sync.Map

func loadFace(path string) *face {
	if fc, ok := loaded.Load(path); ok {
		return fc.(*face)
	}
	fc := readFace(path)
	loaded.Store(path, fc)
	return fc
}

func readFace(path string) *face {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	family := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if tt, err := truetype.Parse(raw); err == nil {
		if name := tt.Name(truetype.NameIDFontFamily); name != "" {
			family = name
		}
		return &face{family: family, tt: tt}
	}
	collection, err := sfnt.ParseCollection(raw)
	if err != nil {
		return nil
	}
	cff, err := collection.Font(0)
	if err != nil {
		return nil
	}
	if name, err := cff.Name(nil, sfnt.NameIDFamily); err == nil && name != "" {
		family = name
	}
	return &face{family: family, cff: cff}
}

// systemFonts lists the system's font files, those that hold the most
// languages first.
var systemFonts = sync.OnceValue(func() []string {
	var paths []string
	for _, dir := range fontFolders() {
		// An unreadable folder has no fonts for us.
		_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains([]string{".ttf", ".ttc", ".otf", ".otc"}, strings.ToLower(filepath.Ext(p))) {
				paths = append(paths, p)
			}
			return nil
		})
	}
	slices.SortStableFunc(paths, func(a, b string) int {
		if d := fontRank(a) - fontRank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return paths
})

// preferredFonts are parts of the names of files that hold Chinese, Japanese
// and Korean, best first.
var preferredFonts = []string{
	"notosanscjk-regular", "notosanssc-regular", "notosanscjksc-regular", "sourcehansans", "msyh.", "pingfang", "hiragino sans gb",
	"wqy-microhei", "droidsansfallback", "wqy-zenhei", "simhei", "simsun", "stheiti", "uming", "dejavusans.", "symbola",
}

func fontRank(path string) int {
	name := strings.ToLower(filepath.Base(path))
	for i, part := range preferredFonts {
		if strings.HasPrefix(name, part) {
			return i
		}
	}
	// Slanted and bold faces only where nothing else has the character.
	if strings.Contains(name, "bold") || strings.Contains(name, "italic") || strings.Contains(name, "oblique") {
		return len(preferredFonts) + 1
	}
	return len(preferredFonts)
}

func fontFolders() []string {
	home, _ := os.UserHomeDir()
	switch runtime.GOOS {
	case "darwin":
		return []string{"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library", "Fonts")}
	case "windows":
		return []string{filepath.Join(os.Getenv("WINDIR"), "Fonts"), filepath.Join(home, `AppData\Local\Microsoft\Windows\Fonts`)}
	}
	return []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".local/share/fonts"), filepath.Join(home, ".fonts")}
}

// wrap breaks s into at most lines lines no wider than width; what does not
// fit ends in an ellipsis. Chinese breaks anywhere, other text after a space, a
// hyphen, a slash or an underscore, and inside a word only where it must.
func (f *fonts) wrap(s string, size, width float64, lines int) []string {
	var out []string
	rest := clean(s)
	for rest != "" {
		if f.width(rest, size) <= width {
			return append(out, rest)
		}
		if len(out) == lines-1 {
			return append(out, f.ellipsis(rest, size, width))
		}
		cut := f.breakAt(rest, size, width)
		out = append(out, strings.TrimSpace(rest[:cut]))
		rest = strings.TrimSpace(rest[cut:])
	}
	return out
}

// breakAt is the length of the longest beginning of s that fits in width and
// may end a line.
func (f *fonts) breakAt(s string, size, width float64) int {
	soft, hard := 0, 0
	for i, r := range s {
		if f.width(s[:i], size) > width {
			break
		}
		hard = i
		before := lastRune(s[:i])
		if unicode.IsSpace(r) || strings.ContainsRune("-_/·,;:，、；：", before) || wide(r) || wide(before) {
			soft = i
		}
	}
	if soft > 0 {
		return soft
	}
	if hard > 0 {
		return hard
	}
	return len(string([]rune(s)[:1]))
}

// ellipsis shortens s to width.
func (f *fonts) ellipsis(s string, size, width float64) string {
	runes := []rune(clean(s))
	if f.width(string(runes), size) <= width {
		return string(runes)
	}
	for n := len(runes) - 1; n > 0; n-- {
		short := strings.TrimSpace(string(runes[:n])) + "…"
		if f.width(short, size) <= width {
			return short
		}
	}
	return ""
}

func lastRune(s string) rune {
	var last rune
	for _, r := range s[max(0, len(s)-4):] {
		last = r
	}
	return last
}

// wide says whether r is of a script that breaks between any two characters.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// clean makes s one line, without control characters.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		if unicode.Is(unicode.Variation_Selector, r) || r == '\u200d' || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
