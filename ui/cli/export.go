package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"berth/core/figure"
	"berth/core/report"
	"berth/core/result"
	"berth/core/text"
)

type exportFlags struct {
	format, figure, lang, reference string
	theme, size, metric             string
	scale                           float64
	tests, variants                 []string
	payload                         []int
	out                             string
	force, forExcel, hideNames      bool
}

// formatNames are the values of --format, in the order in which they are told.
var formatNames = []string{"csv", "summary-csv", "comparisons-csv", "json", "png", "svg", "html", "md"}

// allFigures is the value of --figure that writes every figure into a folder.
const allFigures = "all"

// isDrawing says whether a format is a figure's, isTable whether it is a table's.
func isDrawing(format string) bool { return format == "png" || format == "svg" }
func isTable(format string) bool   { return strings.HasSuffix(format, "csv") }

func writeFigure(w io.Writer, format, name string, r *result.Run, o figure.Options) error {
	f, err := figure.New(name, r, o)
	if err != nil {
		return err
	}
	if format == "svg" {
		return f.SVG(w)
	}
	return f.PNG(w)
}

func (t *terminal) exportCommand() *cobra.Command {
	var f exportFlags
	c := t.command("export RUN", 1, func(c *cobra.Command, args []string) error {
		if err := f.check(c.Flags().Changed); err != nil {
			return err
		}
		return t.export(args[0], f)
	})
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.format, "format", "", t.words.T("cli.export-format", text.Args{"Formats": strings.Join(formatNames, ", ")}))
	flags.StringVar(&f.figure, "figure", figure.Throughput, t.words.T("cli.export-figure"))
	flags.StringVar(&f.lang, "lang", "", t.words.T("cli.export-lang", text.Args{"Languages": strings.Join(text.Languages, ", ")}))
	flags.StringVar(&f.reference, "reference", "", t.words.T("cli.export-reference"))
	flags.StringSliceVar(&f.variants, "variants", nil, t.words.T("cli.export-variants"))
	flags.StringSliceVar(&f.tests, "tests", nil, t.words.T("cli.export-tests"))
	flags.IntSliceVar(&f.payload, "payload", nil, t.words.T("cli.export-payload"))
	flags.StringVar(&f.metric, "metric", "", t.words.T("cli.export-metric"))
	flags.StringVar(&f.theme, "theme", "", t.words.T("cli.export-theme"))
	flags.StringVar(&f.size, "size", "", t.words.T("cli.export-size", text.Args{"Sizes": strings.Join(figure.SizeNames(), ", ")}))
	flags.Float64Var(&f.scale, "scale", 0, t.words.T("cli.export-scale"))
	flags.BoolVar(&f.forExcel, "for-excel", false, t.words.T("cli.export-for-excel"))
	flags.BoolVar(&f.hideNames, "hide-names", false, t.words.T("cli.hide-names"))
	flags.StringVarP(&f.out, "output", "o", "", t.words.T("cli.export-output"))
	flags.BoolVar(&f.force, "force", false, t.words.T("cli.export-force"))
	return c
}

