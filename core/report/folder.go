package report

import (
	"bytes"
	"io"
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
	for _, f := range files {
		if err := Free(filepath.Join(dir, f.name), force); err != nil {
			return nil, err
		}
	}
	var written []string
	for _, f := range files {
		if err := Save(filepath.Join(dir, f.name), force, f.write); err != nil {
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
		if err := Free(filepath.Join(dir, f.name), force); err != nil {
			return nil, left, err
		}
	}
	for _, f := range files {
		if err := Save(filepath.Join(dir, f.name), force, f.write); err != nil {
			return written, left, err
		}
		written = append(written, f.name)
	}
	return written, left, nil
}
