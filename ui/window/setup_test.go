//go:build !headless

package window

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
	"github.com/google/go-cmp/cmp"

	"berth/core/host"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/run"
	"berth/core/server"
	"berth/core/text"
)

func TestEveryPresetComesBackFromTheFormUnchanged(t *testing.T) {
	for _, p := range plan.Presets() {
		got, fault := formOf(p).plan(text.For("en"))
		if fault != nil {
			t.Errorf("%s: %v", p.Name, fault.err)
			continue
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%s changed in the form:\n%s", p.Name, diff)
		}
	}
}

func TestTheBottomLineFollowsWhatIsTyped(t *testing.T) {
	w := open(t, &fakeCore{})
	for _, c := range []struct{ entry, typed, want string }{
		{"rounds", "1", "4 modes × 4 tests × 1 payload × 1 round: 16 samples"},
		{"payload_bytes", "100，500", "4 modes × 4 tests × 2 payloads × 1 round: 32 samples"},
		{"pipelines", "1 16", "× 2 pipelines × 1 round: 64 samples"},
	} {
		w.setup.load.entries[c.entry].SetText(c.typed)
		if !strings.Contains(w.setup.summary.Text, c.want) {
			t.Errorf("after %s %q: %q, want %q in it", c.entry, c.typed, w.setup.summary.Text, c.want)
		}
		if w.setup.run.Disabled() {
			t.Errorf("after %s %q Run is off", c.entry, c.typed)
		}
	}
}

func TestAFaultIsNamedAsItIsTypedAndRunIsOff(t *testing.T) {
	for _, c := range []struct{ entry, typed, want string }{
		{"payload_bytes", "100, 5x", "Payload, bytes (-d): “5x” is not"},
		{"payload_bytes", "-1", "Payload, bytes (-d)"},
		{"payload_bytes", "99999999999", "Payload, bytes (-d)"},
		{"clients", "0", "Clients (-c)"},
		{"clients", "", "Clients (-c)"},
		{"seconds", "0", "Seconds a test"},
		{"seconds", "NaN", "Seconds a test"},
		{"rounds", "0", "Rounds"},
		{"port", "70000", "Port: “70000”"},
		{"host", "203.0.113.9", "Host"},
	} {
		w := open(t, &fakeCore{})
		var marked error
		w.setup.load.entries[c.entry].SetOnValidationChanged(func(err error) { marked = err })
		w.setup.load.entries[c.entry].SetText(c.typed)
		if !strings.HasPrefix(w.setup.summary.Text, c.want) || strings.Contains(w.setup.summary.Text, "\n") {
			t.Errorf("%s %q: %q, want one sentence that begins with %q", c.entry, c.typed, w.setup.summary.Text, c.want)
		}
		if !w.setup.run.Disabled() {
			t.Errorf("%s %q: Run is on", c.entry, c.typed)
		}
		if marked == nil {
			t.Errorf("%s %q: the entry is not marked", c.entry, c.typed)
		}
	}
}

func TestAModeThatCannotRunIsOffWithReasonAdviceAndCommand(t *testing.T) {
	c := &fakeCore{off: map[string]server.Availability{plan.DockerNAT: {
		Err: errors.New("docker answers, but not to you"), AdviceErr: errors.New("log in again after it"), Command: "sudo usermod -aG docker $USER"}}}
	w := open(t, c)
	row := w.setup.modes[plan.DockerNAT]
	if !row.check.Disabled() || row.check.Checked {
		t.Error("the mode can be ticked")
	}
	said := strings.Join(texts(row.trouble), "\n")
	for _, want := range []string{"off: docker answers, but not to you\nlog in again after it", "sudo usermod -aG docker $USER"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in %q", want, said)
		}
	}
	test.Tap(button(t, row.trouble, "Copy"))
	if got := w.app.Clipboard().Content(); got != "sudo usermod -aG docker $USER" {
		t.Errorf("Copy gave %q", got)
	}
	if !strings.HasPrefix(w.setup.summary.Text, "3 modes") {
		t.Errorf("the mode counts although it is off: %q", w.setup.summary.Text)
	}

	delete(c.off, plan.DockerNAT)
	test.Tap(button(t, row.trouble, "Check again"))
	w.rest()
	if row.check.Disabled() || !row.check.Checked || !strings.HasPrefix(w.setup.summary.Text, "4 modes") {
		t.Errorf("the mode did not come back: %q", w.setup.summary.Text)
	}
}

func TestACPUThatIsNotThereKeepsRunOff(t *testing.T) {
	w := open(t, &fakeCore{badCPUs: "99"})
	w.setup.load.entries["cpus"].SetText("99")
	w.rest()
	if !w.setup.run.Disabled() || !strings.Contains(w.setup.summary.Text, "CPU 99 is not there.") {
		t.Errorf("Run is on, or the reason is not said: %q", w.setup.summary.Text)
	}
}

