// Package result keeps what a run measured: the events that a run emits, the
// log that holds them, the run that replaying a log gives, and its tables as
// CSV. It computes no statistics: package stats fills the rows of the tables
// that need them.
package result

import (
	"time"

	"berth/core/host"
	"berth/core/plan"
)

// Schema is the version of the log's format, in its first event.
const Schema = 1

// An Event is one line of a run's log. Type says which of the other fields is
// set; At is when it was emitted. An event of a type that this Berth does not
// know sets none: replaying passes over it, and it stays in the log.
type Event struct {
	Type string    `json:"type"`
	At   time.Time `json:"at"`

	Run     *RunEvent     `json:"run,omitempty"`     // first of every log
	Session *SessionEvent `json:"session,omitempty"` // at the start and at each continuation
	Round   *RoundEvent   `json:"round,omitempty"`
	Phase   *PhaseEvent   `json:"phase,omitempty"`
	Server  *ServerEvent  `json:"server,omitempty"`
	Tick    *TickEvent    `json:"tick,omitempty"`
	Sample  *Sample       `json:"sample,omitempty"`
	Failure *FailureEvent `json:"failure,omitempty"`
	Notice  *NoticeEvent  `json:"notice,omitempty"`
	Edit    *EditEvent    `json:"edit,omitempty"`
	End     *EndEvent     `json:"end,omitempty"`
}

// Types of events: the JSON name of the field that is set.
const (
	TypeRun     = "run"
	TypeSession = "session"
	TypeRound   = "round"
	TypePhase   = "phase"
	TypeServer  = "server"
	TypeTick    = "tick"
	TypeSample  = "sample"
	TypeFailure = "failure"
	TypeNotice  = "notice"
	TypeEdit    = "edit"
	TypeEnd     = "end"
)

// A RunEvent opens a log.
type RunEvent struct {
	Schema int       `json:"schema"`
	ID     string    `json:"id"`    // of the run: "20261130-202551-quick-1f3a"
	Berth  string    `json:"berth"` // version
	Plan   plan.Plan `json:"plan"`  // seed drawn, CPUs chosen
	// Imported are the files that a run was read in from, whose figures other tools reported.
	Imported []string `json:"imported,omitempty"`
}

// A SessionEvent says what the machine was when a run was started or continued.
type SessionEvent struct {
	Berth  string     `json:"berth"`
	Rounds int        `json:"rounds"` // that this session adds
	Agent  Agent      `json:"agent"`
	Facts  host.Facts `json:"facts"`
}

// Agent is the choice of CPUs and threads that holds for a whole session.
type Agent struct {
	CPUs    []int    `json:"cpus,omitempty"`
	Threads int      `json:"threads"`
	Flags   []string `json:"flags,omitempty"` // "cpus-shared": with the servers that may run anywhere
}

// A RoundEvent opens a round and gives its shuffled order.
type RoundEvent struct {
	Round int      `json:"round"` // from 1
	Order []string `json:"order"` // labels of variants
}

// A PhaseEvent says what is being done now, and since At.
type PhaseEvent struct {
	Phase    string         `json:"phase"`          // one of the Phase constants
	Text     string         `json:"text,omitempty"` // what is prepared
	Round    int            `json:"round,omitempty"`
	Variant  string         `json:"variant,omitempty"`
	Workload *plan.Workload `json:"workload,omitempty"`
	// Done samples of Total, and the time that the rest is expected to take.
	Done  int           `json:"done"`
	Total int           `json:"total"`
	Left  time.Duration `json:"left_ns"`
}

// Phases of a run.
const (
	PhasePreparing = "preparing"  // images and networks, once
	PhaseStarting  = "starting"   // a server, until it is ready
	PhaseLoading   = "loading"    // the data state of a test
	PhaseWarmUp    = "warming-up" // of a sample
	PhaseMeasuring = "measuring"  // a sample
	PhaseStopping  = "stopping"   // a server
	PhasePaused    = "paused"     // by the user, between samples
)

// A ServerEvent records a server that became ready.
type ServerEvent struct {
	Round    int           `json:"round"`
	Variant  string        `json:"variant"`
	Address  string        `json:"address"`
	Ready    time.Duration `json:"ready_ns"` // from the start to the first answered PING
	Facts    host.Facts    `json:"facts"`
	Commands []string      `json:"commands"` // that would start the same by hand
	Flags    []string      `json:"flags,omitempty"`
}

// A TickEvent says about once a second how a sample goes.
type TickEvent struct {
	Elapsed  time.Duration `json:"elapsed_ns"`
	Requests int64         `json:"requests"`
	RPS      float64       `json:"rps"` // since the tick before
	// Of MySQL: transactions a second and their 95th percentile in
	// milliseconds, since the tick before.
	TPS float64 `json:"tps,omitempty"`
	P95 float64 `json:"p95_latency_ms,omitempty"`
}

// A FailureEvent is a server or a sample that failed, in a sentence.
type FailureEvent struct {
	Round    int            `json:"round,omitempty"`
	Variant  string         `json:"variant,omitempty"`
	Workload *plan.Workload `json:"workload,omitempty"`
	Text     string         `json:"text"`
}

// A NoticeEvent is a sentence about what does not keep the run from going on,
// but should be known.
type NoticeEvent struct {
	Text string `json:"text"`
}

// An EditEvent is a text that the user gave: a title, a caption, a
// variant's name as shown, or the labels in the order to show them, a line each.
type EditEvent struct {
	Key   string `json:"key"` // EditTitle, EditCaption, EditNote, EditOrder, or EditNameOf a label
	Value string `json:"value"`
}

// An EndEvent closes a session.
type EndEvent struct {
	Reason string `json:"reason"` // "done", "stopped", "failed"
	Text   string `json:"text,omitempty"`
}

// Reasons of an EndEvent.
const (
	EndDone    = "done"
	EndStopped = "stopped"
	EndFailed  = "failed"
)
