package figure

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	// segmenter finds what a reader takes for one character, as UAX 29 has it.
	"github.com/go-text/typesetting/segmenter"

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
	shown   map[string]string
	buf     sfnt.Buffer
}

// A face is one font: a truetype one, or one with cubic outlines.
type face struct {
	tt  *truetype.Font
	cff *sfnt.Font
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
	return &fonts{faces: []*face{{tt: roboto}}, glyphs: map[rune]glyph{}}, nil
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
	if fc := system().face(r); fc != nil {
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
	clear(f.shown)
}

// drawn is s as it is drawn: without characters that only join others, and the substitute once for
// each of a reader's characters that no font has all of.
func (f *fonts) drawn(s string) string {
	if ascii(s) {
		return s
	}
	if out, ok := f.shown[s]; ok {
		return out
	}
	var out strings.Builder
	var text segmenter.Segmenter
	text.InitWithString(s)
	for clusters := text.GraphemeIterator(); clusters.Next(); {
		cluster := slices.DeleteFunc(slices.Clone(clusters.Grapheme().Text), joins)
		lacking := false
		for _, r := range cluster {
			f.glyph(r)
			lacking = lacking || slices.Contains(f.missing, r)
		}
		if lacking {
			cluster = []rune{substitute}
		}
		out.WriteString(string(cluster))
	}
	if f.shown == nil {
		f.shown = map[string]string{}
	}
	f.shown[s] = out.String()
	return out.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// joins says whether r is no character of its own: a joiner, or what chooses the look of the one before.
func joins(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) || r == '\u200d' }

// width of s in pixels, at size pixels an em.
func (f *fonts) width(s string, size float64) float64 {
	w := 0.0
	var before glyph
	for _, r := range f.drawn(s) {
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

// stretches cuts s, as it is drawn, where the face changes.
func (f *fonts) stretches(s string) []stretch {
	var out []stretch
	for _, r := range f.drawn(s) {
		g := f.glyph(r)
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

// A library is the system's font files, those that hold the most languages
// first, and which of them has a character that was asked for. Fonts are megabytes
// and a window draws a figure again and again, so what was found is kept.
type library struct {
	paths []string

	mu     sync.Mutex
	loaded map[string]*face
	found  map[rune]*face // nil: no font has it
}

var system = sync.OnceValue(func() *library {
	l := &library{loaded: map[string]*face{}, found: map[rune]*face{}}
	for _, dir := range fontFolders() {
		// An unreadable folder has no fonts for us.
		_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && slices.Contains([]string{".ttf", ".ttc", ".otf", ".otc"}, strings.ToLower(filepath.Ext(p))) {
				l.paths = append(l.paths, p)
			}
			return nil
		})
	}
	slices.SortStableFunc(l.paths, func(a, b string) int {
		return cmp.Or(fontRank(a)-fontRank(b), strings.Compare(a, b))
	})
	return l
})

// face is the first font that has r; nil if none has.
func (l *library) face(r rune) *face {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fc, ok := l.found[r]; ok {
		return fc
	}
	l.found[r] = nil
	for _, path := range l.paths {
		fc, ok := l.loaded[path]
		if !ok && may(path, r) {
			fc = readFace(path)
			l.loaded[path] = fc
		}
		if fc != nil && fc.outlines(r) {
			l.found[r] = fc
			break
		}
	}
	return l.found[r]
}

// may says whether a font file can have r, without reading all of it. Where
// sfnt cannot tell (it refuses WenQuanYi's tables, which freetype takes), it may.
func may(path string, r rune) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	collection, err := sfnt.ParseCollectionReaderAt(file)
	if err != nil {
		return true
	}
	first, err := collection.Font(0)
	if err != nil {
		return true
	}
	i, err := first.GlyphIndex(new(sfnt.Buffer), r)
	return err != nil || i != 0
}

// outlines says whether the face has r as something that can be drawn: an emoji
// font has pictures in place of outlines.
func (fc *face) outlines(r rune) bool {
	var buf sfnt.Buffer
	g, ok := fc.glyph(&buf, r)
	if !ok {
		return false
	}
	const size = 64 << 6 // pixels an em, in 64ths
	if fc.cff != nil {
		segments, err := fc.cff.LoadGlyph(&buf, sfnt.GlyphIndex(g.index), size, nil)
		return err == nil && (len(segments) > 0 || unicode.IsSpace(r))
	}
	var points truetype.GlyphBuf
	err := points.Load(fc.tt, size, g.index, font.HintingNone)
	return err == nil && (len(points.Points) > 0 || unicode.IsSpace(r))
}

// readFace reads a font file; nil if it cannot serve.
func readFace(path string) *face {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	// freetype takes a font of pictures for one of outlines, and fails on its first glyph.
	if tt, err := truetype.Parse(raw); err == nil && hasTable(raw, "glyf") {
		return &face{tt: tt}
	}
	collection, err := sfnt.ParseCollection(raw)
	if err != nil {
		return nil
	}
	cff, err := collection.Font(0)
	if err != nil {
		return nil
	}
	return &face{cff: cff}
}

// hasTable looks for a table in a font's directory, or in that of a
// collection's first font.
// https://learn.microsoft.com/typography/opentype/spec/otff#table-directory
func hasTable(raw []byte, tag string) bool {
	at := uint32(0)
	if bytes.HasPrefix(raw, []byte("ttcf")) && len(raw) >= 16 {
		at = binary.BigEndian.Uint32(raw[12:])
	}
	if uint64(at)+12 > uint64(len(raw)) {
		return false
	}
	records := raw[at+12:]
	for range binary.BigEndian.Uint16(raw[at+4:]) {
		if len(records) < 16 {
			return false
		}
		if string(records[:4]) == tag {
			return true
		}
		records = records[16:]
	}
	return false
}

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
	rest := f.drawn(clean(s))
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
	runes := []rune(f.drawn(clean(s)))
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
		if r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// codePoint writes a character that cannot be drawn: U+1F680.
func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }
