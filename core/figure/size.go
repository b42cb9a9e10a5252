package figure

// Sizes that have a name.
const (
	Screen = "screen" // as high as it needs
	Slide  = "slide"  // 16:9, 1920 × 1080 pixels
	Column = "column" // the 16 cm of text on a page of A4, at 300 dots an inch
)

// SizeNames are the named sizes, in the order in which they are told.
func SizeNames() []string { return []string{Screen, Slide, Column} }

// Sized is o with the width, height and scale of a named size; false if there is none
// of that name. A drawing's pixel at scale 1 is a 96th of an inch on paper, so that
// words come out in a page's own size: a column is 605 of them wide.
func (o Options) Sized(name string) (Options, bool) {
	switch name {
	case Screen:
		o.Width, o.Height, o.Scale = defaultWidth, 0, 1
	case Slide:
		o.Width, o.Height, o.Scale = 1280, 720, 1.5
	case Column:
		o.Width, o.Height, o.Scale = 605, 0, 300.0/screenDPI
	default:
		return o, false
	}
	return o, true
}