// check says which flags are missing, unknown, or do not go together; given tells
// those that were set.
func (f exportFlags) check(given func(flag string) bool) error {
	formats := strings.Join(formatNames, ", ")
	switch {
	case f.format == "":
		return text.Err("cli.no-format", text.Args{"Formats": formats}, nil)
	case f.out == "":
		return text.Err("cli.no-output", nil, nil)
	case !slices.Contains(formatNames, f.format):
		return text.Err("cli.format-unknown", text.Args{"Format": f.format, "Formats": formats}, nil)
	case f.lang != "" && !slices.Contains(text.Languages, f.lang):
		return text.Err("cli.lang-unknown", text.Args{"Lang": f.lang, "Languages": strings.Join(text.Languages, ", ")}, nil)
	case f.forExcel && !isTable(f.format):
		return text.Err("cli.tables-only", text.Args{"Flag": "for-excel"}, nil)
	case f.figure == allFigures && f.out == "-":
		return text.Err("cli.all-figures-output", nil, nil)
	case given("metric") && isDrawing(f.format) && f.figure != figure.Throughput && f.figure != allFigures:
		return text.Err("cli.metric-figure", text.Args{"Figure": f.figure, "Takes": figure.Throughput}, nil)
	case given("scale") && f.scale == 0:
		return text.Err("figure.bad-scale", text.Args{"Scale": f.scale, "Most": figure.MaxScale}, nil)
	case !f.extensionFits():
		return text.Err("cli.format-extension", text.Args{"Path": f.out, "Format": f.format}, nil)
	}
	for _, flag := range []string{"figure", "variants", "tests", "payload", "metric", "theme", "size", "scale"} {
		if given(flag) && !isDrawing(f.format) {
			return text.Err("cli.figures-only", text.Args{"Flag": flag}, nil)
		}
	}
	return nil
}

// extensions are what files of each kind of format are called; others say nothing of their format.
var extensions = map[string][]string{
	".csv": {"csv", "summary-csv", "comparisons-csv"}, ".json": {"json"}, ".png": {"png"}, ".svg": {"svg"},
	".html": {"html"}, ".htm": {"html"}, ".md": {"md"}, ".markdown": {"md"},
}

// extensionFits says whether the file's name does not promise another format than it gets.
func (f exportFlags) extensionFits() bool {
	formats, known := extensions[strings.ToLower(filepath.Ext(f.out))]
	folder := isDrawing(f.format) && f.figure == allFigures
	return !known || folder || slices.Contains(formats, f.format)
}

// labelled is f with the labels of the variants that are called by the names that the user or the
// language gives them.
func (f exportFlags) labelled(r *result.Run, words *text.Catalogue) exportFlags {
	label := func(called string) string {
		labels := result.Order(r)
		if called == "" || slices.Contains(labels, called) {
			return called
		}
		named := slices.DeleteFunc(labels, func(l string) bool { return result.Name(r, l, words) != called })
		if len(named) != 1 {
			return called
		}
		return named[0]
	}
	f.reference = label(f.reference)
	f.variants = slices.Clone(f.variants)
	for i := range f.variants {
		f.variants[i] = label(f.variants[i])
	}
	return f
}

// options are how figures are drawn. Variants, tests and payloads that r has not are an error.
func (f exportFlags) options(r *result.Run, lang string) (figure.Options, error) {
	o := figure.Options{Lang: lang, Theme: f.theme, Metric: f.metric, Tests: f.tests, Variants: f.variants, PayloadBytes: f.payload}
	if f.size != "" {
		var err error
		if o, err = sized(o, f.size); err != nil {
			return o, err
		}
	}
	if f.scale != 0 {
		o.Scale = f.scale
	}
	if err := o.Check(); err != nil {
		return o, err
	}
	var tests []string
	var payloads []int
	for i := range r.Samples {
		w := r.Samples[i].Workload
		if !slices.Contains(tests, w.Test) {
			tests = append(tests, w.Test)
		}
		if w.PayloadBytes > 0 && !slices.Contains(payloads, w.PayloadBytes) {
			payloads = append(payloads, w.PayloadBytes)
		}
	}
	slices.Sort(payloads)
	for _, payload := range f.payload {
		if !slices.Contains(payloads, payload) {
			return o, text.Err("cli.payload-unknown", text.Args{"Payload": payload, "Payloads": spelled(payloads)}, nil)
		}
	}
	for _, test := range f.tests {
		if !slices.Contains(tests, test) {
			return o, text.Err("cli.test-unknown", text.Args{"Test": test, "Tests": strings.Join(tests, ", ")}, nil)
		}
	}
	labels := result.Order(r)
	for _, label := range append(slices.Clone(f.variants), f.reference) {
		if label != "" && !slices.Contains(labels, label) {
			return o, text.Err("cli.variant-unknown", text.Args{"Variant": label, "Variants": strings.Join(labels, ", ")}, nil)
		}
	}
	return o, nil
}

