package report

import (
	"berth/core/figure"
	"berth/core/result"
	"berth/core/text"
)

// A drawing is one figure of the report, or a sentence that says why it is not there.
type drawing struct {
	Name, Alt, Missing string
	Light, Dark        *figure.Figure
}

// drawings lays out every figure that r has data for, of what o chooses.
func drawings(r *result.Run, c *text.Catalogue, o figure.Options) []drawing {
	var out []drawing
	for _, name := range figure.Names(r) {
		d := drawing{Name: name, Alt: c.T("report.figure-" + name)}
		var err error
		o.Lang, o.Theme = c.Lang(), figure.Light
		if d.Light, err = figure.New(name, r, o); err == nil {
			o.Theme = figure.Dark
			d.Dark, err = figure.New(name, r, o)
		}
		if err != nil {
			d.Missing = missing(d.Alt, err, c)
		}
		out = append(out, d)
	}
	return out
}

// missing is the sentence that stands where a figure cannot.
func missing(alt string, err error, c *text.Catalogue) string {
	return c.T("report.figure-missing", text.Args{"Figure": alt, "Cause": c.Error(err)})
}
