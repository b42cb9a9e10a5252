//go:build !headless

package window

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// legible is Fyne's theme with what cannot be used still readable: its reason stands beside it.
type legible struct{ fyne.Theme }

func (l legible) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	switch {
	case name == theme.ColorNameDisabled && variant == theme.VariantDark:
		return color.NRGBA{R: 0x8c, G: 0x8c, B: 0x92, A: 0xff}
	case name == theme.ColorNameDisabled:
		return color.NRGBA{R: 0x76, G: 0x76, B: 0x7c, A: 0xff}
	case name == theme.ColorNameInputBorder && variant == theme.VariantDark:
		return color.NRGBA{R: 0x74, G: 0x74, B: 0x7a, A: 0xff}
	case name == theme.ColorNameInputBorder:
		return color.NRGBA{R: 0x96, G: 0x96, B: 0x9c, A: 0xff} // an empty tick is drawn in it
	case name == theme.ColorNameWarning && variant == theme.VariantLight:
		return color.NRGBA{R: 0x96, G: 0x56, B: 0x00, A: 0xff} // Fyne's orange is faint on white
	case name == theme.ColorNameSuccess && variant == theme.VariantLight:
		return color.NRGBA{R: 0x1b, G: 0x7a, B: 0x2b, A: 0xff}
	}
	return l.Theme.Color(name, variant)
}

func (l legible) Size(name fyne.ThemeSizeName) float32 {
	if name == theme.SizeNameCaptionText {
		return 12 // Fyne's 11 is small for Chinese
	}
	return l.Theme.Size(name)
}
