//go:build !headless

package window

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"berth/core/server"
	"berth/core/text"
)

// question waits for the dialog that another goroutine has asked for.
func (w *testWindow) question(t *testing.T) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); !w.inbox.take(); {
		if time.Now().After(limit) {
			t.Fatal("nothing was asked")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAPasswordForKeysThatWereLeftIsAskedForUntilItIsRight(t *testing.T) {
	w := open(t, &fakeCore{})
	var tried []string
	w.core.(*fakeCore).clean = func(ask server.Ask) ([]string, error) {
		password, ok := ask(server.Endpoint{Network: "tcp", Address: "192.0.2.7:6379"})
		tried = append(tried, password)
		if !ok || password == "right" {
			return nil, nil
		}
		return nil, text.Err("server.keys-left", text.Args{"Address": "192.0.2.7:6379"}, text.Err("server.wrongpass", text.Args{"Address": "192.0.2.7:6379"}, nil))
	}
	w.cleanUp("")
	w.question(t)
	for _, password := range []string{"wrong", "right"} {
		top := w.win.Canvas().Overlays().Top()
		if said := strings.Join(texts(top), " "); !strings.Contains(said, "192.0.2.7:6379") {
			t.Fatalf("asked %q", said)
		}
		find[*line](top)[0].SetText(password)
		test.Tap(button(t, top, "Remove them"))
		if password == "wrong" {
			w.question(t) // that the clean-up starts anew
			if w.win.Canvas().Overlays().Top() == nil {
				w.question(t)
			}
		}
	}
	w.rest()
	if strings.Join(tried, " ") != "wrong right" || w.win.Canvas().Overlays().Top() != nil {
		t.Errorf("tried %q", tried)
	}
}

func TestNotNowLeavesTheKeysAndAsksNoMore(t *testing.T) {
	w := open(t, &fakeCore{})
	answers := 0
	w.core.(*fakeCore).clean = func(ask server.Ask) ([]string, error) {
		_, ok := ask(server.Endpoint{Address: "192.0.2.7:6379"})
		if answers++; ok {
			t.Error("there was a password")
		}
		return nil, text.Err("server.keys-left", nil, text.Err("server.noauth", nil, nil))
	}
	w.cleanUp("")
	w.question(t)
	w.dismiss()
	w.rest()
	if answers != 1 || w.win.Canvas().Overlays().Top() != nil {
		t.Errorf("asked %d times", answers)
	}
}
