//go:build linux && !headless && !ci

package window

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"berth/core/need"
	"berth/core/plan"
	"berth/core/result"
)

var screenshots = flag.String("screenshots", "", "folder that TestScreenshots writes setup.png, running.png and results.png into")

// TestXvfbRunIsPressedAndItsExportsOpen drives the real program in a real
// window with a mouse: Run, until the log says end, then PNG and CSV.
func TestXvfbRunIsPressedAndItsExportsOpen(t *testing.T) {
	need.Display(t)
	need.Redis(t)
	p := plan.Presets()[0]
	p.Name, p.Rounds, p.Loads[0].Seconds, p.Loads[0].Tests = "mouse", 2, 0.2, []string{"SET", "GET"}
	p.Variants = p.Variants[:1] // native runs wherever redis-server is
	s := startScreen(t, 1280, 800, formOf(p))

	var folder string
	s.clickUntil("Run", s.runButton, func() bool {
		kept, _ := filepath.Glob(filepath.Join(s.home, "data", "berth", "runs", "*"))
		if len(kept) == 1 {
			folder = kept[0]
		}
		return folder != ""
	})
	log := filepath.Join(folder, result.LogName)
	s.until("the run's end", time.Minute, func() bool {
		r, err := result.Open(log)
		return err == nil && r.End != nil
	})
	r, err := result.Open(log)
	if err != nil || r.End.Reason != result.EndDone || len(r.Samples) != p.Samples() {
		t.Fatalf("the run ended as %+v with %d samples, %v; want %d", r.End, len(r.Samples), err, p.Samples())
	}

	picture := filepath.Join(folder, "throughput-vs-native-"+r.ID+".png")
	s.clickUntil("Save PNG", s.pngButton, func() bool { return s.isPNG(picture) })
	samples := filepath.Join(folder, "samples-"+r.ID+".csv")
	s.clickUntil("Save CSV", func(screen image.Image) (image.Point, bool) {
		at, ok := s.pngButton(screen)
		return at.Add(image.Pt(110, 0)), ok // the next button in the row
	}, func() bool { return s.csvRows(samples) == p.Samples() })

	s.copyChart(picture)

	if err := os.Remove(picture); err != nil {
		t.Fatal(err)
	}
	s.do("xdotool", "key", "ctrl+s")
	s.until("the PNG by Ctrl+S", 10*time.Second, func() bool { return s.isPNG(picture) })

	s.do("xdotool", "key", "alt+F4")
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		t.Fatal("the program did not end with its window")
	}
	if code := s.program.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	kept, err := os.ReadFile(s.preferences())
	if err != nil || !bytes.Contains(kept, []byte(`"`+keyWidth+`"`)) || !bytes.Contains(kept, []byte(`"`+keyLastRun+`"`)) {
		t.Errorf("the window's size or the plan that was run is not remembered: %v\n%s", err, kept)
	}
}

// TestScreenshots takes the pictures of the README: each state of the window, as
// its users see it here.
func TestScreenshots(t *testing.T) {
	need.Display(t)
	need.Redis(t)
	folder := *screenshots
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := startScreen(t, 1280, 800, formOf(plan.Presets()[0]))
	s.until("the form", 30*time.Second, func() bool {
		_, there := s.runButton(s.look())
		return there && s.steady()
	})
	s.picture(filepath.Join(folder, "setup.png"))
	var log string
	s.clickUntil("Run", s.runButton, func() bool {
		kept, _ := filepath.Glob(filepath.Join(s.home, "data", "berth", "runs", "*", result.LogName))
		if len(kept) == 1 {
			log = kept[0]
		}
		return log != ""
	})
	s.until("half of the samples", 2*time.Minute, func() bool {
		r, err := result.Open(log)
		return err == nil && len(r.Samples) >= r.Plan.Samples()/2
	})
	s.picture(filepath.Join(folder, "running.png"))
	s.until("the run's end", 3*time.Minute, func() bool {
		r, err := result.Open(log)
		return err == nil && r.End != nil
	})
	s.until("the results", 30*time.Second, func() bool {
		_, there := s.pngButton(s.look())
		return there && s.steady()
	})
	s.picture(filepath.Join(folder, "results.png"))
}

