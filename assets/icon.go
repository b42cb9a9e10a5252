package assets

import _ "embed"

// Icon of the program, PNG.
//
//go:embed icon.png
var Icon []byte
