package report

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"berth/core/figure"
	"berth/core/result"
	"berth/core/text"
)

// A file of the folder: its name and what writes it.
type file struct {
	name  string
	write func(io.Writer) error
}

// Folder writes into dir everything that a run is exported as, but the log: samples.csv,
// summary.csv, comparisons.csv, report.html, report.md, and a PNG and an SVG for each figure.
// It returns the names that it wrote, and makes dir if it is not there. Without force it
// writes nothing when one of the files is there. Each file appears whole: it is written
// aside and renamed. A figure that cannot be drawn is left out; the report says why.
func Folder(dir string, r *result.Run, c *text.Catalogue, force bool) ([]string, error) {
	return View{}.Folder(dir, r, c, force)
}

// Folder is the same of what v shows.
func (v View) Folder(dir string, r *result.Run, c *text.Catalogue, force bool) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, writeError(dir, err)
	}
	p := v.page(r, c)
	p.Figures = drawings(v.of(r), c, v.Options())
	files := v.files(r, p)
	if !force {
		for _, f := range files {
			if err := free(filepath.Join(dir, f.name)); err != nil {
				return nil, err
			}
		}
	}
	var written []string
	for _, f := range files {
		if err := Save(filepath.Join(dir, f.name), true, f.write); err != nil {
			return written, err
		}
		written = append(written, f.name)
	}
	return written, nil
}

func (v View) files(r *result.Run, p *page) []file {
	n := v.named(r)
	files := []file{
		{"samples.csv", func(w io.Writer) error { return result.WriteSamples(w, n.samples(n.run)) }},
		{"summary.csv", n.writeSummary},
		{"comparisons.csv", n.writeComparisons},
		{"report.html", func(w io.Writer) error { return writeHTML(w, p) }},
		{"report.md", func(w io.Writer) error { return writeMarkdown(w, p) }},
	}
	for _, d := range p.Figures {
		if d.Missing == "" {
			files = append(files, file{d.Name + ".png", d.Light.PNG}, file{d.Name + ".svg", d.Light.SVG})
		}
	}
	return files
}

// Exists says whether err is that a file is there already.
func Exists(err error) bool {
	var e *text.Error
	return errors.As(err, &e) && e.ID == "report.exists"
}

// Save writes a file whole: aside, and then put in its place, so that there is never half of one.
// Without force, one that is there already is left alone, and an error that Exists knows. What is no
// file is never replaced; a link stays, and the file that it leads to is written.
func Save(path string, force bool, write func(io.Writer) error) error {
	if err := put(path, force, write); err != nil {
		if Exists(err) || notAFile(err) {
			return err
		}
		return writeError(path, err)
	}
	return nil
}

func notAFile(err error) bool {
	var e *text.Error
	return errors.As(err, &e) && e.ID == "report.not-a-file"
}

// free says that there is no file at path yet.
func free(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return text.Err("report.exists", text.Args{"File": path}, nil)
	}
	return nil
}

// Figures writes every figure that r has data for into dir, as "png" or "svg", drawn as o says
// of what v shows, and returns the names of the files. All are drawn before the first is written.
// One that cannot be drawn so is left out and told in left.
func (v View) Figures(dir, format string, r *result.Run, o figure.Options, force bool) (written []string, left []error, err error) {
	var files []file
	for _, name := range figure.Names(r) {
		f, err := figure.New(name, v.of(r), o)
		var drawn bytes.Buffer
		switch {
		case err == nil && format == "svg":
			err = f.SVG(&drawn)
		case err == nil:
			err = f.PNG(&drawn)
		}
		if err != nil {
			left = append(left, text.Err("report.figure-left", text.Args{"Figure": name}, err))
			continue
		}
		files = append(files, file{name + "." + format, func(w io.Writer) error { _, err := w.Write(drawn.Bytes()); return err }})
	}
	if len(files) == 0 {
		return nil, left, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, left, writeError(dir, err)
	}
	for _, f := range files {
		if !force {
			if err := free(filepath.Join(dir, f.name)); err != nil {
				return nil, left, err
			}
		}
	}
	for _, f := range files {
		if err := Save(filepath.Join(dir, f.name), true, f.write); err != nil {
			return written, left, err
		}
		written = append(written, f.name)
	}
	return written, left, nil
}

// put is Save without its sentences for what the system refuses.
func put(path string, force bool, write func(io.Writer) error) error {
	if !force {
		if err := free(path); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return text.Err("report.not-a-file", text.Args{"Path": path, "Folder": info.IsDir()}, nil)
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	aside, err := writeAside(path, mode, write)
	if err != nil {
		return err
	}
	defer os.Remove(aside) // of no effect once it is renamed
	if force {
		return os.Rename(aside, path)
	}
	// A link, unlike a rename, never takes the place of what has come there since.
	err = os.Link(aside, path)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return free(path)
	}
	if taken := free(path); taken != nil { // on a file system without links
		return taken
	}
	return os.Rename(aside, path)
}

// writeAside writes a file beside path, whole and on disk, and says what it is called.
func writeAside(path string, mode fs.FileMode, write func(io.Writer) error) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".berth-*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Chmod(mode), f.Sync())
	return f.Name(), errors.Join(err, f.Close())
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
