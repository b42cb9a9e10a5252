package redisload

import (
	"bytes"
	"sync/atomic"
	"time"

	"berth/core/text"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// longest is the longest latency that a histogram tells from a longer one.
const longest = 100 * time.Second

// newHistogram has microseconds, 1 to over 60 s, 3 digits.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), 3)
}

// A tally is what one event loop, or one group of the portable engine's
// connections, counted in one part of a job. Times are of the job's clock.
type tally struct {
	requests, errors, misses, short, reconnects int64

	firstShort int64 // elements of the first short list

	latency     *hdrhistogram.Histogram
	service     *hdrhistogram.Histogram // nil unless at a fixed rate
	firstErrors map[string]string
	cpu         time.Duration
	outage      time.Duration // see Result

	began time.Duration // the first send; 0: none
	ended time.Duration // the last receive

	// Published now and then for whoever watches.
	shownRequests, shownErrors atomic.Int64
}

func newTally(fixedRate bool) *tally {
	t := &tally{latency: newHistogram(), firstErrors: map[string]string{}}
	if fixedRate {
		t.service = newHistogram()
	}
	return t
}

// show publishes the counts.
func (t *tally) show() {
	t.shownRequests.Store(t.requests)
	t.shownErrors.Store(t.errors)
}

func record(h *hdrhistogram.Histogram, d time.Duration, n int64) {
	us := int64(min(max(d, time.Microsecond), longest) / time.Microsecond)
	_ = h.RecordValues(us, n) // in range, by the line before
}

// count records replies that one receive completed at now, of a batch sent
// at sent; the request of the first of them has the number first.
func (t *tally) count(p *part, first int64, replies int, sent, now time.Duration) {
	t.requests += int64(replies)
	t.ended = max(t.ended, now)
	if t.service == nil {
		record(t.latency, now-sent, int64(replies))
		return
	}
	record(t.service, now-sent, int64(replies))
	for i := range int64(replies) {
		record(t.latency, now-p.start-p.quota.pacer.due(first+i), 1)
	}
}

// note counts a reply that is not what the test is after. It returns the
// error of one after which going on is of no use.
func (t *tally) note(s *skipper, target Target) error {
	if !s.reply.failed {
		t.misses++
		if !s.reply.null {
			if t.short == 0 {
				t.firstShort = s.reply.elements
			}
			t.short++
		}
		return nil
	}
	t.fail(s.errorText())
	return fatalReply(target, s.errorText())
}

// fail keeps the first text of each kind of error.
func (t *tally) fail(reply []byte) {
	t.errors++
	word, _, _ := bytes.Cut(reply, []byte{' '})
	if _, known := t.firstErrors[string(word)]; known || len(t.firstErrors) == 32 {
		return
	}
	t.firstErrors[text.Printable(string(word))] = text.Printable(string(reply))
}

// merge adds other's counts to t.
func (t *tally) merge(other *tally) {
	t.requests += other.requests
	t.errors += other.errors
	t.misses += other.misses
	if t.short == 0 {
		t.firstShort = other.firstShort
	}
	t.short += other.short
	t.reconnects += other.reconnects
	t.outage = max(t.outage, other.outage)
	t.latency.Merge(other.latency)
	if t.service != nil && other.service != nil {
		t.service.Merge(other.service)
	}
	for word, reply := range other.firstErrors {
		if _, known := t.firstErrors[word]; !known {
			t.firstErrors[word] = reply
		}
	}
	if other.began > 0 && (t.began == 0 || other.began < t.began) {
		t.began = other.began
	}
	t.ended = max(t.ended, other.ended)
}