// A screen is an X server of the test's own with the program in it.
type screen struct {
	t       *testing.T
	home    string // the program's XDG folders lie in it
	env     []string
	program *exec.Cmd
	window  string // X's number of the program's window
	exited  chan struct{}
	last    []byte // the picture that steady looked at last
}

// startScreen builds the program and opens it, its form filled with f, on a screen that its window fills.
func startScreen(t *testing.T, width, height int, f form) *screen {
	t.Helper()
	s := &screen{t: t, home: t.TempDir(), exited: make(chan struct{})}
	binary := filepath.Join(t.TempDir(), "berth")
	build := exec.Command("go", "build", "-tags", "migrated_fynedo", "-o", binary, "berth")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	s.env = append(os.Environ(), "DISPLAY="+s.startX(width, height), "FYNE_PLATFORM=x11", "FYNE_THEME=light",
		"LIBGL_ALWAYS_SOFTWARE=1", "LANG=en_US.UTF-8", "LC_ALL=")
	for name, folder := range map[string]string{"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "runtime"} {
		path := filepath.Join(s.home, folder)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		s.env = append(s.env, name+"="+path)
	}
	s.remember(f)
	s.start(exec.Command("openbox"))
	s.program = exec.Command(binary)
	s.exited = s.start(s.program)

	s.until("the window", 30*time.Second, func() bool {
		out, err := s.command("xdotool", "search", "--onlyvisible", "--name", "^Berth").Output()
		s.window = strings.TrimSpace(string(out))
		return err == nil && s.window != ""
	})
	s.do("xdotool", "windowactivate", "--sync", s.window)
	s.do("xdotool", "windowmove", s.window, "0", "0")
	s.do("xdotool", "windowsize", "--sync", s.window, strconv.Itoa(width), strconv.Itoa(height))
	return s
}

// remember writes what the program would remember from an earlier time.
func (s *screen) remember(f form) {
	raw, err := json.Marshal(f)
	if err != nil {
		s.t.Fatal(err)
	}
	preferences, err := json.Marshal(map[string]any{keyForm: string(raw), keyLanguage: "en"})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(s.preferences()), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.preferences(), preferences, 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// preferences is where Fyne keeps what the program remembers.
func (s *screen) preferences() string {
	return filepath.Join(s.home, "config", "fyne", appID, "preferences.json")
}

// titleBar is how many pixels openbox puts above a window.
const titleBar = 20

// startX starts an X server on a display that is free, with room for a window of that size, and returns its name.
func (s *screen) startX(width, height int) string {
	read, write, err := os.Pipe()
	if err != nil {
		s.t.Fatal(err)
	}
	defer read.Close()
	x := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", fmt.Sprintf("%dx%dx24", width+2, height+titleBar+2))
	x.ExtraFiles = []*os.File{write}
	s.start(x)
	write.Close()
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		s.t.Fatalf("Xvfb did not start: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// start starts c and ends it with the test; the channel is closed when it has ended.
func (s *screen) start(c *exec.Cmd) chan struct{} {
	s.t.Helper()
	var said bytes.Buffer
	c.Env, c.Stdout, c.Stderr = s.env, &said, &said
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.Wait() // how it ended is in ProcessState
	}()
	s.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // it may be gone
		<-ended
		if s.t.Failed() {
			s.t.Logf("%s said:\n%s", filepath.Base(c.Path), said.String())
		}
	})
	return ended
}

func (s *screen) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = s.env
	return c
}

