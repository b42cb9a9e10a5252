package cli

import (
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"berth/core/agent"
	"berth/core/redisload"
	"berth/core/result"
	"berth/core/text"
)

// What berth load says beside its results, all of it on standard error.

// tenths is d in seconds, to a tenth; it is empty below that.
func tenths(d time.Duration) string {
	if d < 50*time.Millisecond {
		return ""
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64)
}

// warnFirst says what should be known before anything is sent.
func (l *loading) warnFirst(jobs []testJob) {
	if len(l.o.command) > 0 && l.o.tests != "" {
		l.say(l.words.T("cli.load-tests-ignored"))
	}
	if l.o.job.Prefix != "" && len(l.o.command) == 0 {
		return // the keys are apart from others already
	}
	writes := slices.ContainsFunc(jobs, func(j testJob) bool { return j.test.Writes() || l.facts.Writes[j.test.Args[0]] })
	if l.facts.Keys == 0 || !writes && !l.o.prefill {
		return
	}
	id := "cli.load-holds-data"
	if l.o.prefill {
		id = "cli.load-prefill-holds-data"
	}
	l.say(l.words.N(id, int(l.facts.Keys), text.Args{"Address": l.o.job.Target.Address, "Database": l.o.job.Target.Database, "Keys": grouped(float64(l.facts.Keys)), "Cluster": l.o.cluster}))
}

// tell says what one test's figures do not show, and keeps what is told once for all.
func (l *loading) tell(j testJob, r *agent.Result, s *result.Sample) {
	if l.o.threadsAreAuto && !l.told {
		l.told = true
		l.say(l.words.N("cli.load-auto-threads", r.Threads, text.Args{"CPUs": runtime.NumCPU()}))
	}
	of := text.Args{"Test": j.title, "Requests": grouped(float64(r.Requests)), "Misses": grouped(float64(r.Misses - r.Short)),
		"Short": grouped(float64(r.Short)), "First": grouped(float64(r.FirstShort)), "Prepared": j.job.Prepare, "Reconnects": grouped(float64(r.Reconnects)), "Outage": tenths(r.Outage)}
	if r.Errors > 0 {
		l.withErrors = append(l.withErrors, j.title)
		l.say(l.words.Error(l.errorReplies(j, r)))
	}
	if r.Misses > r.Short {
		id := "cli.load-misses"
		if j.job.Prepare || len(j.job.Args) > 0 {
			id = "cli.load-misses-anyway"
		}
		l.say(l.words.T(id, of))
	}
	if r.Short > 0 {
		l.say(l.words.T("cli.load-short", of))
	}
	if r.Reconnects > 0 {
		id := "cli.load-reconnects"
		if j.job.Reconnect {
			id = "cli.load-renewals"
		}
		l.say(l.words.T(id, of))
	}
	if s.TooShort() {
		l.tooShort = append(l.tooShort, j.title)
	}
	if s.Bottleneck == result.BottleneckClient {
		l.clientBound = append(l.clientBound, j.title)
	}
}

// tellLast says once what several tests have in common, however often they are repeated.
func (l *loading) tellLast() {
	once := func(sentence string) {
		if l.said[sentence] {
			return
		}
		if l.said == nil {
			l.said = map[string]bool{}
		}
		l.said[sentence] = true
		l.say(sentence)
	}
	if len(l.clientBound) > 0 {
		once(l.words.T("cli.load-client-bound", text.Args{"Tests": strings.Join(l.clientBound, ", ")}))
	}
	if len(l.tooShort) > 0 {
		once(l.words.T("cli.load-too-short", text.Args{"Tests": strings.Join(l.tooShort, ", ")}))
	}
}

// errorReplies says how many replies of a test were errors, and what the first of
// each kind means.
func (l *loading) errorReplies(j testJob, r *agent.Result) error {
	var each []string
	for _, kind := range slices.Sorted(maps.Keys(r.FirstErrors)) {
		each = append(each, l.words.Error(redisload.ReplyError(j.job.Target, r.FirstErrors[kind])))
	}
	return text.Err("cli.load-errors", text.Args{"Test": j.title, "Errors": grouped(float64(r.Errors)),
		"Requests": grouped(float64(r.Requests)), "First": strings.Join(each, "; ")}, nil)
}
