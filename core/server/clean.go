package server

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	// xdg knows where a user's cache is, on every system.
	"github.com/adrg/xdg"
)

// A folder without a readable record is one whose Berth died, or is just
// now starting: after this time it is the former.
const recordless = time.Hour

// The record's name in a launch's folder.
const recordName = "record.jsonl"

func defaultWorkDir() string { return filepath.Join(xdg.CacheHome, "berth", "work") }

// Clean removes what earlier Berths left behind (processes by recorded
// identity, containers, networks and images by label, keys by name, folders), and lists it. What belongs to a
// Berth that still runs, to another user's or to another machine's is left
// alone. Keys on existing servers it removes by name; ask, which may be nil, is asked for a password where one is needed.
func Clean(ctx context.Context, ask Ask) ([]string, error) {
	return clean(ctx, defaultWorkDir(), ask)
}

func clean(ctx context.Context, workDir string, ask Ask) (removed []string, err error) {
	me, err := self()
	if err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(workDir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var errs []error
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		left, ok := abandoned(filepath.Join(workDir, f.Name()), me)
		if !ok {
			continue
		}
		names, err := left.end(ctx, ask)
		removed = append(removed, names...)
		errs = append(errs, err)
	}
	// Also what no record tells of: the folder may have been deleted by hand.
	names, err := sweepGone(ctx, me)
	return append(removed, names...), errors.Join(append(errs, err)...)
}

// abandoned is what the folder of a launch holds that nobody looks after any more.
func abandoned(folder string, me owner) (left leftovers, ok bool) {
	if f, err := os.Open(filepath.Join(folder, recordName)); err == nil {
		left = replay(f)
		f.Close()
	}
	left.launch.Folder = folder
	if left.launch.ID == "" {
		info, err := os.Stat(folder)
		return left, err == nil && time.Since(info.ModTime()) > recordless
	}
	if left.launch.Owner.Boot != me.Boot {
		left.processes = nil // they ended with the machine; their pids are others' now
	}
	return left, left.launch.Owner.gone(me)
}
