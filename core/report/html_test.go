package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"berth/core/figure"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/text"
)

func htmlOf(t *testing.T, r *result.Run, lang string) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r, text.For(lang)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHTMLOfTwoRounds(t *testing.T) {
	r := two(2, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET")
	p := newPage(r, text.For("en"))
	p.Figures = []drawing{{Name: "throughput", Missing: "No picture in a golden file."}}
	var b bytes.Buffer
	if err := writeHTML(&b, p); err != nil {
		t.Fatal(err)
	}
	golden(t, "two-rounds.en.html", b.String())
}

// The page is written so that it is XML but for its void elements, which lets a
// strict reader find an element that is not closed.
func TestEveryElementOfThePageIsClosed(t *testing.T) {
	page := htmlOf(t, fiveRun(6, "SET", "GET"), "zh-Hans")
	void := regexp.MustCompile(`<(meta|img|source)([^>]*)>`)
	d := xml.NewDecoder(strings.NewReader(void.ReplaceAllString(strings.TrimPrefix(page, "<!DOCTYPE html>\n"), "<$1$2/>")))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestPageLoadsAndRunsNothing(t *testing.T) {
	page := htmlOf(t, fiveRun(6, "SET"), "en")
	for _, forbidden := range []string{"<script", "<link", "<iframe", `src="http`, "url(", "@import", "ZgotmplZ", " on"} {
		if forbidden == " on" {
			if m := regexp.MustCompile(`<[^>]* on[a-z]+=`).FindString(page); m != "" {
				t.Errorf("an event handler: %s", m)
			}
			continue
		}
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
	for _, wanted := range []string{"default-src 'none'", "prefers-color-scheme: dark", "@media print", `<html lang="en">`} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
}

func TestEveryFigureIsInThePageForLightAndForDark(t *testing.T) {
	r := fiveRun(6, "SET", "GET")
	page := html.UnescapeString(htmlOf(t, r, "en"))
	if n := len(figure.Names(r)); n == 0 || strings.Count(page, `src="data:image/svg+xml;base64,`) != n || strings.Count(page, `srcset="data:image/svg+xml;base64,`) != n {
		t.Errorf("the page does not have %d figures twice", n)
	}
	for _, name := range figure.Names(r) {
		for _, lang := range text.Languages {
			if id := "report.figure-" + name; text.For(lang).T(id) == id {
				t.Errorf("%s has no words for the figure %s", lang, name)
			}
		}
	}
}

func TestEverySectionIsInEveryLanguage(t *testing.T) {
	r := fiveRun(6, "SET", "GET")
	r.Failures = []result.FailureEvent{{Text: "it died"}}
	r.Samples[0].Flags = []string{result.FlagClientBound}
	r.Edits = map[string]string{"note": "n"}
	for _, lang := range text.Languages {
		page := htmlOf(t, r, lang)
		for _, id := range []string{"findings", "charts", "warnings", "failures", "summary", "comparisons", "machine", "differing", "servers",
			"durability", "commands", "method", "flags", "note"} {
			if !strings.Contains(page, `<section id="`+id+`">`) {
				t.Errorf("%s lacks %s", lang, id)
			}
		}
		if i := strings.Index(page, "report."); i >= 0 {
			t.Errorf("%s lacks a sentence: %.40s", lang, page[i:])
		}
	}
}

func TestNamesFromFilesAreEscapedInThePage(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	r := two(6, "docker-nat", plan.DockerNAT, map[string]float64{"": 0.5}, "SET")
	r.Edits = map[string]string{"title": evil, "caption": evil, "note": evil, "name:docker-nat": evil}
	r.Plan.Variants[0].Label += evil
	r.Servers[0].Commands = []string{evil}
	r.Servers[0].Facts = map[string]string{evil: evil}
	r.Failures = []result.FailureEvent{{Text: evil}}
	for i := range r.Samples {
		r.Samples[i].Workload.Test, r.Samples[i].Flags = evil, []string{evil}
	}
	if page := htmlOf(t, r, "en"); strings.Contains(page, "<script") || strings.Count(page, "&lt;script&gt;") < 8 {
		t.Error("a name came into the page as markup")
	}
}