func (s *screen) do(name string, args ...string) {
	s.t.Helper()
	if out, err := s.command(name, args...).CombinedOutput(); err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// until waits for what is meant to happen.
func (s *screen) until(what string, limit time.Duration, happened func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for !happened() {
		select {
		case <-look.C:
		case <-s.exited:
			s.t.Fatalf("the program ended while waiting for %s", what)
		case <-ctx.Done():
			failed := filepath.Join(os.TempDir(), "berth-xvfb-failed.png")
			s.picture(failed)
			s.t.Fatalf("%s did not come within %v; the screen is in %s", what, limit, failed)
		}
	}
}

// clickUntil clicks the middle of what find sees, again when nothing came of it: a click right after
// a window was moved or drawn can be lost.
func (s *screen) clickUntil(what string, find func(image.Image) (image.Point, bool), happened func() bool) {
	s.t.Helper()
	next := time.Now()
	s.until(what+" by mouse", 30*time.Second, func() bool {
		if happened() {
			return true
		}
		if at, there := find(s.look()); there && time.Now().After(next) {
			s.do("xdotool", "mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y), "sleep", "0.3", "click", "1")
			next = time.Now().Add(3 * time.Second)
		}
		return false
	})
}

// copyChart chooses "Chart as picture" in the menu of Copy until another program finds the
// picture saved at path on the clipboard.
func (s *screen) copyChart(path string) {
	s.t.Helper()
	saved, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	next := time.Now()
	s.until("the chart on the clipboard", 30*time.Second, func() bool {
		// A picture may not be there yet: then xclip fails, and its answer is no picture.
		pasted, _ := s.command("xclip", "-selection", "clipboard", "-t", "image/png", "-o").Output()
		if bytes.Equal(pasted, saved) {
			return true
		}
		if at, there := s.pngButton(s.look()); there && time.Now().After(next) {
			for _, by := range []image.Point{{413, 0}, {425, 37}} { // Copy, and what its menu has first
				s.do("xdotool", "mousemove", strconv.Itoa(at.X+by.X), strconv.Itoa(at.Y+by.Y), "sleep", "0.3", "click", "1", "sleep", "0.5")
			}
			next = time.Now().Add(3 * time.Second)
		}
		return false
	})
}

// runButton is the middle of the coloured button in the lower right corner.
func (s *screen) runButton(screen image.Image) (image.Point, bool) {
	b := screen.Bounds()
	return coloured(screen, image.Rect(b.Dx()/2, b.Dy()-120, b.Dx(), b.Dy()))
}

// pngButton is the middle of the coloured button at the left of the row under the header.
func (s *screen) pngButton(screen image.Image) (image.Point, bool) {
	return coloured(screen, image.Rect(0, 20, 200, 140))
}

// coloured is the middle of what has the colour of a button of high importance within area.
func coloured(screen image.Image, area image.Rectangle) (image.Point, bool) {
	var found image.Rectangle
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			c := color.NRGBAModel.Convert(screen.At(x, y)).(color.NRGBA)
			if c.B > 0xd0 && c.R < 0x50 && c.G < 0x90 { // Fyne's primary blue, 296ff6
				found = found.Union(image.Rect(x, y, x+1, y+1))
				n++
			}
		}
	}
	return found.Min.Add(found.Size().Div(2)), n > 1000
}

// look takes a picture of the whole screen.
func (s *screen) look() image.Image {
	s.t.Helper()
	out, err := s.command("import", "-window", "root", "png:-").Output()
	if err != nil {
		s.t.Fatalf("import: %v", err)
	}
	picture, err := png.Decode(bytes.NewReader(out))
	if err != nil {
		s.t.Fatal(err)
	}
	return picture
}

// steady says whether the screen is as it was a moment ago.
func (s *screen) steady() bool {
	var now bytes.Buffer
	if err := png.Encode(&now, s.look()); err != nil {
		s.t.Fatal(err)
	}
	same := bytes.Equal(s.last, now.Bytes())
	s.last = now.Bytes()
	return same
}

func (s *screen) picture(path string) { s.do("import", "-window", s.window, path) }

func (s *screen) isPNG(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	picture, err := png.Decode(f)
	return err == nil && picture.Bounds().Dx() > 600
}

// csvRows counts the lines under a CSV's header; -1 if it is none.
func (s *screen) csvRows(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return -1
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return -1
	}
	return len(rows) - 1
}
