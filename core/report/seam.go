package report

import (
	"errors"
	"io"

	"berth/core/result"
	"berth/core/text"
)

// A Finding is one conclusion as data. Its sentence comes from the catalogue.
type Finding struct {
	Kind string                 // the message's id
	Args text.Args              // what the sentence is filled with
	Rows []result.ComparisonRow // evidence
}

// Text is the finding's sentence in the catalogue's language.
func (f Finding) Text(c *text.Catalogue) string { return "" }

// Findings says what r shows, in order of weight, compared with reference ("" is the plan's).
func Findings(r *result.Run, reference string) []Finding { return nil }

// HTML writes the report as one self-contained page.
func HTML(w io.Writer, r *result.Run, c *text.Catalogue) error { return errors.New("not built") }

// Markdown writes the report as Markdown.
func Markdown(w io.Writer, r *result.Run, c *text.Catalogue) error { return errors.New("not built") }

// Folder writes into dir everything that a run is exported as, but the log: samples.csv,
// summary.csv, comparisons.csv, report.html, report.md, and a PNG and an SVG for each figure.
// It returns the names that it wrote. Without force it writes nothing when one of them is there.
func Folder(dir string, r *result.Run, c *text.Catalogue, force bool) ([]string, error) {
	return nil, errors.New("not built")
}
