package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"berth/core/internal/simulated"
	"berth/core/need"
	"berth/core/result"
	"berth/core/stats"
)

// oddNames are names that a user may give, each of which some reader of CSV could take
// for something else.
var oddNames = map[string]string{
	"native":        `=HYPERLINK("http://example.org","click")`,
	"pinned":        "绑核，日本語 한국어",
	"docker-nat":    `Docker, "published" port; -p`,
	"docker-direct": "+1-2",
	"docker-host":   "Größe 100 % 🚀 'host'",
}

// writtenTables writes the three tables of a run with odd names into a folder, plain and
// for Excel, and returns their paths.
func writtenTables(t *testing.T) []string {
	t.Helper()
	r := simulated.Run(simulated.Options{Seed: 5, Rounds: 6, Variants: simulated.Five(), Tests: []string{"SET", "LPUSH (needed to benchmark LRANGE)"}, Histograms: true, SampleNoise: 0.02})
	r.Edits = map[string]string{}
	for label, name := range oddNames {
		r.Edits["name:"+label] = name
	}
	for i := range r.Samples {
		r.Samples[i].Flags = [][]string{nil, {result.FlagClientBound}, {result.FlagCPUsShared, result.FlagTooShort}}[i%3]
	}
	named := Named(r)
	dir := t.TempDir()
	var paths []string
	for name, write := range map[string]func(io.Writer) error{
		"samples":     func(w io.Writer) error { return result.WriteSamples(w, named) },
		"summary":     func(w io.Writer) error { return result.WriteSummary(w, stats.Summarize(named, "")) },
		"comparisons": func(w io.Writer) error { return result.WriteComparisons(w, stats.Compare(named, "")) },
	} {
		var plain, marked bytes.Buffer
		if err := write(&plain); err != nil {
			t.Fatal(err)
		}
		if err := ForExcel(&marked, write); err != nil {
			t.Fatal(err)
		}
		for kind, content := range map[string][]byte{"": plain.Bytes(), "-excel": marked.Bytes()} {
			path := filepath.Join(dir, name+kind+".csv")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	return paths
}

// cellsOf is a CSV file as RFC 4180 has it, without the mark for Excel.
func cellsOf(t *testing.T, path string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte(byteOrderMark)))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 5 {
		t.Fatalf("%s has %d rows", path, len(rows))
	}
	return rows
}

// compareCells says where what a program read is not what was written. A number is one
// where its value is the same and the program took it for one.
func compareCells(t *testing.T, path string, got [][]cellRead, want [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d rows read of %d", filepath.Base(path), len(got), len(want))
		return
	}
	for i, row := range want {
		for j, cell := range row {
			if j >= len(got[i]) {
				if cell != "" {
					t.Errorf("%s: row %d has no column %d", filepath.Base(path), i, j)
				}
				continue
			}
			read := got[i][j]
			value, err := strconv.ParseFloat(cell, 64)
			if number := err == nil && cell != ""; number {
				if asRead, err := strconv.ParseFloat(read.text, 64); err != nil || asRead != value || !read.number {
					t.Errorf("%s: %s of row %d is read as %+v, want the number %s", filepath.Base(path), want[0][j], i, read, cell)
				}
			} else if read.text != cell || read.number {
				t.Errorf("%s: %s of row %d is read as %+v, want the text %q", filepath.Base(path), want[0][j], i, read, cell)
			}
		}
	}
}

// A cellRead is what a program made of one cell.
type cellRead struct {
	text   string
	number bool
}

// LibreOffice's import dialog offers commas and UTF-8, which are named here because there
// is no dialog.
func TestTablesOpenRightInLibreOffice(t *testing.T) {
	need.LibreOffice(t)
	paths := writtenTables(t)
	out := t.TempDir()
	profile := url.URL{Scheme: "file", Path: t.TempDir()}
	const commaQuoteUTF8FromFirstLine = "CSV:44,34,76,1"
	cmd := exec.Command("soffice", append([]string{"-env:UserInstallation=" + profile.String(), "--headless", "--infilter=" + commaQuoteUTF8FromFirstLine,
		"--convert-to", "fods", "--outdir", out}, paths...)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(filepath.Base(path), ".csv")+".fods"))
		if err != nil {
			t.Fatal(err)
		}
		compareCells(t, path, spreadsheet(t, raw), cellsOf(t, path))
	}
}