func TestATakenPortIsSaidInTheForm(t *testing.T) {
	w := open(t, &fakeCore{port: errors.New("port 6379 is taken by pid 812 (redis-server)")})
	w.setup.load.entries["port"].SetText("6379")
	if !w.setup.run.Disabled() || !strings.Contains(w.setup.summary.Text, "taken by pid 812") {
		t.Errorf("Run is on, or the reason is not said: %q", w.setup.summary.Text)
	}
	w.setup.load.entries["port"].SetText("auto")
	if w.setup.run.Disabled() {
		t.Errorf("auto does not mend it: %q", w.setup.summary.Text)
	}
}

func TestWhatWasEnteredIsThereNextTimeButNoPassword(t *testing.T) {
	c := &fakeCore{}
	w := open(t, c)
	w.setup.load.entries["rounds"].SetText("9")
	w.setup.load.entries["address"].SetText("127.0.0.1:7000")
	w.form.Password = "open sesame"
	w.close()
	if kept := w.app.Preferences().String(keyForm); strings.Contains(kept, "open sesame") {
		t.Errorf("the password was kept: %s", kept)
	}
	again := reopen(t, w.app, c)
	if again.form.Rounds != "9" || again.form.Address != "127.0.0.1:7000" || again.form.Password != "" {
		t.Errorf("came back as %+v", again.form)
	}
}

func TestTestConnectionSaysWhatAnswersOrWhyNot(t *testing.T) {
	c := &fakeCore{}
	w := open(t, c)
	w.form.Address, w.form.Password = "127.0.0.1:7000", "secret"
	var asked server.Endpoint
	for want, connect := range map[string]func(server.Endpoint) (host.Facts, error){
		"Connected: Redis 7.0.15.": func(e server.Endpoint) (host.Facts, error) {
			asked = e
			return host.Facts{"redis.version": "7.0.15"}, nil
		},
		"it is an HTTP server": func(server.Endpoint) (host.Facts, error) { return nil, errors.New("it is an HTTP server") },
	} {
		c.connect = connect
		var got string
		w.testConnection(func(sentence string, _ widget.Importance) { got = sentence })
		w.rest()
		if got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	if asked.Address != "127.0.0.1:7000" || asked.Password != "secret" || asked.Network != "tcp" {
		t.Errorf("asked %+v", asked)
	}
}

func TestCtrlRRunsFromWithinAnEntry(t *testing.T) {
	c := &fakeCore{execute: func(context.Context, run.Options) (*result.Run, error) { return nil, nil }}
	w := open(t, c)
	w.setup.load.entries["rounds"].SetText("2")
	w.setup.load.entries["rounds"].TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyR, Modifier: fyne.KeyModifierShortcutDefault})
	w.rest()
	if c.planned.Rounds != 2 {
		t.Errorf("ran %+v", c.planned)
	}
}

func TestAPresetFillsTheFormAndCanBeBroughtBack(t *testing.T) {
	w := open(t, &fakeCore{})
	for range 2 {
		w.setup.presets.Select(1)
		w.rest()
		if !strings.HasPrefix(w.setup.summary.Text, "5 modes") || !strings.Contains(w.setup.summary.Text, "6 rounds") {
			t.Fatalf("docker-network gave %q", w.setup.summary.Text)
		}
		w.setup.load.entries["rounds"].SetText("2")
	}
}

func TestTheColoursAreThoseOfTheChart(t *testing.T) {
	f := form{Modes: []string{plan.DockerNAT, plan.Native, plan.DockerHost}, Off: map[string]bool{plan.DockerNAT: true}}
	for placement, want := range map[string]int{plan.Native: 0, plan.DockerNAT: -1, plan.DockerHost: 4, plan.Pinned: -1} {
		if got := f.index(placement); got != want {
			t.Errorf("%s has colour %d, want %d: the same in every run", placement, got, want)
		}
	}
}

func TestRunStartsThePlanThatIsShown(t *testing.T) {
	c := &fakeCore{execute: func(context.Context, run.Options) (*result.Run, error) { return nil, errors.New("no") }}
	w := open(t, c)
	w.setup.load.entries["rounds"].SetText("3")
	test.Tap(w.setup.run)
	w.rest()
	if c.planned.Rounds != 3 || len(c.planned.Variants) != 4 {
		t.Errorf("started %+v", c.planned)
	}
	if w.setup == nil || !strings.Contains(strings.Join(texts(w.win.Canvas().Overlays().Top()), "\n"), "no") {
		t.Error("a run that could not begin does not say so over the form")
	}
}

