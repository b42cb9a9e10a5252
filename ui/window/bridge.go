//go:build !headless

package window

import "berth/core/result"

// bridge hands a run's events over to the window: the whole way from run's
// goroutine to Fyne's. What it calls only takes note; running draws once a second.
func (w *window) bridge(take func(result.Event)) func(result.Event) {
	return func(e result.Event) {
		w.do(func() { take(e) })
	}
}
