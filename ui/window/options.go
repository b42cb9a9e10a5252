package window

// Options say how the window opens.
type Options struct {
	Version string // Berth's, as the charts' footers write it
	// Open is the log of the run to show first; "" is the run that was started last.
	Open string
}
