package run

import (
	"context"
	"errors"

	"berth/core/plan"
	"berth/core/result"
)

// Options of a run.
type Options struct {
	Plan plan.Plan
	// Logs are the files that the event log is written to, each the whole
	// stream; at least one. Their folders exist.
	Logs []string
	// Observe is called with every event, in order, on the run's own goroutine; it
	// must return soon. May be nil.
	Observe func(result.Event)
	// Pause, when not nil, holds the run between samples while it is set.
	Pause *Pause
}

// Pause lets a user hold a run between samples. The zero value runs.
type Pause struct{}

// Set holds the run after the current sample, or lets it go on.
func (p *Pause) Set(paused bool) {}

// Execute carries out o.Plan. Cancelling ctx stops it within two seconds
// with every server stopped; what was measured is kept, and the run returned.
func Execute(ctx context.Context, o Options) (*result.Run, error) {
	return nil, errors.New("not built")
}

// Continue adds rounds to the run whose log is at o.Logs[0]; o.Plan is not used.
func Continue(ctx context.Context, o Options, rounds int) (*result.Run, error) {
	return nil, errors.New("not built")
}

// Folder is where the runs are kept: one folder a run, named by its ID, in the user's data folder.
func Folder() string { return "" }

// Latest is the log of the run that was started last; "" if there is none.
func Latest() string { return "" }

// NewID names a run that starts now: "20261130-202551-quick-1f3a".
func NewID(p plan.Plan) string { return "" }