// spreadsheet reads the first table of a flat OpenDocument spreadsheet.
// https://docs.oasis-open.org/office/OpenDocument/v1.3/os/part3-schema/OpenDocument-v1.3-os-part3-schema.html#__RefHeading__1415588_253892949
func spreadsheet(t *testing.T, raw []byte) [][]cellRead {
	t.Helper()
	var document struct {
		Rows []struct {
			Cells []struct {
				Type     string   `xml:"value-type,attr"`
				Value    string   `xml:"value,attr"`
				Formula  string   `xml:"formula,attr"`
				Repeated int      `xml:"number-columns-repeated,attr"`
				Lines    []spaced `xml:"p"`
			} `xml:"table-cell"`
		} `xml:"body>spreadsheet>table>table-row"`
	}
	if err := xml.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	var rows [][]cellRead
	for _, row := range document.Rows {
		var cells []cellRead
		for _, c := range row.Cells {
			if c.Formula != "" {
				t.Errorf("a cell became the formula %s", c.Formula)
			}
			var lines []string
			for _, l := range c.Lines {
				lines = append(lines, string(l))
			}
			read := cellRead{strings.Join(lines, "\n"), c.Type == "float"}
			if read.number {
				read.text = c.Value
			}
			for range max(1, c.Repeated) {
				cells = append(cells, read)
			}
		}
		rows = append(rows, cells)
	}
	return rows
}

// spaced is a paragraph's text, with the elements that stand for spaces put back.
type spaced string

func (s *spaced) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.CharData:
			*s += spaced(token)
		case xml.StartElement:
			if token.Name.Local == "s" {
				*s += " "
			}
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// What a script prints of each cell: n or t, then the value, then the end of the cell.
const (
	cellEnd = "\x1f"
	rowEnd  = "\x1e"
)

func TestTablesOpenRightInPandas(t *testing.T) {
	python := need.Pandas(t)
	const script = `
import sys, pandas
for path in sys.argv[1:]:
    table = pandas.read_csv(path)
    out = ["t" + str(name) for name in table.columns]
    rows = ["".join(cell + "\x1f" for cell in out)]
    for row in table.itertuples(index=False):
        cells = []
        for value in row:
            if pandas.isna(value):
                cells.append("t")
            else:
                cells.append(("t" if isinstance(value, str) else "n") + str(value))
        rows.append("".join(cell + "\x1f" for cell in cells))
    sys.stdout.buffer.write(("".join(row + "\x1e" for row in rows) + "\x1d").encode("utf-8"))
`
	compareScript(t, exec.Command(python, "-c", script))
}

func TestTablesOpenRightInR(t *testing.T) {
	need.R(t)
	const script = `
invisible(Sys.setlocale("LC_ALL", "C.UTF-8"))
for (path in commandArgs(trailingOnly = TRUE)) {
  table <- read.csv(path, fileEncoding = if (grepl("-excel", path)) "UTF-8-BOM" else "UTF-8")
  rows <- paste0("t", names(table), "\x1f", collapse = "")
  for (i in seq_len(nrow(table))) {
    cells <- vapply(table, function(column) {
      value <- column[[i]]
      if (is.na(value)) "t" else if (is.numeric(value)) paste0("n", format(value, digits = 15)) else paste0("t", value)
    }, "")
    rows <- c(rows, paste0(cells, "\x1f", collapse = ""))
  }
  cat(rows, sep = "\x1e")
  cat("\x1e\x1d")
}
`
	path := filepath.Join(t.TempDir(), "read.R")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	compareScript(t, exec.Command("Rscript", "--vanilla", path))
}

// compareScript runs a script on the tables; it prints each, ended by \x1d.
func compareScript(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	paths := writtenTables(t)
	cmd.Args = append(cmd.Args, paths...)
	var said, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &bad
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, bad.String())
	}
	tables := strings.Split(said.String(), "\x1d")
	if len(tables) != len(paths)+1 {
		t.Fatalf("%d tables read of %d: %s", len(tables)-1, len(paths), bad.String())
	}
	for i, path := range paths {
		var rows [][]cellRead
		for row := range strings.SplitSeq(strings.TrimSuffix(tables[i], rowEnd), rowEnd) {
			var cells []cellRead
			for cell := range strings.SplitSeq(strings.TrimSuffix(row, cellEnd), cellEnd) {
				cells = append(cells, cellRead{cell[1:], cell[0] == 'n'})
			}
			rows = append(rows, cells)
		}
		compareCells(t, path, rows, cellsOf(t, path))
	}
}
