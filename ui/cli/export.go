package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/figure"
	"berth/core/report"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

type exportFlags struct {
	format, figure, lang, out string
	force                     bool
}

// A format writes a run as one file.
type format func(w io.Writer, r *result.Run, words *text.Catalogue, figureName string) error

// formatNames are the values of --format, in the order in which they are told.
var formatNames = []string{"csv", "summary-csv", "comparisons-csv", "json", "png", "svg", "html", "md"}

func formatOf(name string) format {
	switch name {
	case "csv":
		return func(w io.Writer, r *result.Run, _ *text.Catalogue, _ string) error { return result.WriteSamples(w, r) }
	case "summary-csv":
		return func(w io.Writer, r *result.Run, _ *text.Catalogue, _ string) error {
			return result.WriteSummary(w, stats.Summarize(r, ""))
		}
	case "comparisons-csv":
		return func(w io.Writer, r *result.Run, _ *text.Catalogue, _ string) error {
			return result.WriteComparisons(w, stats.Compare(r, ""))
		}
	case "json":
		return func(w io.Writer, r *result.Run, _ *text.Catalogue, _ string) error { return writeJSON(w, r) }
	case "html":
		return func(w io.Writer, r *result.Run, words *text.Catalogue, _ string) error {
			return report.HTML(w, r, words)
		}
	case "md":
		return func(w io.Writer, r *result.Run, words *text.Catalogue, _ string) error {
			return report.Markdown(w, r, words)
		}
	case "png":
		return func(w io.Writer, r *result.Run, words *text.Catalogue, name string) error {
			f, err := figure.New(name, r, figure.Options{Lang: words.Lang()})
			if err != nil {
				return err
			}
			return f.PNG(w)
		}
	case "svg":
		return func(w io.Writer, r *result.Run, words *text.Catalogue, name string) error {
			f, err := figure.New(name, r, figure.Options{Lang: words.Lang()})
			if err != nil {
				return err
			}
			return f.SVG(w)
		}
	}
	return nil
}

func (t *terminal) exportCommand() *cobra.Command {
	var f exportFlags
	c := t.command("export RUN", 1, func(_ *cobra.Command, args []string) error { return t.export(args[0], f) })
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "", t.words.T("cli.export-format", text.Args{"Formats": strings.Join(formatNames, ", ")}))
	flags.StringVar(&f.figure, "figure", figure.Throughput, t.words.T("cli.export-figure"))
	flags.StringVar(&f.lang, "lang", "", t.words.T("cli.export-lang", text.Args{"Languages": strings.Join(text.Languages, ", ")}))
	flags.StringVarP(&f.out, "output", "o", "", t.words.T("cli.export-output"))
	flags.BoolVar(&f.force, "force", false, t.words.T("cli.export-force"))
	return c
}

func (t *terminal) export(run string, f exportFlags) error {
	if f.format == "" {
		return text.Err("cli.no-format", text.Args{"Formats": strings.Join(formatNames, ", ")}, nil)
	}
	if f.out == "" {
		return text.Err("cli.no-output", nil, nil)
	}
	write := formatOf(f.format)
	if write == nil {
		return text.Err("cli.format-unknown", text.Args{"Format": f.format, "Formats": strings.Join(formatNames, ", ")}, nil)
	}
	words := t.words
	if f.lang != "" {
		if !slices.Contains(text.Languages, f.lang) {
			return text.Err("cli.lang-unknown", text.Args{"Lang": f.lang, "Languages": strings.Join(text.Languages, ", ")}, nil)
		}
		words = text.For(f.lang)
	}
	r, err := t.openRun(run)
	if err != nil {
		return err
	}
	if names := figure.Names(r); (f.format == "png" || f.format == "svg") && !slices.Contains(names, f.figure) {
		return text.Err("cli.figure-unknown", text.Args{"Figure": f.figure, "Figures": strings.Join(names, ", ")}, nil)
	}
	if _, err := os.Stat(f.out); err == nil && f.out != "-" && !f.force {
		return text.Err("cli.file-exists", text.Args{"Path": f.out}, nil)
	}
	var whole bytes.Buffer
	if err := write(&whole, r, words, f.figure); err != nil {
		return failed(text.Err("cli.export-failed", text.Args{"Format": f.format}, err))
	}
	if f.out == "-" {
		_, err := t.out.Write(whole.Bytes())
		return failed(err)
	}
	return writeWhole(f.out, whole.Bytes())
}

// writeWhole writes a file aside and then renames it, so that there is never
// half of one.
func writeWhole(path string, content []byte) error {
	unwritable := func(err error) error {
		return text.Err("cli.file-unwritable", text.Args{"Path": path}, cause(err))
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".berth-*")
	if err != nil {
		return unwritable(err)
	}
	defer os.Remove(f.Name()) // of no effect once it is renamed
	_, err = f.Write(content)
	if bad := f.Chmod(0o644); err == nil {
		err = bad
	}
	if bad := f.Close(); err == nil {
		err = bad
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return unwritable(err)
	}
	return nil
}
