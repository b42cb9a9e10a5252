package result

import "berth/core/host"

// A Run is a log replayed: what one execution of a plan measured.
type Run struct {
	RunEvent
	Sessions []SessionEvent
	Rounds   []RoundEvent
	Servers  []ServerEvent
	Samples  []Sample
	Failures []FailureEvent
	Edits    map[string]string
	End      *EndEvent // of the last session; nil while it goes on, or if it was killed
	// Events is the whole stream.
	Events []Event
	// Path of the log; empty if the run is not on disk.
	Path string
}

// Add replays one event.
func (r *Run) Add(e Event) {
	r.Events = append(r.Events, e)
	switch {
	case e.Run != nil:
		r.RunEvent = *e.Run
	case e.Session != nil:
		r.Sessions = append(r.Sessions, *e.Session)
		r.End = nil // what ended the session before is over
	case e.Round != nil:
		r.Rounds = append(r.Rounds, *e.Round)
	case e.Server != nil:
		r.Servers = append(r.Servers, *e.Server)
	case e.Sample != nil:
		r.Samples = append(r.Samples, *e.Sample)
	case e.Failure != nil:
		r.Failures = append(r.Failures, *e.Failure)
	case e.Edit != nil:
		if r.Edits == nil {
			r.Edits = map[string]string{}
		}
		r.Edits[e.Edit.Key] = e.Edit.Value
	case e.End != nil:
		end := *e.End
		r.End = &end
	}
}

// Facts of the machine, as the last session found them.
func (r *Run) Facts() host.Facts {
	if len(r.Sessions) == 0 {
		return nil
	}
	return r.Sessions[len(r.Sessions)-1].Facts
}
