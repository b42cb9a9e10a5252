package redisload

import "time"

// A barren is a row of connections that the server closed after it had been sent
// requests on them and before it answered one: limits of its buffers do that. Such a server
// answers greetings for ever, so it never falls silent.
type barren struct {
	losses int           // since the last reply to a request
	since  time.Duration // when the first of them was lost
	why    error
}

// add counts a connection that was lost at now.
func (b *barren) add(now time.Duration, target Target) {
	if b.losses == 0 {
		b.since, b.why = now, closes(target)
	}
	b.losses++
}

// lasts says whether that is all that the server has done for longer than
// silence. Each of so many connections may be lost once: a server that restarts does that.
func (b *barren) lasts(conns int, now, silence time.Duration) bool {
	return b.losses > conns && now-b.since > silence
}
