package figure

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wcharczuk/go-chart/v2/drawing"
	"golang.org/x/image/font/gofont/goregular"
)

func TestWrappedLinesFit(t *testing.T) {
	f, err := newFonts()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		"LPUSH (needed to benchmark LRANGE)", "a", "", "averyveryverylongwordwithoutanyplacetobreakit",
		"混合 text 与中文的一个很长的名称需要换行", "tabs\tand\nlines", "e\u0301 \x00 control",
	} {
		for _, width := range []float64{30, 60, 200} {
			for most := 1; most <= 4; most++ {
				lines := f.wrap(s, 12, width, most)
				if len(lines) > most {
					t.Errorf("%q in %v: %d lines, want at most %d", s, width, len(lines), most)
				}
				for _, line := range lines {
					if w := f.width(line, 12); w > width {
						t.Errorf("%q in %v: line %q is %v wide", s, width, line, w)
					}
				}
				if joined := strings.Join(lines, " "); f.width(clean(s), 12) <= width && joined != clean(s) {
					t.Errorf("%q fits in %v and became %q", s, width, joined)
				}
			}
		}
	}
}

func TestCharacterThatNoFontHasIsNamed(t *testing.T) {
	f, err := newFonts()
	if err != nil {
		t.Fatal(err)
	}
	const private = '\U0010FFFD' // private use: no font of a system has it
	if f.has("a" + string(private)) {
		t.Fatal("a private-use character is said to have a glyph")
	}
	if got := f.stretches("a" + string(private) + "b"); len(got) != 1 || got[0].text != "a?b" {
		t.Errorf("drawn as %+v, want a?b", got)
	}
	if string(f.missing) != string(private) {
		t.Errorf("missing %q", string(f.missing))
	}
}

// A reader's character may be of many: a flag, a family, a letter with marks.
func TestWhatNoFontHasIsOneSignForEachCharacter(t *testing.T) {
	const private, mark = "\U0010FFFD", "\u0301"
	f, err := newFonts()
	if err != nil {
		t.Fatal(err)
	}
	for s, want := range map[string]string{
		"a" + private + private + "b":             "a??b",
		"a" + private + mark + "b":                "a?b",
		private + "\ufe0f\u200d" + mark + " host": "? host",
		"plain":    "plain",
		"中\ufe0f文": "中文",
	} {
		got := ""
		for _, part := range f.stretches(s) {
			got += part.text
		}
		if got != want && (want != "中文" || f.has("中文")) {
			t.Errorf("%q is drawn as %q, want %q", s, got, want)
		}
		if lines := f.wrap(s, 12, 1000, 1); len(lines) != 1 || lines[0] != got || f.width(s, 12) != f.width(got, 12) {
			t.Errorf("%q is drawn as %q and wrapped as %q", s, got, lines)
		}
	}
}

// TestCubicOutlinesAreDrawn uses a font that freetype cannot read (from
// golang.org/x/image, BSD licence).
func TestCubicOutlinesAreDrawn(t *testing.T) {
	fc := readFace("testdata/CFFTest.otf")
	if fc == nil || fc.cff == nil {
		t.Fatal("the .otf font was not read")
	}
	f := &fonts{faces: []*face{fc}, glyphs: map[rune]glyph{}}
	c := &canvas{width: 60, height: 40, fonts: f}
	c.rect("background", box{0, 0, 60, 40}, drawing.ColorWhite)
	c.label("title", "Q0", 5, 30, 24, left, drawing.ColorBlack)
	img, err := raster(c, 2)
	if err != nil {
		t.Fatal(err)
	}
	if w := f.width("Q0", 24); w < 12 || w > 50 {
		t.Errorf("two glyphs at 24 pixels are %v wide", w)
	}
	if n := dark(img); n < 100 {
		t.Errorf("%d dark pixels: the text was not drawn", n)
	}
}

func dark(img *image.RGBA) int {
	n := 0
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 {
				n++
			}
		}
	}
	return n
}

// TestFontOfPicturesIsNotUsed is about emoji fonts, whose first glyph ends a
// program that takes it for an outline.
func TestFontOfPicturesIsNotUsed(t *testing.T) {
	raw := bytes.Replace(goregular.TTF, []byte("glyf"), []byte("CBDT"), 1)
	path := filepath.Join(t.TempDir(), "emoji.ttf")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if fc := readFace(path); fc != nil && fc.outlines('a') {
		t.Error("a font without outlines is drawn with")
	}
	if err := os.WriteFile(path, goregular.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	if fc := readFace(path); fc == nil || !fc.outlines('a') || !fc.outlines(' ') || fc.outlines('混') {
		t.Error("a font with outlines is not drawn with, or with more than it has")
	}
}

func TestDamagedFontIsPassedOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.ttf")
	for n := 0; n < len(goregular.TTF); n += 997 {
		if err := os.WriteFile(path, goregular.TTF[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if fc := readFace(path); fc != nil {
			fc.outlines('a')
		}
		may(path, 'a')
	}
}