func spelled(numbers []int) string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// sized is o in a named size or in WIDTHxHEIGHT pixels.
func sized(o figure.Options, size string) (figure.Options, error) {
	if named, ok := o.Sized(size); ok {
		return named, nil
	}
	width, height, ok := strings.Cut(size, "x")
	var errs [2]error
	o.Width, errs[0] = strconv.Atoi(width)
	o.Height, errs[1] = strconv.Atoi(height)
	if !ok || errs[0] != nil || errs[1] != nil {
		return o, text.Err("cli.size-unknown", text.Args{"Size": size, "Sizes": strings.Join(figure.SizeNames(), ", ")}, nil)
	}
	return o, nil
}

func (t *terminal) export(run string, f exportFlags) error {
	words := t.words
	if f.lang != "" {
		words = text.For(f.lang)
	}
	r, err := t.openRun(run)
	if err != nil {
		return err
	}
	if f.hideNames {
		r = report.HideNames(r, report.MachineNames())
	}
	f = f.labelled(r, words)
	o, err := f.options(r, words.Lang())
	if err != nil {
		return err
	}
	if f.reference != "" {
		chosen := *r
		chosen.Plan.Reference = f.reference
		r = &chosen
	}
	if isDrawing(f.format) && f.figure == allFigures {
		return t.exportFigures(r, f, o)
	}
	if names := figure.Names(r); isDrawing(f.format) && !slices.Contains(names, f.figure) {
		return text.Err("cli.figure-unknown", text.Args{"Figure": f.figure, "Figures": strings.Join(names, ", ")}, nil)
	}
	if f.out != "-" {
		if err := report.Free(f.out, f.force); err != nil {
			return inWords(err)
		}
	}
	write := func(w io.Writer) error { return report.View{}.Document(w, f.format, r, words) }
	if isDrawing(f.format) {
		write = func(w io.Writer) error { return writeFigure(w, f.format, f.figure, r, o) }
	}
	var whole bytes.Buffer
	if f.forExcel {
		err = report.ForExcel(&whole, write)
	} else {
		err = write(&whole)
	}
	if err != nil {
		return failed(text.Err("cli.export-failed", text.Args{"Format": f.format}, err))
	}
	if f.out == "-" {
		_, err := t.out.Write(whole.Bytes())
		return failed(err)
	}
	return writeWhole(f.out, f.force, whole.Bytes())
}

// exportFigures writes every figure that r has data for into a folder. One that cannot be
// drawn so is told and left out.
func (t *terminal) exportFigures(r *result.Run, f exportFlags, o figure.Options) error {
	written, left, err := report.View{}.Figures(f.out, f.format, r, o, f.force)
	for _, why := range left {
		fmt.Fprintln(t.err, t.sentence(why))
	}
	if err != nil {
		return err
	}
	if n := len(left); n > 0 {
		return failed(text.Err("cli.figures-left-out", text.Args{"Left": n, "All": n + len(written)}, nil))
	}
	return nil
}

// writeWhole writes a file whole or not at all, as report.Save does.
func writeWhole(path string, force bool, content []byte) error {
	return inWords(report.Save(path, force, func(w io.Writer) error { _, err := w.Write(content); return err }))
}

// inWords is an error of package report's Save and Free as the command says it.
func inWords(err error) error {
	var e *text.Error
	switch {
	case report.Exists(err) && errors.As(err, &e):
		return text.Err("cli.file-exists", text.Args{"Path": e.Args["File"]}, nil)
	case errors.As(err, &e) && e.ID == "report.unwritable":
		return text.Err("cli.file-unwritable", text.Args{"Path": e.Args["Path"]}, e.Err)
	}
	return err
}
