package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"berth/core/plan"
	"berth/core/text"
)

// An Outline is what a list of runs says of one.
type Outline struct {
	ID      string
	Title   string // the user's own, or the plan's; "" if none
	Plan    plan.Plan
	Samples int // that were taken
}

// OpenOutline reads the outline of the log at path: of most lines it only sees of which type they are.
func OpenOutline(path string) (Outline, error) {
	f, err := os.Open(path)
	if err != nil {
		return Outline{}, text.Err("result.log-unreadable", text.Args{"Path": path}, err)
	}
	defer f.Close()
	var o Outline
	sample := []byte(`"type":"` + TypeSample + `"`)
	for lines := bufio.NewReaderSize(f, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return o, text.Err("result.log-unreadable", text.Args{"Path": path}, err)
		}
		// The type is among a line's first fields, and texts in it are quoted: theirs is \"type\".
		switch head := line[:min(len(line), 200)]; {
		case bytes.Contains(head, sample):
			o.Samples++
		case bytes.Contains(line, []byte(`"type":"`+TypeRun+`"`)), bytes.Contains(line, []byte(`"type":"`+TypeEdit+`"`)):
			var e Event
			if json.Unmarshal(line, &e) != nil {
				break
			}
			if e.Run != nil {
				o.ID, o.Plan, o.Title = e.Run.ID, e.Run.Plan, e.Run.Plan.Title
			}
			if e.Edit != nil && e.Edit.Key == EditTitle {
				o.Title = e.Edit.Value
				if o.Title == "" {
					o.Title = o.Plan.Title
				}
			}
		}
		if err != nil {
			break
		}
	}
	if o.ID == "" {
		return o, text.Err("result.not-a-log", text.Args{"Path": path}, nil)
	}
	return o, nil
}
