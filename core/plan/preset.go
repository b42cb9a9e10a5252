package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"berth/assets"
	"berth/core/text"
)

// PresetNames are the presets that Berth brings, the one to begin with first.
var PresetNames = []string{"quick", "docker-network", "payload", "redis-vs-mysql", "mysql-article"}

// Preset is the plan called name of those that Berth brings.
func Preset(name string) (Plan, error) {
	if !slices.Contains(PresetNames, name) {
		return Plan{}, text.Err("plan.preset-unknown", text.Args{"Preset": name, "Presets": strings.Join(PresetNames, ", ")}, nil)
	}
	raw, err := assets.Presets.ReadFile(path.Join("presets", name+".toml"))
	if err != nil {
		return Plan{}, fmt.Errorf("preset %s: %w", name, err)
	}
	p, err := Read(raw)
	if err != nil {
		return Plan{}, fmt.Errorf("preset %s: %w", name, err)
	}
	return p, nil
}

// Presets are all that Berth brings.
func Presets() []Plan {
	all := make([]Plan, 0, len(PresetNames))
	for _, name := range PresetNames {
		p, err := Preset(name)
		if err != nil {
			panic(err) // a preset is part of the program, and tested
		}
		all = append(all, p)
	}
	return all
}
