package result_test

import (
	"testing"

	"berth/core/result"
	"berth/core/text"
)

func TestNameIsTheUsersThenThePlacementsThenTheLabel(t *testing.T) {
	r := &result.Run{Edits: map[string]string{"name:docker-nat": "Bridge 桥接"}}
	for _, c := range []struct{ lang, label, want string }{
		{"en", "docker-nat", "Bridge 桥接"},
		{"en", "native", "Native process"},
		{"zh-Hans", "pinned", "绑核"},
		{"zh-Hant", "docker-host", "Docker Host 網路"},
		{"en", "redis 7.4", "redis 7.4"},
	} {
		if got := result.Name(r, c.label, text.For(c.lang)); got != c.want {
			t.Errorf("Name(%q) in %s = %q, want %q", c.label, c.lang, got, c.want)
		}
	}
}