// texts are all that labels say in o.
func texts(o fyne.CanvasObject) []string {
	var all []string
	for _, label := range find[*widget.Label](o) {
		all = append(all, label.Text)
	}
	return all
}

// button is the one in o with this text.
func button(t *testing.T, o fyne.CanvasObject, text string) *widget.Button {
	t.Helper()
	for _, b := range find[*widget.Button](o) {
		if b.Text == text {
			return b
		}
	}
	t.Fatalf("there is no button %q", text)
	return nil
}

// find gives every object of type T in o, in the order in which they are drawn.
func find[T fyne.CanvasObject](o fyne.CanvasObject) []T {
	var found []T
	if hit, ok := o.(T); ok {
		found = append(found, hit)
	}
	switch o := o.(type) {
	case *fyne.Container:
		for _, child := range o.Objects {
			found = append(found, find[T](child)...)
		}
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			found = append(found, find[T](child)...)
		}
	}
	return found
}

func TestAPresetOfTwoLoadsShowsBothAndDropsNeither(t *testing.T) {
	w := open(t, &fakeCore{})
	p, err := plan.Preset("redis-vs-mysql")
	if err != nil {
		t.Fatal(err)
	}
	w.form = formOf(p)
	w.showSetup()
	w.rest()
	if !strings.Contains(w.setup.summary.Text, "2 loads × 3 rounds") || !strings.Contains(w.setup.summary.Text, ": 63 samples") {
		t.Errorf("the bottom line is %q", w.setup.summary.Text)
	}
	entry := func(name string) *field { return w.setup.load.entries[name] }
	if entry("requests").Text != "1000000" || entry("pipelines").Text != "1, 200" || entry("oltp_threads").Text != "4" {
		t.Errorf("as the article: %s requests, pipelines %s, %s threads", entry("requests").Text, entry("pipelines").Text, entry("oltp_threads").Text)
	}
	w.form.Part = "like-for-like"
	w.showSetup()
	w.rest()
	if entry("payload_bytes").Text != "120" || entry("oltp_threads").Text != "1, 4, 16, 64" {
		t.Errorf("like for like: payload %s, %s threads", entry("payload_bytes").Text, entry("oltp_threads").Text)
	}
	entry("clients").SetText("8, 32")
	entry("oltp_table_size").SetText("5000")
	got, fault := w.form.plan(w.words)
	if fault != nil {
		t.Fatal(fault.err)
	}
	if got.Loads[0].Clients[0] != 50 || got.Loads[1].Clients[1] != 32 || got.OLTPs[0].TableSize != 5000 || got.OLTPs[1].TableSize != 5000 || got.OLTPs[1].Scripts[0] != "oltp_point_select" {
		t.Errorf("got %+v and %+v", got.Loads, got.OLTPs)
	}
	entry("oltp_threads").SetText("0")
	if !strings.HasPrefix(w.setup.summary.Text, "MySQL threads") {
		t.Errorf("a fault of MySQL's load is told as %q", w.setup.summary.Text)
	}
}

func TestLevelsOfDurabilityAreFurtherModesOfOneRun(t *testing.T) {
	p, _ := plan.Preset("redis-vs-mysql")
	f := formOf(p)
	f.Levels = true
	got, fault := f.plan(text.For("en"))
	if fault != nil {
		t.Fatal(fault.err)
	}
	labels := func(p plan.Plan) (all []string) {
		for _, v := range p.Variants {
			all = append(all, v.Label+"="+v.Persistence)
		}
		return all
	}
	want := []string{"native=none", "mysql=flush-1", "native-aof-everysec=aof-everysec", "native-aof-always=aof-always", "mysql-flush-2=flush-2", "mysql-flush-0=flush-0"}
	if diff := cmp.Diff(want, labels(got)); diff != "" {
		t.Error(diff)
	}
	// The plan of such a run comes back with all of its variants.
	again, fault := formOf(got).plan(text.For("en"))
	if fault != nil || cmp.Diff(want, labels(again)) != "" {
		t.Errorf("%v: %v", fault, labels(again))
	}
}

func TestAPlanOfOverAnHourAsksFirst(t *testing.T) {
	started := false
	w := open(t, &fakeCore{execute: func(context.Context, run.Options) (*result.Run, error) {
		started = true
		return nil, errors.New("enough")
	}})
	w.setup.load.entries["rounds"].SetText("1000")
	w.setup.press()
	if started || w.win.Canvas().Overlays().Top() == nil {
		t.Fatal("it was started without asking")
	}
	test.Tap(button(t, w.win.Canvas().Overlays().Top(), "Run"))
	w.rest()
	if !started {
		t.Error("it was not started though that was answered")
	}
}
