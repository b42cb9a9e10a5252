package oltp

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"berth/core/need"
)

// printed is everything that a run prints, as the command does it.
func printed(t *testing.T, job Job, ticks []Tick, r Result) string {
	t.Helper()
	var b bytes.Buffer
	err := PrintStart(&b, job)
	if err == nil {
		err = PrintThreadsStarted(&b)
	}
	for _, tick := range ticks {
		if err == nil {
			err = PrintTick(&b, job, tick)
		}
	}
	if err == nil {
		err = PrintHistogram(&b, r.Buckets)
	}
	if err == nil {
		err = PrintSummary(&b, job, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden file is what sysbench 1.0.20 printed in a run with these figures, from
// its second line on, the histogram shortened.
func TestARunPrintsWhatSysbenchPrintedForTheSameFigures(t *testing.T) {
	job := DefaultJob()
	job.Threads, job.Rate, job.Interval = 2, 50, time.Second
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	tick := Tick{
		Elapsed: 999 * time.Millisecond, Interval: ms(1022.7), Threads: 2, Counts: Counts{Events: 50, Read: 700, Write: 200, Other: 100},
		Latency: []float64{9.0569},
	}
	r := Result{
		Counts: Counts{Events: 131, Read: 1834, Write: 524, Other: 262}, Elapsed: ms(3038),
		Threads: []Thread{{Events: 66, Min: ms(1.61), Max: ms(32.59), Sum: ms(230)}, {Events: 65, Min: ms(1.7), Max: ms(23), Sum: ms(228.57)}},
	}
	for ms, n := range map[float64]int64{1.608: 1, 1.697: 2, 2.760: 120, 7.039: 5, 32.525: 3} {
		r.Buckets[bucketOf(time.Duration(ms*float64(time.Millisecond)))] = n
	}
	want, err := os.ReadFile(filepath.Join("testdata", "run.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(t, job, []Tick{tick}, r); got != string(want) {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

// shape leaves of each line what does not depend on the figures.
func shape(s string) []string {
	number := regexp.MustCompile(` *-?[0-9]+(\.[0-9]+)? *`)
	bar := regexp.MustCompile(`^#\|.*`)
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		line = bar.ReplaceAllString(number.ReplaceAllString(line, "#"), "bar")
		if len(lines) == 0 || lines[len(lines)-1] != line { // as many bars and intervals as there are
			lines = append(lines, line)
		}
	}
	return lines
}

func TestARunPrintsTheLinesOfTheSysbenchThatIsHere(t *testing.T) {
	need.Sysbench(t)
	m := startMariadb(t)
	for name, change := range map[string]func(*Job){
		"as fast as it goes": func(*Job) {},
		"at a rate":          func(j *Job) { j.Rate = 30 },
	} {
		t.Run(name, func(t *testing.T) {
			job := m.job()
			job.Duration, job.Interval = 2*time.Second, time.Second
			change(&job)
			m.prepared(t, job)
			defer func() {
				if err := Cleanup(context.Background(), job, nil); err != nil {
					t.Error(err)
				}
			}()
			args := append(sysbenchArgs(t, job, "run"), "--report-interval=1", "--histogram")
			if job.Rate > 0 {
				args = append(args, "--rate=30")
			}
			theirs, err := exec.Command("sysbench", args...).Output()
			if err != nil {
				t.Fatal(err)
			}
			_, after, _ := strings.Cut(string(theirs), "\n\n") // its own first line
			o := &statusObserver{t: t, m: m}
			r, err := Run(context.Background(), job, o)
			if err != nil {
				t.Fatal(err)
			}
			got, want := shape(printed(t, job, o.ticks, r)), shape(after)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("printed\n%s\nsysbench prints\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
