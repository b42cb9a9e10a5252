package figure

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"math"
)

// screenDPI is how many pixels at scale 1 make an inch, as CSS has it.
const screenDPI = 96

// writePNG writes img, which is opaque, with its resolution, so that a word processor places it
// at the size that it was laid out for, and with text about it.
//
// image/png writes neither, and tries five filters on each row, which takes longer than
// all the rest and is of no use to flat colours: a chart comes out smaller
// without. The format: https://www.w3.org/TR/png-3/#11Chunks
func writePNG(w io.Writer, img *image.RGBA, dpi float64, about [][2]string) error {
	size := img.Bounds().Size()
	const depth, trueColour = 8, 2
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	out := chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(header, depth, trueColour, 0, 0, 0))
	perMetre := uint32(math.Round(dpi / 0.0254))
	physical := binary.BigEndian.AppendUint32(nil, perMetre)
	physical = binary.BigEndian.AppendUint32(physical, perMetre)
	out = chunk(out, "pHYs", append(physical, 1)) // 1: the unit is the metre
	for _, entry := range about {
		if entry[1] == "" {
			continue
		}
		// Keyword, end, not compressed, method, no language, no translated keyword, text.
		data := append([]byte(entry[0]), 0, 0, 0, 0, 0)
		out = chunk(out, "iTXt", append(data, entry[1]...))
	}
	pixels, err := compressed(img)
	if err != nil {
		return err
	}
	out = chunk(out, "IDAT", pixels)
	_, err = w.Write(chunk(out, "IEND", nil))
	return err
}

// compressed are the rows of img as PNG has them: a byte for the filter, then red, green
// and blue of each pixel. A row that is as the one above it is written as their difference.
func compressed(img *image.RGBA) ([]byte, error) {
	const none, up = 0, 2
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	width := img.Bounds().Dx()
	row, above := make([]byte, 1+3*width), make([]byte, 1+3*width)
	same := make([]byte, 1+3*width)
	same[0] = up
	for y := range img.Bounds().Dy() {
		row[0] = none
		pixels := img.Pix[y*img.Stride:]
		for x := range width {
			copy(row[1+3*x:1+3*x+3], pixels[4*x:4*x+3])
		}
		written := row
		if y > 0 && bytes.Equal(row, above) {
			written = same
		}
		if _, err := z.Write(written); err != nil {
			return nil, err
		}
		row, above = above, row
	}
	err = z.Close()
	return b.Bytes(), err
}

func chunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	body := append([]byte(name), data...)
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}
