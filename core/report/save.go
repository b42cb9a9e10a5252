package report

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"berth/core/text"
)

// newMode is the mode of a file that was not there before.
const newMode = 0o644

// Save writes a file whole: aside, and then renamed, so that there is never half of one. Without
// force, one that is there already is left alone, also where it came while Save wrote, and the error
// is one that Exists knows. With force, the file keeps its mode, and a symbolic link stays one to the
// file that is written. A folder, a device, a pipe or a socket is never replaced.
func Save(path string, force bool, write func(io.Writer) error) error {
	if err := Free(path, force); err != nil {
		return err
	}
	target, mode := path, fs.FileMode(newMode)
	if force {
		var err error
		if target, err = behindLinks(path); err != nil {
			return writeError(path, err)
		}
		if there, err := os.Stat(target); err == nil {
			mode = there.Mode().Perm()
		}
	}
	err := writeAside(target, mode, force, write)
	if errors.Is(err, fs.ErrExist) {
		return text.Err("report.exists", text.Args{"File": path}, nil)
	}
	if err != nil {
		return writeError(path, err)
	}
	return nil
}

// Free says in a sentence why Save would not write to path: what is there is no file, or without force
// that there is anything.
func Free(path string, force bool) error {
	switch there, err := os.Stat(path); {
	case err != nil:
	case there.IsDir():
		return text.Err("report.is-folder", text.Args{"Path": path}, nil)
	case !there.Mode().IsRegular():
		return text.Err("report.no-file", text.Args{"Path": path}, nil)
	}
	// A link that leads nowhere is there too.
	if _, err := os.Lstat(path); err == nil && !force {
		return text.Err("report.exists", text.Args{"File": path}, nil)
	}
	return nil
}

// Exists says whether err is that a file is there already.
func Exists(err error) bool {
	var e *text.Error
	return errors.As(err, &e) && e.ID == "report.exists"
}

// mostLinks is how many symbolic links in a row are followed: as many as Linux does.
const mostLinks = 40

// behindLinks is the file that path leads to, whether or not it is there.
func behindLinks(path string) (string, error) {
	for range mostLinks {
		there, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && there.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: errors.New("too many symbolic links")}
}

// writeAside writes a file that appears at path only when it is whole and on disk. Without force the
// error is fs.ErrExist where there is one by then.
func writeAside(path string, mode fs.FileMode, force bool, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".berth-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Chmod(mode), f.Sync())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(f.Name(), path)
	}
	// A link is made only where nothing is, which a rename does not ask.
	switch err := os.Link(f.Name(), path); {
	case err == nil:
		return os.Remove(f.Name())
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// A filesystem without links, as of a memory stick: an empty file keeps the place until the rename.
	place, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	if err = errors.Join(place.Close(), os.Rename(f.Name(), path)); err != nil {
		os.Remove(path)
	}
	return err
}

// writeError says what to do where the system refused path, and what is wrong
// with the run where it did not.
func writeError(path string, err error) error {
	var refused *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &refused):
		return text.Err("report.unwritable", text.Args{"Path": path}, refused.Err)
	case errors.As(err, &renamed):
		return text.Err("report.unwritable", text.Args{"Path": path}, renamed.Err)
	}
	return text.Err("report.unfit", text.Args{"Path": path}, err)
}
