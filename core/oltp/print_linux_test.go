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
func printed(t *testing.T, job Job, ticks []Tick, r Result, checkpoints ...Stretch) string {
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
	for _, c := range checkpoints {
		if err == nil {
			err = PrintCheckpoint(&b, job, c)
		}
	}
	if err == nil {
		err = PrintHistogram(&b, r.Rest.Buckets)
	}
	if err == nil {
		err = PrintSummary(&b, job, r.Rest)
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
	r := Stretch{
		Counts: Counts{Events: 131, Read: 1834, Write: 524, Other: 262}, Elapsed: ms(3038), Interval: ms(3038),
		Threads: []Thread{{Events: 66, Min: ms(1.61), Max: ms(32.59), Sum: ms(230)}, {Events: 65, Min: ms(1.7), Max: ms(23), Sum: ms(228.57)}},
	}
	for ms, n := range map[float64]int64{1.608: 1, 1.697: 2, 2.760: 120, 7.039: 5, 32.525: 3} {
		r.Buckets[bucketOf(time.Duration(ms*float64(time.Millisecond)))] = n
	}
	want, err := os.ReadFile(filepath.Join("testdata", "run.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(t, job, []Tick{tick}, Result{Rest: r}); got != string(want) {
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
		"with checkpoints":   func(j *Job) { j.Interval, j.Checkpoints = 0, []time.Duration{time.Second} },
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
			args := append(sysbenchArgs(t, job, "run"), "--histogram")
			if job.Interval > 0 {
				args = append(args, "--report-interval=1")
			}
			if len(job.Checkpoints) > 0 {
				args = append(args, "--report-checkpoints=1")
			}
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
			if job.Interval == 0 {
				o.ticks = nil
			}
			got, want := shape(printed(t, job, o.ticks, r, o.checkpoints...)), shape(after)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("printed\n%s\nsysbench prints\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestCheckpointsAndTheRestAddUpToTheResult(t *testing.T) {
	m := startMariadb(t)
	job := m.prepared(t, m.job())
	job.Duration, job.WarmUp, job.Checkpoints = 600*time.Millisecond, 100*time.Millisecond, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, time.Minute}
	o := &statusObserver{t: t, m: m}
	r, err := Run(context.Background(), job, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.checkpoints) != 2 {
		t.Fatalf("%d checkpoints, want 2", len(o.checkpoints))
	}
	var counts Counts
	var took time.Duration
	var threads, buckets int64
	for _, s := range append(o.checkpoints, r.Rest) {
		counts, took = counts.plus(s.Counts), took+s.Interval
		threads += summarize(s.Threads).Events
		for _, n := range s.Buckets {
			buckets += n
		}
		if s.Events == 0 {
			t.Errorf("nothing happened until %v", s.Elapsed)
		}
	}
	if counts != r.Counts || took != r.Elapsed || threads != r.Events || buckets != r.Events {
		t.Errorf("%+v in %v, %d by threads, %d in buckets; want %+v in %v", counts, took, threads, buckets, r.Counts, r.Elapsed)
	}
}
