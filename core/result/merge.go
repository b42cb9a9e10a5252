package result

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Merger adds up many encoded histograms. It exists for speed alone: decoding each
// one into a histogram of its own clears and collects 139 KB a sample. The zero value is
// ready; it is not for use by several goroutines.
type Merger struct {
	counts  []int64                 // of histograms with NewHistogram's bounds
	others  *hdrhistogram.Histogram // those with other bounds; nil without any
	raw     []byte                  // base64 taken off
	packed  bytes.Reader
	inflate io.ReadCloser
	payload []byte
}

// HdrHistogram's V2 encoding, from its HistogramLogWriter: a cookie and the compressed
// length, then zlib of a header and of the counts as zig-zag LEB128, where a
// negative number stands for so many empty buckets.
const (
	cookieCompressed = 0x1c849304
	cookiePlain      = 0x1c849303
	cookieMask       = ^uint32(0xf0) // these bits hold a word size
	headerBytes      = 40
	longestVarint    = 9
)

// Add counts the latencies of s, as EncodeHistogram wrote them. After an error
// the merger's sum is not to be used until Reset.
func (m *Merger) Add(s string) error {
	if m.counts == nil {
		m.counts = NewHistogram().Export().Counts
	}
	if s == "" {
		return nil
	}
	err := m.add(s)
	if errors.Is(err, errBounds) {
		return m.addOther(s)
	}
	if err != nil {
		return fmt.Errorf("decode latencies: %w", err)
	}
	return nil
}

var errBounds = errors.New("other bounds than Berth's")

// addOther takes the library's slower way, which moves values between bounds.
func (m *Merger) addOther(s string) error {
	h, err := DecodeHistogram(s)
	if err != nil {
		return err
	}
	if m.others == nil {
		m.others = NewHistogram()
	}
	if lost := m.others.Merge(h); lost > 0 {
		return fmt.Errorf("decode latencies: %d are longer than %d µs", lost, latencyMax)
	}
	return nil
}

func (m *Merger) add(s string) error {
	var err error
	if m.raw, err = base64.StdEncoding.AppendDecode(m.raw[:0], []byte(s)); err != nil {
		return err
	}
	if len(m.raw) < 8 || binary.BigEndian.Uint32(m.raw)&cookieMask != cookieCompressed {
		return errors.New("not a V2 compressed histogram")
	}
	length := binary.BigEndian.Uint32(m.raw[4:])
	if uint64(length) > uint64(len(m.raw)-8) {
		return errors.New("cut short")
	}
	m.packed.Reset(m.raw[8 : 8+length])
	if m.inflate == nil {
		m.inflate, err = zlib.NewReader(&m.packed)
	} else {
		err = m.inflate.(zlib.Resetter).Reset(&m.packed, nil)
	}
	if err != nil {
		return err
	}
	// One byte more than any histogram of these bounds has, so that a longer one is seen.
	most := headerBytes + longestVarint*len(m.counts) + 1
	if cap(m.payload) < most {
		m.payload = make([]byte, most)
	}
	n, err := io.ReadFull(m.inflate, m.payload[:most])
	if err == nil {
		return errors.New("too long")
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return m.count(m.payload[:n])
}

func (m *Merger) count(b []byte) error {
	if len(b) < headerBytes || binary.BigEndian.Uint32(b)&cookieMask != cookiePlain {
		return errors.New("not a V2 histogram")
	}
	if int64(binary.BigEndian.Uint32(b[4:])) != int64(len(b)-headerBytes) {
		return errors.New("cut short")
	}
	digits, least, most := binary.BigEndian.Uint32(b[12:]), binary.BigEndian.Uint64(b[16:]), binary.BigEndian.Uint64(b[24:])
	if digits != latencyDigits || least != latencyMin || most != uint64(latencyMax) {
		return errBounds
	}
	index := uint64(0)
	for b = b[headerBytes:]; len(b) > 0; {
		v, n := zigzag(b)
		if n == 0 {
			return errors.New("cut short")
		}
		b = b[n:]
		size := uint64(len(m.counts))
		switch {
		case v < 0 && uint64(-v) <= size-index:
			index += uint64(-v)
		case v >= 0 && index < size && v <= math.MaxInt64-m.counts[index]:
			m.counts[index] += v
			index++
		default:
			return errors.New("more buckets than its bounds have")
		}
	}
	return nil
}

// zigzag reads HdrHistogram's ZigZag LEB128-64b9B: seven bits a byte, the ninth
// byte all eight. n is 0 where b ends too early.
func zigzag(b []byte) (v int64, n int) {
	u := uint64(0)
	for n < len(b) && n < longestVarint {
		c := b[n]
		if n == longestVarint-1 {
			u |= uint64(c) << (7 * n)
		} else {
			u |= uint64(c&0x7f) << (7 * n)
		}
		n++
		if c < 0x80 || n == longestVarint {
			return int64(u>>1) ^ -int64(u&1), n
		}
	}
	return 0, 0
}

// Histogram is the sum of what was added.
func (m *Merger) Histogram() *hdrhistogram.Histogram {
	snapshot := NewHistogram().Export()
	copy(snapshot.Counts, m.counts)
	h := hdrhistogram.Import(snapshot)
	if m.others != nil {
		h.Merge(m.others)
	}
	return h
}

// Reset empties the sum and keeps the memory.
func (m *Merger) Reset() {
	clear(m.counts)
	m.others = nil
}
