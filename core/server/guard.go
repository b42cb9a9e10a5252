package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"berth/core/text"
)

// GuardCommand is the hidden first argument that makes this program a guard.
const GuardCommand = "__guard"

// How long a guard gives processes to end by themselves, and how long it keeps
// trying: an engine that restarts while Berth dies is away for a while.
const (
	guardPatience = 500 * time.Millisecond
	guardTime     = time.Minute
)

// GuardMain is what a guard process does: it reads the identities of servers from in
// until in ends, then ends every one that has not been taken back. It returns
// the exit code.
func GuardMain(in io.Reader) int {
	// What ends Berth must not end the guard before it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	left := replay(in)
	if left.launch.ID == "" || left.done {
		return 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), guardTime)
	defer cancel()
	if _, err := left.end(ctx, nil); err != nil {
		return 1
	}
	return 0
}

// sweepTime is how long an engine that does not answer is tried where nobody said how long.
const sweepTime = 5 * time.Second

// sweep removes what is left in Docker.
func (left leftovers) sweep(ctx context.Context) ([]string, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, sweepTime)
		defer cancel()
	}
	return sweepLaunch(ctx, left.engine, left.launch.ID)
}

// end ends what is left and removes the launch's folder, and lists it. What
// cannot be ended does not keep the rest from being ended. ask, which may be
// nil, is asked for the passwords of servers on which keys were left.
func (left leftovers) end(ctx context.Context, ask Ask) (removed []string, err error) {
	var mu sync.Mutex
	var errs []error
	note := func(names []string, err error) {
		mu.Lock()
		defer mu.Unlock()
		removed = append(removed, names...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	var all sync.WaitGroup
	processes := left.processes
	for _, p := range left.processes {
		if p.alive() { // what it has started before anybody was told of that
			processes = append(processes, groupOf(p)...)
		}
	}
	slices.SortFunc(processes, func(a, b identity) int { return a.PID - b.PID })
	for _, p := range slices.Compact(processes) {
		all.Go(func() {
			found, err := p.end(guardPatience)
			if found {
				note([]string{fmt.Sprintf("process %d", p.PID)}, err)
			} else {
				note(nil, err)
			}
		})
	}
	var keys, away error // that something stays, with the record of it
	if left.docker {
		all.Go(func() {
			names, err := left.sweep(ctx)
			if err != nil && isRemoteAddress(left.engine) {
				away = text.Err("server.docker-left-away", text.Args{"Host": left.engine, "Folder": left.launch.Folder}, err)
				err = away
			}
			note(names, err)
		})
	}
	all.Go(func() {
		var names []string
		names, keys = left.giveBackAll(ctx, ask)
		note(names, keys)
	})
	all.Wait()
	if keys != nil || away != nil {
		note(nil, emptyFolder(left.launch.Folder))
		return removed, errors.Join(errs...)
	}
	if _, err := os.Stat(left.launch.Folder); err == nil && left.launch.Folder != "" {
		note([]string{"folder " + left.launch.Folder}, os.RemoveAll(left.launch.Folder))
	}
	return removed, errors.Join(errs...)
}
