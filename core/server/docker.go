package server

import "context"

type engine struct{}

func (l *Launcher) closeEngine(ctx context.Context) error          { return nil }
func sweepLaunch(ctx context.Context, id string) ([]string, error) { return nil, nil }
func sweepGone(ctx context.Context, me owner) ([]string, error)    { return nil, nil }
