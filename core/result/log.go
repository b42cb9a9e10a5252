package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"berth/core/text"
)

// LogName is the name of a run's log in its folder.
const LogName = "run.jsonl"

// A Log is a run's event log open for appending, in one file or in several
// that get the same lines.
type Log struct {
	files []*os.File // of which the first must be written
	lost  []error    // why others are not written any more
}

// Create starts a new log in each of paths, making their folders. A file that
// is already there is an error, and none is left begun.
func Create(paths ...string) (*Log, error) {
	l := &Log{}
	for _, p := range paths {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			l.Discard()
			return nil, text.Err("result.folder-unwritable", text.Args{"Path": filepath.Dir(p)}, err)
		}
		f, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			l.Discard()
			return nil, text.Err("result.log-exists", text.Args{"Path": p}, nil)
		}
		if err != nil {
			l.Discard()
			return nil, text.Err("result.folder-unwritable", text.Args{"Path": filepath.Dir(p)}, err)
		}
		l.files = append(l.files, f)
		if err := lock(f); err != nil {
			l.Discard()
			return nil, text.Err("result.log-in-use", text.Args{"Path": p}, err)
		}
	}
	return l, nil
}

// Resume opens the log at path for more events and returns it with the run
// that it holds. A last line that was torn when the log was cut is removed
// first. Each of copies that holds the same events gets the new ones too; the
// others are left as they are.
func Resume(path string, copies ...string) (*Log, *Run, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, text.Err("result.log-unreadable", text.Args{"Path": path}, err)
	}
	r, whole, err := replay(bytes.NewReader(raw), path)
	if err != nil {
		return nil, nil, err
	}
	l := &Log{}
	if err := l.resume(path, raw, whole); err != nil {
		l.Close()
		return nil, nil, err
	}
	for _, c := range copies {
		other, err := os.ReadFile(c)
		if err != nil || !bytes.Equal(other, raw) || sameFile(c, path) {
			continue
		}
		if err := l.resume(c, raw, whole); err != nil {
			l.Close()
			return nil, nil, err
		}
	}
	return l, r, nil
}

// resume opens the file at path, in which raw was read, behind its whole
// events. A file that another Berth is writing is left alone.
func (l *Log) resume(path string, raw []byte, whole int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		l.files = append(l.files, f)
		if err := lock(f); err != nil {
			return text.Err("result.log-in-use", text.Args{"Path": path}, err)
		}
		if info, err := f.Stat(); err == nil && info.Size() != int64(len(raw)) {
			return text.Err("result.log-in-use", text.Args{"Path": path}, nil) // it was, until just now
		}
		err = f.Truncate(whole)
	}
	if err == nil {
		_, err = f.Seek(whole, io.SeekStart)
	}
	if err == nil && !bytes.HasSuffix(raw[:whole], []byte("\n")) {
		_, err = f.WriteString("\n")
	}
	if err != nil {
		return text.Err("result.log-unwritable", text.Args{"Path": path}, err)
	}
	return nil
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Append writes e as a line. A sample and the end of a session are synced to
// disk: what was measured outlives a power cut. A further file that cannot be
// written is left as it is from then on, and Close says so: the first one has all.
func (l *Log) Append(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write the event log: %w", err)
	}
	line = append(line, '\n')
	for i, f := range l.files {
		if f == nil {
			continue
		}
		_, err := f.Write(line)
		if err == nil && (e.Type == TypeSample || e.Type == TypeEnd) {
			err = f.Sync()
		}
		switch {
		case err == nil:
		case i == 0:
			return text.Err("result.log-unwritable", text.Args{"Path": f.Name()}, err)
		default:
			l.lost = append(l.lost, text.Err("result.copy-unwritable", text.Args{"Path": f.Name(), "Kept": l.files[0].Name()}, err))
			f.Close()
			l.files[i] = nil
		}
	}
	return nil
}

// Close closes the log's files, and says which of them could not be written to the end.
func (l *Log) Close() error {
	errs := l.lost
	l.files = slices.DeleteFunc(l.files, func(f *os.File) bool { return f == nil })
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Discard closes the log and removes its files, and their folders where
// nothing else is in them: for a run that measured nothing.
func (l *Log) Discard() {
	for _, f := range l.files {
		if f == nil {
			continue
		}
		f.Close()
		os.Remove(f.Name())
		os.Remove(filepath.Dir(f.Name())) // fails where something is in it
	}
}

// Open replays the log at path, or the log in the folder at path. A log that
// was cut anywhere gives every event before the cut.
func Open(path string) (*Run, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, LogName)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, text.Err("result.log-unreadable", text.Args{"Path": path}, err)
	}
	defer f.Close()
	r, _, err := replay(f, path)
	return r, err
}

// replay reads events until the end or a torn last line, and returns how many
// bytes of whole events there are. An event of an unknown type is passed
// over: it stays in the log.
func replay(in io.Reader, path string) (*Run, int64, error) {
	r := &Run{Path: path}
	var whole int64
	lines := bufio.NewReaderSize(in, 1<<20)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, 0, text.Err("result.log-unreadable", text.Args{"Path": path}, err)
		}
		last := err == io.EOF
		if len(bytes.TrimSpace(line)) > 0 {
			var e Event
			bad := json.Unmarshal(line, &e)
			switch {
			case bad != nil && last:
				// Torn when the log was cut.
			case bad != nil && number == 1:
				return nil, 0, text.Err("result.not-a-log", text.Args{"Path": path}, nil)
			case bad != nil:
				return nil, 0, text.Err("result.log-broken", text.Args{"Path": path, "Line": number}, bad)
			case number == 1 && e.Run == nil:
				return nil, 0, text.Err("result.not-a-log", text.Args{"Path": path}, nil)
			case number == 1 && e.Run.Schema > Schema:
				return nil, 0, text.Err("result.log-newer", text.Args{"Path": path, "Berth": e.Run.Berth}, nil)
			default:
				r.Add(e)
				whole += int64(len(line))
			}
		}
		if last {
			break
		}
	}
	if r.ID == "" {
		return nil, 0, text.Err("result.not-a-log", text.Args{"Path": path}, nil)
	}
	return r, whole, nil
}
