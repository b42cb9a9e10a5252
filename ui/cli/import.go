package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"berth/assets"
	"berth/core/ingest"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/text"
)

type importFlags struct {
	given ingest.Given
	out   string
	force bool
}

func (t *terminal) importCommand() *cobra.Command {
	var f importFlags
	c := t.command("import FILE... -o RUN", 1, func(_ *cobra.Command, args []string) error { return t.importFiles(args, f) })
	exactly := c.Args
	c.Args = func(c *cobra.Command, args []string) error { return exactly(c, args[:min(1, len(args))]) }
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.out, "output", "o", "", t.words.T("cli.import-output"))
	flags.IntVarP(&f.given.PayloadBytes, "payload", "d", 0, t.words.T("cli.import-payload"))
	flags.IntVarP(&f.given.Pipeline, "pipeline", "P", 0, t.words.T("cli.import-pipeline"))
	flags.IntVarP(&f.given.Clients, "clients", "c", 0, t.words.T("cli.import-clients"))
	flags.Int64VarP(&f.given.Requests, "requests", "n", 0, t.words.T("cli.import-requests"))
	flags.BoolVar(&f.force, "force", false, t.words.T("cli.force"))
	return c
}

// importFiles reads other tools' output in, and writes it as the files of a run: all of them into a
// folder, or the log alone where RUN is to be one.
func (t *terminal) importFiles(names []string, f importFlags) error {
	switch {
	case f.out == "":
		return text.Err("cli.import-no-output", nil, nil)
	case f.given.PayloadBytes < 0, f.given.Pipeline < 0, f.given.Clients < 0, f.given.Requests < 0:
		return text.Err("cli.import-negative", nil, nil)
	}
	var files []ingest.File
	for _, name := range names {
		raw, err := t.readText(name)
		if err != nil {
			return err
		}
		if name == stdinName {
			name = t.words.T("cli.import-pasted")
		}
		files = append(files, ingest.File{Name: name, Text: raw})
	}
	events, err := ingest.Events(run.NewID(plan.Plan{Name: ingest.Name}), assets.Version, files, f.given, time.Now())
	if err != nil {
		return err
	}
	r := &result.Run{}
	for _, e := range events {
		r.Add(e)
	}
	if err := t.writeImported(r, f); err != nil {
		return err
	}
	t.printRun(r)
	fmt.Fprintln(t.err, t.words.T("cli.imported", text.Args{"Path": f.out, "Samples": t.words.N("cli.samples", len(r.Samples))}))
	return nil
}

// stdinName is standard input as a FILE.
const stdinName = "-"

func (t *terminal) readText(name string) ([]byte, error) {
	in := t.in
	if name != stdinName {
		file, err := os.Open(name)
		if err != nil {
			return nil, text.Err("cli.import-unreadable", text.Args{"File": name}, cause(err))
		}
		defer file.Close()
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, ingest.MaxBytes+1)) // one more is too long, and said so
	if err != nil {
		return nil, text.Err("cli.import-unreadable", text.Args{"File": name}, cause(err))
	}
	return raw, nil
}

func (t *terminal) writeImported(r *result.Run, f importFlags) error {
	folder, log := f.out, filepath.Join(f.out, result.LogName)
	if strings.HasSuffix(f.out, filepath.Ext(result.LogName)) {
		return writeLog(f.out, f.force, r)
	}
	earlier, err := prepareFolder(folder, f.force)
	if err != nil {
		return err
	}
	defer earlier.release()
	err = errors.Join(writeLog(log, false, r), t.writeFolder(folder, r))
	return failed(errors.Join(err, earlier.settle(err == nil)))
}
