package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

const several = `name = "two"
rounds = 2

[[load]]
name = "plain"
tests = ["SET"]
requests = 1000

[[load]]
name = "deep"
tests = ["SET", "GET"]
pipelines = [1, 200]
clients = [4, 16]
rates = [0, 20000]
seconds = 1.0

[[oltp]]
name = "plain"
table_size = 500

[[oltp]]
name = "deep"
scripts = ["oltp_point_select"]
threads = [4, 16]
seconds = 2.0

[[variant]]
placement = "native"

[[variant]]
service = "mysql"
placement = "native"
`

func TestAPlanOfSeveralLoadsPutsEachServiceUnderAllOfItsOwn(t *testing.T) {
	p, err := Read([]byte(several))
	if err != nil {
		t.Fatal(err)
	}
	redis, mysql := p.Workloads(p.Variants[0]), p.Workloads(p.Variants[1])
	if len(redis) != 1+2*2*2*2 || len(mysql) != 1+2 || p.Samples() != 2*(17+3) {
		t.Errorf("%d of Redis, %d of MySQL, %d samples", len(redis), len(mysql), p.Samples())
	}
	cells := map[Cell]bool{}
	for _, w := range slices.Concat(redis, mysql) {
		if cells[w.Cell()] {
			t.Errorf("%+v is there twice", w.Cell())
		}
		cells[w.Cell()] = true
	}
	if w := redis[3]; w.Load != "deep" || w.Rate != 20_000 {
		t.Errorf("got %+v", w)
	}
	if tables, rows := p.Tables(); tables != 4 || rows != 500 || p.OLTPs[1].TableSize != 500 {
		t.Errorf("%d tables of %d rows, the second load on %d", tables, rows, p.OLTPs[1].TableSize)
	}
	if !Paired("deep", "deep") || Paired("deep", "plain") || !Paired("", "plain") {
		t.Error("loads are paired by their names, and one without a name with all")
	}
}

func TestSeveralLoadsSurviveWritingAndReading(t *testing.T) {
	p, err := Read([]byte(several))
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range [][2]int{{2, 2}, {1, 2}, {2, 1}, {1, 1}} {
		q := p.Clone()
		q.Loads, q.OLTPs = q.Loads[:cut[0]], q.OLTPs[:cut[1]]
		for i := range q.OLTPs {
			if cut[0] == 1 {
				q.Loads[0].Name = ""
			}
			if cut[1] == 1 {
				q.OLTPs[i].Name = ""
			}
		}
		raw, err := q.Write()
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range []string{"load", "oltp"} {
			if one := strings.Contains(string(raw), "\n["+table+"]\n"); one != (cut[i] == 1) {
				t.Errorf("%d %ss are written as\n%s", cut[i], table, raw)
			}
		}
		read, err := Read(raw)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if again, _ := read.Write(); string(again) != string(raw) {
			t.Errorf("wrote\n%s\nread back as\n%s", raw, again)
		}
		asJSON, _ := json.Marshal(q)
		var back Plan
		if err := json.Unmarshal(asJSON, &back); err != nil || len(back.Loads) != cut[0] || len(back.OLTPs) != cut[1] {
			t.Errorf("JSON gave %d and %d back: %v", len(back.Loads), len(back.OLTPs), err)
		}
	}
}

func TestThePlanOfAnEarlierRunIsRead(t *testing.T) {
	var p Plan
	err := json.Unmarshal([]byte(`{"name":"quick","rounds":4,"load":{"suite":"classic","tests":["SET"],"seconds":0.5},"oltp":{"tables":4},"variants":[{"label":"native"}]}`), &p)
	if err != nil || len(p.Loads) != 1 || p.Loads[0].Tests[0] != "SET" || p.OLTPs[0].Tables != 4 || p.Variants[0].Label != "native" {
		t.Errorf("%v, %+v", err, p)
	}
}

func TestFaultsOfSeveralLoadsHaveTheirKeyAndLine(t *testing.T) {
	for _, c := range []struct{ from, to, key, line string }{
		{"name = \"deep\"\ntests", "tests", "load[2].name", ""},
		{"name = \"deep\"\ntests", "name = \"a b\"\ntests", "load[2].name", "line 10"},
		{"name = \"deep\"\ntests", "name = \"plain\"\ntests", "load[2].name", "line 10"},
		{"name = \"deep\"\nscripts", "name = \"other\"\nscripts", "load[2].name", "line 10"},
		{"[1, 200]", "[1, 30001]", "load[2].pipelines", "line 12"},
		{"[0, 20000]", "[20000, 20000]", "load[2].rates", "line 14"},
		{"seconds = 1.0", "seconds = 1.0\nthreads = 2", "load[2].threads", "line 16"},
		{"threads = [4, 16]\nseconds = 2", "table_size = 9\nseconds = 2", "oltp[2].table_size", "line 24"},
	} {
		_, err := Read([]byte(strings.Replace(several, c.from, c.to, 1)))
		var faults Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: %v", c.key, err)
			continue
		}
		i := slices.IndexFunc(faults, func(f Fault) bool { return f.Key == c.key })
		if i < 0 || !strings.HasPrefix(faults[i].Error(), c.line) || strings.Contains(faults[i].Error(), "plan.") {
			t.Errorf("want %s, %s: %v", c.line, c.key, err)
		}
	}
	_, err := Read([]byte("[[load]]\ntests = [\"GTE\"]\nspeed = 1\nseconds = 1\n[[variant]]\nplacement = \"native\"\n"))
	for _, want := range []string{"line 2: load.tests", "line 3: load.speed: there is no such key in a plan; choose from name, suite"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestSetOfAllLoadsAndOfOne(t *testing.T) {
	p, _ := Read([]byte(several))
	// The one of a single load counts, though it comes first.
	if err := p.SetAll([]string{"load.deep.seconds=3", "seconds=0.5", "oltp.plain.seconds=4", "oltp.seconds=1", "oltp.table_size=700", "rates=5"}); err != nil {
		t.Fatal(err)
	}
	if p.Loads[0].Seconds != 0.5 || p.Loads[0].Requests != 0 || p.Loads[1].Seconds != 3 || p.OLTPs[0].Seconds != 4 || p.OLTPs[1].Seconds != 1 ||
		p.OLTPs[0].TableSize != 700 || p.OLTPs[1].TableSize != 700 || p.Loads[0].Rates[0] != 5 {
		t.Errorf("got %+v and %+v", p.Loads, p.OLTPs)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"load.nobody.seconds=1", "oltp.nobody.seconds=1", "load.deep.colour=red", "oltp.deep.colour=red", "load.deep.clients=x"} {
		if err := p.SetAll([]string{wrong}); err == nil || strings.Contains(err.Error(), "plan.") {
			t.Errorf("--set %s: %v", wrong, err)
		}
	}
	if err := p.SetAll([]string{"load.deep.seconds=1", "load.deep.requests=5"}); err == nil {
		t.Error("two stop rules of one load were taken")
	}
}
