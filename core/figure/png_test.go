package figure

import (
	"bytes"
	"image/png"
	"testing"
)

func TestAPNGHoldsThePixelsOfTheImage(t *testing.T) {
	for _, theme := range []string{Light, Dark, Print} {
		made := newBench(classic, six, []int{100}, []int{1}, 6)
		f, err := drawRows(Throughput, made.run, made.rows, made.comparisons, Options{Width: 701, Height: 433, Theme: theme})
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := f.Image()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.PNG(&b); err != nil {
			t.Fatal(err)
		}
		read, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if read.Bounds() != drawn.Bounds() {
			t.Fatalf("%v, drawn %v", read.Bounds(), drawn.Bounds())
		}
		for y := range drawn.Bounds().Dy() {
			for x := range drawn.Bounds().Dx() {
				r, g, b, a := drawn.At(x, y).RGBA()
				if r2, g2, b2, a2 := read.At(x, y).RGBA(); r != r2 || g != g2 || b != b2 || a != a2 {
					t.Fatalf("%v: the pixel at %d, %d is %v, drawn %v", theme, x, y, read.At(x, y), drawn.At(x, y))
				}
			}
		}
	}
}
