package figure

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"math"
)

// screenDPI is how many pixels at scale 1 make an inch, as CSS has it.
const screenDPI = 96

// writePNG writes img with its resolution, so that a word processor places it
// at the size that it was laid out for, and with text about it. The
// format of the chunks: https://www.w3.org/TR/png-3/#11pHYs and #11iTXt.
func writePNG(w io.Writer, img image.Image, dpi float64, about [][2]string) error {
	var b bytes.Buffer
	// Flat colours compress well at any level; the fastest keeps a large
	// figure within a tenth of a second.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return err
	}
	// The signature is 8 bytes; IHDR, always first, 25.
	const head = 8 + 25
	out := append([]byte{}, b.Bytes()[:head]...)
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
	out = append(out, b.Bytes()[head:]...)
	_, err := w.Write(out)
	return err
}

func chunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	body := append([]byte(name), data...)
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}
