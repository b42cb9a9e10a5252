package result

import (
	"bytes"
	"strings"
	"testing"

	"berth/core/plan"
)

func TestRowsOfSeveralLoadsAndRatesAreTellable(t *testing.T) {
	var b bytes.Buffer
	rows := []SummaryRow{
		{Variant: "native", Cell: plan.Cell{Load: "deep", Test: "SET", Rate: 20_000}, Flags: []string{FlagBusy}},
		{Variant: "native", Cell: plan.Cell{Load: "deep", Test: "SET"}},
		{Variant: "native", Cell: plan.Cell{Test: "SET", Rate: 20_000}},
	}
	if err := WriteSummary(&b, rows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")[1:]
	for i, want := range []string{",load:deep;rate:20000;busy-machine", ",load:deep", ",rate:20000"} {
		if !strings.HasSuffix(lines[i], want) {
			t.Errorf("%s does not end with %s", lines[i], want)
		}
	}
}
