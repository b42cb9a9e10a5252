package assets

// Version of Berth, the same as in FyneApp.toml.
const Version = "0.1.0"
