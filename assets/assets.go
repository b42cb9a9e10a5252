// Package assets holds what the program carries with it: translations,
// presets, icon, fonts.
package assets

import "embed"

// Translations has a folder a language, a TOML file a package in it.
//
//go:embed translations
var Translations embed.FS

// Presets has a plan a file, named after the preset.
//
//go:embed presets
var Presets embed.FS
