package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"berth/core/figure"
	"berth/core/result"
	"berth/core/text"
)

// samplesFile is the table of samples among a run's exports.
const samplesFile = "samples.csv"

// prepareFolder makes the folder that a run's files go to, and finds out before
// anything is measured whether they can be written there. With force, files that
// are in the way are put aside until it is known whether the run takes their place.
func prepareFolder(dir string, force bool) (*aside, error) {
	unwritable := func(err error) error {
		return text.Err("cli.out-unwritable", text.Args{"Folder": dir}, cause(err))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(err)
	}
	probe, err := os.CreateTemp(dir, ".berth-*")
	if err != nil {
		return nil, unwritable(err)
	}
	probe.Close()
	os.Remove(probe.Name())

	release, err := result.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	a := &aside{dir: dir, release: release}
	if err := a.putAside(force); err != nil {
		release()
		return nil, err
	}
	return a, nil
}

// putAside moves what is in a new run's way.
func (a *aside) putAside(force bool) error {
	dir := a.dir
	unwritable := func(err error) error {
		return text.Err("cli.out-unwritable", text.Args{"Folder": dir}, cause(err))
	}
	inTheWay, err := exports(dir)
	if err != nil {
		return unwritable(err)
	}
	if len(inTheWay) == 0 {
		return nil
	}
	if !force {
		return text.Err("cli.out-exists", text.Args{"Path": filepath.Join(dir, inTheWay[0])}, nil)
	}
	kept, err := os.MkdirTemp(dir, ".berth-earlier-*")
	if err != nil {
		return unwritable(err)
	}
	a.kept, a.names = kept, inTheWay
	for _, name := range inTheWay {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(kept, name)); err != nil {
			return errors.Join(unwritable(err), a.settle(false))
		}
	}
	return nil
}

// An aside is the files of an earlier run, out of the way of a new one. The folder
// is this run's alone until release is called.
type aside struct {
	release   func()
	dir, kept string // kept is where they are; "" if there are none
	names     []string
}

// settle removes them if the new run has replaced them, and else puts them back.
func (a *aside) settle(replaced bool) error {
	if a.kept == "" {
		return nil
	}
	if !replaced {
		for _, name := range a.names {
			err := os.Rename(filepath.Join(a.kept, name), filepath.Join(a.dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return text.Err("cli.out-unwritable", text.Args{"Folder": a.dir}, cause(err))
			}
		}
	}
	return os.RemoveAll(a.kept)
}

// exports are the files in dir that have a name of a run's files: its log,
// tables, report and figures. A folder with such a name is an error.
func exports(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		switch name := e.Name(); {
		case name == result.LogName, name == samplesFile, name == "summary.csv", name == "comparisons.csv",
			name == "report.html", name == "report.md", isFigure(name):
			if e.IsDir() {
				return nil, fmt.Errorf("%s is a folder", name)
			}
			found = append(found, name)
		}
	}
	return found, nil
}

func isFigure(name string) bool {
	kind := filepath.Ext(name)
	return (kind == ".png" || kind == ".svg") && slices.Contains(figure.All(), strings.TrimSuffix(name, kind))
}

// openRun opens a kept run: a log, a folder that holds one, or the ID of a run
// in the user's data folder.
func (t *terminal) openRun(name string) (*result.Run, error) {
	_, err := os.Stat(name)
	if err != nil && !strings.ContainsRune(name, filepath.Separator) {
		kept := filepath.Join(t.core.Folder(), name, result.LogName)
		if _, err := os.Stat(kept); err == nil {
			return result.Open(kept)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, text.Err("cli.no-run", text.Args{"Run": name}, nil)
	case err != nil:
		return nil, text.Err("result.log-unreadable", text.Args{"Path": name}, cause(err))
	}
	return result.Open(name)
}

// cause is err without the path that the sentence around it says already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
