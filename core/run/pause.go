package run

import (
	"context"
	"sync"
)

// Pause lets a user hold a run between samples. The zero value lets it run.
type Pause struct {
	mu     sync.Mutex
	resume chan struct{} // nil while not paused; closed on resuming
}

// Set holds the run after the current sample, or lets it go on.
func (p *Pause) Set(paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case paused && p.resume == nil:
		p.resume = make(chan struct{})
	case !paused && p.resume != nil:
		close(p.resume)
		p.resume = nil
	}
}

// wait returns when the run may go on, or ctx is done; it calls held once if
// it must wait. A nil Pause never holds.
func (p *Pause) wait(ctx context.Context, held func()) error {
	if p == nil {
		return ctx.Err()
	}
	p.mu.Lock()
	resume := p.resume
	p.mu.Unlock()
	if resume == nil {
		return ctx.Err()
	}
	held()
	select {
	case <-resume:
	case <-ctx.Done():
	}
	return ctx.Err()
}
