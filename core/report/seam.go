package report

import (
	"errors"
	"io"

	"berth/core/result"
	"berth/core/text"
)

// HTML writes the report as one self-contained page.
func HTML(w io.Writer, r *result.Run, c *text.Catalogue) error { return errors.New("not built") }

// Folder writes everything that a run is exported as into dir.
func Folder(dir string, r *result.Run, c *text.Catalogue, force bool) ([]string, error) {
	return nil, errors.New("not built")
}
