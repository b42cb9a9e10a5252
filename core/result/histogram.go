package result

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// EncodeHistogram writes h as a text fit for a line of the event log: V2 of
// HdrHistogram's exchange format, compressed, in base64. A nil histogram is "".
func EncodeHistogram(h *hdrhistogram.Histogram) (string, error) {
	if h == nil {
		return "", nil
	}
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return "", fmt.Errorf("encode a latency histogram: %w", err)
	}
	return string(encoded), nil
}

// DecodeHistogram reads what EncodeHistogram wrote; "" gives nil. Its counts, range
// and digits come back; so do values, to the histogram's precision.
func DecodeHistogram(text string) (h *hdrhistogram.Histogram, err error) {
	if text == "" {
		return nil, nil
	}
	// The library trusts the lengths that a damaged text claims.
	defer func() {
		if fault := recover(); fault != nil {
			h, err = nil, fmt.Errorf("decode a latency histogram: %v", fault)
		}
	}()
	if h, err = hdrhistogram.Decode([]byte(text)); err != nil {
		return nil, fmt.Errorf("decode a latency histogram: %w", err)
	}
	return h, nil
}
