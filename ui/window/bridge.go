//go:build !headless

package window

import (
	"fyne.io/fyne/v2"

	"berth/core/result"
)

// bridge hands a run's events over to the window: the whole way from run's
// goroutine to Fyne's. What it calls only takes note; running draws once a second.
func bridge(take func(result.Event)) func(result.Event) {
	return func(e result.Event) {
		fyne.Do(func() { take(e) })
	}
}
