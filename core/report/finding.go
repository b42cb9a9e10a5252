// Package report says what a run shows: findings as data, whose sentences come
// from the catalogue, and the report that is handed on: HTML, Markdown, and a
// folder with the tables and the figures. It computes no statistics; package
// stats does. Data goes: result.Run → stats → findings → page → file.
package report

import (
	"maps"
	"unicode"

	"berth/core/result"
	"berth/core/stats"
	"berth/core/text"
)

// Kinds of findings: the message's id. A finding about reliability has the id
// of the warning that it repeats.
const (
	KindSlower      = "report.slower"       // fewer requests a second than the reference
	KindSlowerProxy = "report.slower-proxy" // the same, and what part of it is docker-proxy
	KindFaster      = "report.faster"
	KindTimes       = "report.times" // at least twice as many
	KindDisagree    = "report.disagree"
	KindPath        = "report.path"             // docker-proxy's share, with its interval
	KindPathShared  = "report.path-shared"      // the same, on a machine with too few CPUs
	KindPathUnknown = "report.path-unknown"     // docker-proxy and the bridge cannot be told apart
	KindNone        = "report.none"             // no difference detectable
	KindTooFew      = "report.too-few"          // a ratio from too few rounds to judge
	KindUnjudged    = "report.unjudged"         // a ratio with a stand-in: no verdict
	KindAlone       = "report.alone"            // one variant, nothing to compare it with
	KindBaseline    = "report.baseline"         // Redis beside MySQL, in one test
	KindBaselines   = "report.baselines"        // the same of many tests, from the least to the most
	KindAnswers     = "report.answers"          // as the article and like for like, in one sentence
	KindBest        = "report.baseline-best"    // the same, each side at its best number of connections
	KindEqual       = "report.baseline-equal"   // the same, from the least to the most over equal numbers
	KindPromise     = "report.baseline-promise" // what the two promise of a write
	KindNoData      = "report.no-data"
)

// A Finding is one conclusion as data. Its sentence comes from the catalogue.
type Finding struct {
	Kind string    // the message's id
	Args text.Args // what the sentence is filled with; variants by label
	// Rows are the evidence: the comparison first, then those it was set
	// against. A finding about reliability has none.
	Rows []result.ComparisonRow

	run     *result.Run
	warning *stats.Warning
	phrases map[string]phrase
}

// A phrase is an argument that is itself a message.
type phrase struct {
	id   string
	args text.Args
}

// Text is the finding's sentence in the catalogue's language.
func (f Finding) Text(c *text.Catalogue) string {
	name := func(label string) string { return result.Name(f.run, label, c) }
	if f.warning != nil {
		return f.warning.Text(c, name)
	}
	args := maps.Clone(f.Args)
	for _, key := range []string{"Variant", "Reference"} {
		if label, ok := args[key].(string); ok {
			args[key] = name(label)
		}
	}
	if load, ok := args["Load"].(string); ok && load != "" {
		args["Load"] = result.LoadName(load, c)
	}
	for key, p := range f.phrases {
		args[key] = c.T(p.id, p.args)
	}
	return closeUp(c.T(f.Kind, args))
}

// closeUp takes away a space between two Chinese characters: a sentence has one
// around a name, for names that are Latin.
func closeUp(s string) string {
	in := []rune(s)
	out := make([]rune, 0, len(in))
	for i, r := range in {
		if r == ' ' && i > 0 && i+1 < len(in) && unicode.Is(unicode.Han, in[i-1]) && unicode.Is(unicode.Han, in[i+1]) {
			continue
		}
		out = append(out, r)
	}
	return string(out)
}
