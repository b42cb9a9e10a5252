package report

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"berth/core/result"
	"berth/core/stats"
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
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, writeError(dir, err)
	}
	p := newPage(r, c)
	p.Figures = drawings(r, c)
	files := filesOf(r, p)
	if !force {
		for _, f := range files {
			path := filepath.Join(dir, f.name)
			if _, err := os.Lstat(path); err == nil {
				return nil, text.Err("report.exists", text.Args{"File": path}, nil)
			}
		}
	}
	var written []string
	for _, f := range files {
		if err := writeAside(filepath.Join(dir, f.name), f.write); err != nil {
			return written, writeError(filepath.Join(dir, f.name), err)
		}
		written = append(written, f.name)
	}
	return written, nil
}

func filesOf(r *result.Run, p *page) []file {
	named := Named(r)
	files := []file{
		{"samples.csv", func(w io.Writer) error { return result.WriteSamples(w, named) }},
		{"summary.csv", func(w io.Writer) error { return result.WriteSummary(w, stats.Summarize(named, "")) }},
		{"comparisons.csv", func(w io.Writer) error { return result.WriteComparisons(w, stats.Compare(named, "")) }},
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

// writeAside writes a file that appears at path only when it is whole and on disk.
func writeAside(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".berth-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = errors.Join(write(f), f.Chmod(0o644), f.Sync())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
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
