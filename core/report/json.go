package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
)

// A document is a run as one JSON object. The rows of its tables have the
// names of the CSV columns; what is not known is null, flags are a list.
type document struct {
	Run         string     `json:"run"`
	Berth       string     `json:"berth"`
	Title       string     `json:"title,omitempty"`
	Caption     string     `json:"caption,omitempty"`
	Note        string     `json:"note,omitempty"`
	Plan        plan.Plan  `json:"plan"`
	Facts       host.Facts `json:"facts"`
	Samples     []row      `json:"samples"`
	Summary     []row      `json:"summary"`
	Comparisons []row      `json:"comparisons"`
}

type row map[string]any

// writeJSON writes r with the tables that write the samples, the summary and the comparisons.
func writeJSON(w io.Writer, r *result.Run, tables []func(io.Writer) error) error {
	d := document{Run: r.ID, Berth: r.Berth, Plan: r.Plan, Facts: r.Facts(),
		Title: cmp.Or(r.Edits["title"], r.Plan.Title), Caption: r.Edits["caption"], Note: r.Edits["note"]}
	for i, rows := range []*[]row{&d.Samples, &d.Summary, &d.Comparisons} {
		var err error
		if *rows, err = rowsOf(tables[i]); err != nil {
			return err
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// textColumns hold no number, whatever they look like.
const textColumns = " run variant service placement test engine bottleneck reference verdict a b metric "

// rowsOf reads the table that write writes.
func rowsOf(write func(io.Writer) error) ([]row, error) {
	var table bytes.Buffer
	if err := write(&table); err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read the table back: %w", err)
	}
	rows := []row{}
	for _, line := range lines[1:] {
		r := row{}
		for i, column := range lines[0] {
			r[column] = valueOf(column, line[i])
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func valueOf(column, cell string) any {
	switch {
	case column == "flags":
		if cell == "" {
			return []string{}
		}
		return strings.Split(cell, ";")
	case cell == "":
		return nil
	case strings.Contains(textColumns, " "+column+" "):
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return json.Number(cell)
	}
	return cell
}
