package figure

import (
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/wcharczuk/go-chart/v2/drawing"
)

var update = flag.Bool("update", false, "draw the golden pictures anew, to be looked at before they are committed")

// goldenHeightMost keeps the pictures in the repository few and small: higher
// ones show nothing that those do not.
const goldenHeightMost = 1000

// mostDiffering is the share of pixels that may differ: a few hundred of a million.
const mostDiffering = 0.0005

// TestGoldenPictures compares each scene with the picture that was looked at
// when it was committed. What a system's own font draws differs between
// systems, so a scene that needs one is compared by its other tests alone.
func TestGoldenPictures(t *testing.T) {
	for name, f := range drawn(t) {
		if len(f.canvas.fonts.faces) > 1 || f.canvas.height > goldenHeightMost {
			continue
		}
		img, err := f.Image()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".png")
		if *update {
			if err := writeGolden(path, img); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := readGolden(path)
		if err != nil {
			t.Errorf("%v; draw it with -update, and look at it", err)
			continue
		}
		if share := differing(img, want); share > mostDiffering {
			t.Errorf("%s: %.2f%% of the pixels differ from %s", name, 100*share, path)
		}
	}
}

func writeGolden(path string, img image.Image) error {
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	defer w.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	return encoder.Encode(w, img)
}

func readGolden(path string) (image.Image, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return png.Decode(r)
}

// differing is the share of pixels that are clearly another colour: floating
// point differs between processors by the last shade of an edge.
func differing(a, b image.Image) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n, size := 0, a.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			if apart(ar, br)+apart(ag, bg)+apart(ab, bb) > 3*24*257 {
				n++
			}
		}
	}
	return float64(n) / float64(size.X*size.Y)
}

func apart(a, b uint32) int { return max(int(a)-int(b), int(b)-int(a)) }

func TestGoldenComparisonSeesAMovedBar(t *testing.T) {
	made := newBench(quick, four, []int{100}, []int{1}, 6)
	f, err := drawRows(Throughput, made.run, made.rows, made.comparisons, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, err := f.Image()
	if err != nil {
		t.Fatal(err)
	}
	// The longest bar of all, in another colour.
	longest := 0
	for i, m := range f.canvas.marks {
		if m.role == "fill" && (f.canvas.marks[longest].role != "fill" || m.w > f.canvas.marks[longest].w) {
			longest = i
		}
	}
	f.canvas.marks[longest].color = drawing.ColorRed
	after, err := f.Image()
	if err != nil {
		t.Fatal(err)
	}
	if share := differing(before, after); share <= mostDiffering {
		t.Errorf("one bar in another colour is a difference of %v", share)
	}
}
