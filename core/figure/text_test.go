package figure

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"berth/assets"
	"berth/core/plan"
	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

func TestEverySentenceIsInEveryLanguage(t *testing.T) {
	for _, file := range []string{"figure.toml", "placement.toml"} {
		var english []string
		for _, lang := range text.Languages {
			raw, err := fs.ReadFile(assets.Translations, "translations/"+lang+"/"+file)
			if err != nil {
				t.Fatal(err)
			}
			var messages map[string]any
			if err := toml.Unmarshal(raw, &messages); err != nil {
				t.Fatalf("%s %s: %v", lang, file, err)
			}
			ids := slices.Sorted(maps.Keys(messages))
			if english == nil {
				english = ids
			}
			if !slices.Equal(ids, english) {
				t.Errorf("%s %s has %q, English has %q", lang, file, ids, english)
			}
		}
	}
}

func TestEveryFlagAndPersistenceIsExplained(t *testing.T) {
	for _, lang := range text.Languages {
		c := text.For(lang)
		for _, flag := range []string{
			result.FlagClientBound, result.FlagErrors, result.FlagMisses, result.FlagTooShort, result.FlagCPUsShared, result.FlagSteal, result.FlagBusy,
			result.FlagNotFresh, result.FlagCarried, result.FlagPool, result.FlagCut, result.FlagReconnects, result.FlagVersions, result.FlagEngines, result.FlagStandIn,
			result.FlagOther, result.FlagFilesystems, result.FlagUserNetwork, stats.FlagOutlier,
		} {
			if id := "figure.flag." + flag; c.T(id) == id {
				t.Errorf("%s: no sentence for the flag %s", lang, flag)
			}
		}
		for _, p := range []string{plan.PersistenceNone, plan.PersistenceAlways, plan.PersistenceSecond, plan.PersistenceNo, "snapshots", "unknown"} {
			if id := "figure.persistence." + p; c.T(id) == id {
				t.Errorf("%s: no words for the persistence %s", lang, p)
			}
		}
	}
}

func TestNoTextOfAFigureIsAMessageID(t *testing.T) {
	for name, f := range drawn(t) {
		for _, m := range f.canvas.marks {
			if strings.Contains(m.text, "figure.") || strings.Contains(m.text, "placement.") || strings.Contains(m.text, "<no value>") {
				t.Errorf("%s: %s %q", name, m.role, m.text)
			}
		}
	}
}

func TestNumbersOfASettingAreInThousands(t *testing.T) {
	b := newBench(quick[:1], two, []int{100, 16_000}, []int{30_000}, 1)
	v := newView(b.run, b.rows, nil, Options{})
	if got := v.settingName(v.settings[1]); got != "16,000 bytes" {
		t.Errorf("a facet is called %q", got)
	}
	if got := v.common(); got != "pipeline 30,000, 50 clients" {
		t.Errorf("what is common is %q", got)
	}
}
