package agent

import (
	"context"
	"errors"
)

// Run starts an agent process, hands it job and returns its result; observe
// is called with every event on the calling goroutine.
func Run(ctx context.Context, job Job, observe func(Event)) (*Result, error) {
	return nil, errors.New("not built")
}
