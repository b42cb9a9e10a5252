package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"

	"berth/core/figure"
	"berth/core/result"
	"berth/core/text"
)

//go:embed page.html
var pageHTML string

// HTML writes the report as one self-contained page: it loads nothing, runs nothing, and
// follows the reader's light or dark setting.
func HTML(w io.Writer, r *result.Run, c *text.Catalogue) error {
	return View{}.Document(w, FormatHTML, r, c)
}

func writeHTML(w io.Writer, p *page) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	h := htmlPage{page: p}
	for _, d := range p.Figures {
		h.Pictures = append(h.Pictures, pictureOf(d, p.c))
	}
	// Whole or not at all: half a page would look like a finished one.
	var b bytes.Buffer
	if err := t.Execute(&b, h); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// An htmlPage is a page with its pictures in it.
type htmlPage struct {
	*page
	Pictures []picture
}

// A section of the page: its heading and a list, a table or pairs.
type section struct {
	ID, Title string
	Body      any
}

// Section is for the template, which can hand one value on to another.
func (h htmlPage) Section(id string, body any) section {
	return section{ID: id, Title: h.T("h-" + id), Body: body}
}

// A picture is a figure as data: addresses, in a light and a dark drawing.
type picture struct {
	Alt, Missing string
	Light        template.URL
	Dark         template.Srcset
}

// pictureOf draws d. An image element runs no script of an SVG's, so that these
// addresses are safe whatever names the figure shows.
func pictureOf(d drawing, c *text.Catalogue) picture {
	p := picture{Alt: d.Alt, Missing: d.Missing}
	if p.Missing != "" {
		return p
	}
	light, err := dataURL(d.Light)
	if err == nil {
		var dark string
		dark, err = dataURL(d.Dark)
		p.Light, p.Dark = template.URL(light), template.Srcset(dark)
	}
	if err != nil {
		return picture{Missing: missing(d.Alt, err, c)}
	}
	return p
}

func dataURL(f *figure.Figure) (string, error) {
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		return "", err
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
